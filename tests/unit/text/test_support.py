from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.model.research import ClaimRelation
from citewell.text.data_tables import load_table
from citewell.text.evidence import claim_support, negation

GOLD = Path(__file__).parent / "gold" / "citations.json"


def assess(claim: str, text: str, language: str | None = "en") -> claim_support.ClaimSupport:
    return claim_support.assess_support(
        claim, claim_support.SourceText(text=text, language=language)
    )


def test_unsupported_citations_are_told_from_supported_ones() -> None:
    flagged = {"good": [0, 0], "bad": [0, 0]}
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        source = claim_support.SourceText(text=case["source"], language="en")
        for claim, label in case["claims"]:
            score = claim_support.assess_support(claim, source).score
            flagged[label][score < claim_support.UNSUPPORTED_BELOW_SCORE] += 1

    caught, wrongly = flagged["bad"][True], flagged["good"][True]
    assert caught / (caught + wrongly) >= 0.9
    assert caught / sum(flagged["bad"]) >= 0.8


def test_supported_claims_are_said_to_be_supported() -> None:
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        source = claim_support.SourceText(text=case["source"], language="en")
        good = [claim for claim, label in case["claims"] if label == "good"]
        assert all(
            claim_support.assess_support(claim, source).relation is ClaimRelation.SUPPORTS
            for claim in good
        )


def test_a_verbatim_quotation_has_the_full_score() -> None:
    text = "Rain fell all night. The river rose by two metres in Koblenz. Nobody was hurt."

    found = assess("The river rose by two metres in Koblenz.", text)

    assert found.score == 1.0
    assert found.snippet == "The river rose by two metres in Koblenz."


def test_a_claim_with_another_number_is_qualified_and_scores_less() -> None:
    text = "The river rose by 2 metres in Koblenz."

    found = assess("The river rose by 3 metres in Koblenz.", text)

    assert found.relation is ClaimRelation.QUALIFIES
    assert found.missing_numbers == ("3 metres",)
    assert found.score < assess("The river rose by 2 metres in Koblenz.", text).score


def test_a_denial_contradicts() -> None:
    found = assess(
        "Vitamin C prevents colds in adults.", "Vitamin C does not prevent colds in adults."
    )

    assert found.relation is ClaimRelation.CONTRADICTS


def test_a_denial_of_something_else_does_not() -> None:
    text = "Vitamin C prevents colds in adults. Zinc does not dissolve."

    assert assess("Vitamin C prevents colds in adults.", text).relation is ClaimRelation.SUPPORTS


def test_a_long_page_does_not_support_by_holding_every_word_somewhere() -> None:
    scattered = " ".join(f"Part {word} of the long page says nothing else." for word in
                         ("glaciers", "alps", "shrank", "third", "summer") for _ in range(30))  # fmt: skip

    assert (
        assess("Glaciers in the Alps shrank by a third one summer.", scattered).score
        < claim_support.MIN_SUPPORTED_SCORE
    )


def test_nothing_in_common_is_nothing() -> None:
    found = assess("Whales sing.", "The bridge opened on Monday.")

    assert (found.score, found.snippet) == (0.0, "")


@pytest.mark.parametrize(("claim", "text"), [("", "Some text."), ("Some claim.", ""), ("", "")])
def test_empty_text_supports_nothing(claim: str, text: str) -> None:
    assert assess(claim, text).score == 0.0


def test_texts_in_two_languages_cannot_be_compared() -> None:
    german = claim_support.SourceText(
        text="Der Fluss stieg in der Nacht um zwei Meter und trat über die Ufer."
    )

    assert not claim_support.can_share_language(
        "The river rose by two metres during the night and it flooded.", german
    )
    assert claim_support.can_share_language(
        "Der Fluss stieg in der Nacht um zwei Meter und war sehr hoch.", german
    )
    assert not claim_support.can_share_language(
        "The river rose by two metres.",
        claim_support.SourceText(text="河水上涨了两米。", language="zh"),
    )


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=200), st.sampled_from([None, "en", "de", "zh"]))
def test_the_snippet_stands_where_the_offsets_say(
    claim: str, text: str, language: str | None
) -> None:
    found = assess(claim, text, language)

    assert text[found.start : found.end] == found.snippet
    assert 0.0 <= found.score <= 1.0


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It is safe.", None, False),
        ("It isn't safe.", None, True),
        ("It is not unsafe, nor is it new.", None, False),
        ("It is not only safe but cheap.", None, False),
        ("It is a myth that it works.", None, True),
        ("Es ist nicht sicher.", "de", True),
        ("Es ist nicht nur sicher.", "de", False),
        ("Ce n'est pas sûr.", "fr", True),
        ("No es seguro.", "es", True),
        ("Это не безопасно.", "ru", True),
        ("这不安全。", "zh", True),
        ("安全ではない。", "ja", True),
        ("안전하지 않다.", "ko", True),
        ("No. 5 is alive.", None, False),
    ],
)
def test_two_negations_make_none(text: str, language: str | None, *, expected: bool) -> None:
    assert negation.is_negated_statement(text, language=language) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das ist eine falsche Angabe.", "de"), ("Ces chiffres sont de fausses données.", "fr"),
        ("این درست نیست.", "fa"), ("這並非事實。", "zh"), ("That is a myth.", "en"), ("To nieprawda, to fałszywy wynik.", "pl"),
    ],
)  # fmt: skip
def test_a_word_that_negates_and_refutes_is_known_as_both(text: str, language: str) -> None:
    assert negation.is_negated_statement(text, language=language)
    assert negation.has_refutation_cue(text, language=language)


@pytest.mark.parametrize(
    "language", load_table("citewell.text.evidence", "negation_words")["languages"]
)
def test_no_language_takes_a_plain_text_for_a_negation(language: str) -> None:
    assert negation.count_negations("12 34", language=language) == 0
    assert not negation.has_refutation_cue("12 34", language=language)


def test_two_negations_cancel_each_other() -> None:
    assert negation.is_negated_statement("It does not work.")
    assert not negation.is_negated_statement("It works.")
    assert not negation.is_negated_statement("It never does not work.")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Store a slow, salted hash.", "Store a slow, salted hash, never the password."),
        (
            "Antibiotics do nothing against viruses.",
            "Antibiotics do nothing against viruses, so they do not help with colds.",
        ),
        (
            "Base editors change single letters.",
            "Base editors change single letters without cutting both strands.",
        ),
        (
            "Die Kosten steigen nicht in jedem Jahr.",
            "Die Kosten steigen nicht in jedem Jahr, und ohne Zuschuss wartet niemand.",
        ),
    ],
)
def test_a_negation_of_another_part_of_the_sentence_denies_nothing(claim: str, text: str) -> None:
    spoken = "de" if "Kosten" in claim else "en"

    assert assess(claim, text, spoken).relation is ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Heat never lowers the output of silicon.",
            "Heat lowers the output of silicon by roughly 0.3 to 0.4 percent for each degree above 25.",
        ),
        (
            "Antibiotics do help with colds or influenza.",
            "Antibiotics do nothing against viruses, so they do not help with colds or influenza.",
        ),
        ("Die Kosten steigen nicht.", "Die Kosten steigen seit 2019 in fast allen Städten stark."),
    ],
)
def test_a_denial_within_a_longer_sentence_contradicts(claim: str, text: str) -> None:
    spoken = "de" if "Kosten" in claim else "en"

    assert assess(claim, text, spoken).relation is ClaimRelation.CONTRADICTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The ocean takes up 80 percent of it.", "The ocean takes up about a quarter of it."),
        ("Methane lasts ninety-five years in the air.", "Methane lasts twelve years in the air."),
    ],
)
def test_a_claim_whose_number_is_not_there_is_not_said_to_be_supported(
    claim: str, text: str
) -> None:
    found = assess(claim, text)

    assert found.missing_numbers
    assert found.relation in {ClaimRelation.MENTIONS, ClaimRelation.QUALIFIES}
