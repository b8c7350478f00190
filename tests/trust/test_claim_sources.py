from __future__ import annotations

import pytest

from citewell.evidence.signs import nearest_sentences
from citewell.trust import claim_sources
from citewell.trust.claim_sources import (
    ADDRESSED,
    NOT_ADDRESSED,
    PARTLY,
    SOURCE_UNAVAILABLE,
    measure_claim_coverage,
)
from tests.requirements import requires

FILLER = [
    f"The harbour kept its lanterns burning for ship number {number}." for number in range(40)
]
LONG = " ".join(FILLER)
CLAIM = "Coffee lowers mortality in older adults"


def test_most_terms_in_one_place_address_the_claim() -> None:
    found = measure_claim_coverage(
        CLAIM, f"{LONG} Coffee lowered the mortality of older adults. {LONG}"
    )

    assert found.support == ADDRESSED
    assert found.term_share == 1.0
    assert found.evidence == ("Coffee lowered the mortality of older adults.",)
    assert not found.has_contrast


@requires("audit_bibliography.claim_window")
def test_terms_scattered_over_a_long_text_address_it_only_partly() -> None:
    parts = ["Coffee grows on hills.", *FILLER, "Mortality is counted.", *FILLER, "Adults vote."]

    found = measure_claim_coverage(CLAIM, " ".join(parts))

    assert found.support == PARTLY
    assert found.term_share < claim_sources.ADDRESSED_SHARE


def test_a_short_text_is_looked_at_as_a_whole() -> None:
    text = "Coffee grows on hills. Ships sail. Mortality is counted. Rain falls. Older adults vote."

    assert measure_claim_coverage(CLAIM, text).support == ADDRESSED


def test_no_term_in_common_does_not_address_it() -> None:
    found = measure_claim_coverage(CLAIM, f"{LONG} and the sea is calm when the wind is low.")

    assert found == claim_sources.ClaimCoverage(support=NOT_ADDRESSED)


def test_words_of_every_paper_are_no_common_ground() -> None:
    found = measure_claim_coverage(
        f"The study shows that {CLAIM}", f"This study shows results. {LONG}"
    )

    assert found.support == NOT_ADDRESSED


@pytest.mark.parametrize("heading", ["References", "## Literatur", "Références", "参考文献"])
def test_the_list_of_references_is_not_the_sources_own_words(heading: str) -> None:
    text = f"{LONG}\n\n{heading}\n\nCoffee lowers mortality in older adults. Journal 1, 2."

    assert measure_claim_coverage(CLAIM, text).support == NOT_ADDRESSED


def test_a_source_in_another_language_is_not_held_against_the_claim() -> None:
    german = (
        "Der Hafen und die Schiffe sind alt, und das Meer ist nicht ruhig, wenn der Wind von den Bergen"
        " kommt und auf die Stadt geht. " * 10
    )

    found = measure_claim_coverage(
        "Coffee lowers the mortality of adults who drink it every day", german
    )

    assert found.support == SOURCE_UNAVAILABLE
    assert "language" in found.reason


def test_a_claim_without_words_cannot_be_looked_for() -> None:
    assert measure_claim_coverage("the of and", LONG).support == SOURCE_UNAVAILABLE


@requires("defect.denial_languages")
@pytest.mark.parametrize(
    ("code", "denying", "plain"),
    [
        ("en", "It did not lower it.", "It lowered it, however slowly."),
        ("en", "There is no evidence of that.", "There is evidence of that."),
        ("en", "The finding was refuted.", "The finding was confirmed."),
        ("de", "Das senkt die Rate nicht.", "Das senkt die Rate."),
        ("fr", "Cela n'est pas vrai.", "Cela est vrai."),
        ("es", "Ningún efecto fue visto.", "El efecto fue visto."),
        ("it", "Non abbassa il tasso.", "Abbassa il tasso."),
        ("pt", "Isso não reduz a taxa.", "Isso reduz a taxa."),
        ("nl", "Dat verlaagt het niet.", "Dat verlaagt het."),
        ("sv", "Det sänker inte talet.", "Det sänker talet."),
        ("da", "Det sænker ikke tallet.", "Det sænker tallet."),
        ("no", "Det senker ikke tallet.", "Det senker tallet."),
        ("fi", "Se ei laske lukua.", "Se laskee lukua."),
        ("ru", "Это не снижает риск.", "Это снижает риск."),
        ("pl", "To nie obniża ryzyka.", "To obniża ryzyko."),
        ("tr", "Bu doğru değil.", "Bu doğru."),
        ("zh", "研究没有发现效果。", "研究发现效果。"),
        ("ja", "効果は見られなかった。", "効果が見られた。"),
        ("ko", "효과가 없다.", "효과가 있다."),
        ("ar", "لم تجد الدراسة أثرا.", "وجدت الدراسة أثرا."),
    ],
)
def test_denial_is_heard_in_each_language_and_connectives_are_not_denial(
    code: str, denying: str, plain: str
) -> None:
    assert nearest_sentences.has_refutation_cue(denying, language=code)
    assert not nearest_sentences.has_refutation_cue(plain, language=code)


def test_a_language_nobody_listed_gives_no_cue() -> None:
    assert not nearest_sentences.has_refutation_cue("This is not so.", language="eo")


def test_evidence_that_denies_is_flagged() -> None:
    found = measure_claim_coverage(
        CLAIM, f"{LONG} Coffee did not lower mortality in older adults. {LONG}"
    )

    assert found.support == ADDRESSED
    assert found.has_contrast


@pytest.mark.parametrize(
    "shared", ["Nine in ten ships were kept.", "It takes 20 minutes.", "About half a percent went."]
)
def test_amounts_and_small_verbs_in_common_are_not_the_subject(shared: str) -> None:
    claim = "Naps of 20 minutes, about half a percent of the day, keep nine in ten pilots alert"

    assert measure_claim_coverage(claim, f"{LONG} {shared} {LONG}").support == NOT_ADDRESSED


def test_a_claim_of_amounts_alone_is_looked_for_by_them() -> None:
    assert (
        measure_claim_coverage(
            "More than 20 percent", f"{LONG} More than 20 percent. {LONG}"
        ).support
        == ADDRESSED
    )


@requires("verify_citation.contrast_precise")
@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("Coffee did not lower mortality in older adults.", True),
        ("Coffee raised mortality in older adults.", True),
        ("We found no evidence that coffee lowers mortality in older adults.", True),
        ("Coffee, which does not keep them awake, lowers mortality in older adults.", False),
        ("Coffee lowers mortality in older adults, but tea does not.", False),
        ("Contrary to fears, coffee lowers mortality in older adults.", False),
        ("Coffee lowered mortality in older adults; the trial was not funded by growers.", False),
    ],
)
def test_only_a_denial_of_the_clause_with_the_claim_is_a_contrast(
    sentence: str, *, denies: bool
) -> None:
    assert measure_claim_coverage(CLAIM, f"{LONG} {sentence} {LONG}").has_contrast is denies


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "Kaffee senkt die Sterblichkeit der Älteren",
            "Kaffee senkt die Sterblichkeit der Älteren nicht.",
        ),
        (
            "Le café réduit la mortalité des adultes âgés",
            "Le café ne réduit pas la mortalité des adultes âgés.",
        ),
    ],
)
def test_a_denial_is_a_contrast_in_other_languages_too(claim: str, sentence: str) -> None:
    code = "de" if "senkt" in claim else "fr"
    found = measure_claim_coverage(claim, sentence, declared_language=code)

    assert found.has_contrast
