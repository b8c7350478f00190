"""Whether a passage that uses the words of a claim also says it."""

from __future__ import annotations

import pytest

from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs.claim_support import SourceText, assess_support, list_support_signs
from citewell.evidence.signs.grounding_signs import GROUNDING_SIGNS, list_doubts
from citewell.evidence.signs.grounding_signs import GroundingDoubt as D


def relate(claim: str, source: str, language: str = "en") -> ClaimRelation:
    return assess_support(claim, SourceText(text=source, language=language)).relation


def read_sign(name: str, claim: str, source: str) -> float:
    signs = list_support_signs(claim, SourceText(text=source, language="en"))
    assert signs is not None
    return signs[GROUNDING_SIGNS.index(name)]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "COQ2 was significantly associated with the loss of muscle.",
            "There was no significant association of COQ2 with the loss of muscle.",
        ),
        (
            "The bank raised its key rate from 3.5 % to 4.0 % in March.",
            "The bank lowered its key rate from 4.0 % to 3.5 % in March.",
        ),
        (
            "All of the vaccinated children developed antibodies within a month.",
            "Some of the vaccinated children developed antibodies within a month.",
        ),
        (
            "The museum in Bergen was founded by Karl Holm after the fire of 1911.",
            "The museum in Bergen was founded by Anna Berg after the fire of 1911.",
        ),
        (
            "The town closed the bridge because the river had damaged its piers.",
            "The town closed the bridge on Monday. The river is popular with anglers.",
        ),
    ],
)
def test_words_in_common_do_not_make_a_false_claim_supported(claim: str, source: str) -> None:
    assert relate(claim, source) is not ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The river rose by two metres in Koblenz, and nobody was hurt."),
        ("de", "Der Fluss stieg in Koblenz um zwei Meter, und niemand wurde verletzt."),
        ("fr", "La rivière est montée de deux mètres à Coblence, et personne n'a été blessé."),
        ("es", "El río subió dos metros en Coblenza y nadie resultó herido."),
        ("ru", "Река в Кобленце поднялась на два метра, и никто не пострадал."),
        ("zh", "科布伦茨的河水上涨了两米，没有人受伤。"),
    ],
)
def test_what_the_source_says_word_for_word_is_supported(language: str, text: str) -> None:
    assert relate(text, text, language) is ClaimRelation.SUPPORTS


def test_the_words_that_the_passage_lacks_are_named() -> None:
    source = SourceText(
        text="The museum in Bergen shows paintings of the harbour by local artists.", language="en"
    )

    found = assess_support(
        "The museum in Bergen shows paintings of the lighthouse by local artists.", source
    )

    assert found.relation is ClaimRelation.MENTIONS
    assert found.ungrounded_words == ("lighthouse",)


@pytest.mark.parametrize(
    ("claim", "source", "doubts"),
    [
        ("All kites breed in the valley.", "Kites breed in the valley.", {D.ABSOLUTE}),
        ("Kites breed in the valley.", "Kites may breed in the valley.", {D.HEDGE}),
        ("Kites arrived in the valley.", "Kites departed from the valley.", {D.CONTRARY}),
        (
            "In Wales kites breed in the valley.",
            "Kites breed in the valley.",
            {D.NAME, D.RARE_WORD},
        ),
        ("Nicotine blocks the receptors.", "Caffeine blocks the receptors.", {D.RARE_WORD}),
        (
            "Store a salted hash.",
            "Store a salted hash, never the password, which others may read.",
            set(),
        ),
    ],
)
def test_doubts_are_those_of_the_clause_that_carries_the_claim(
    claim: str, source: str, doubts: set[D]
) -> None:
    signs = list_support_signs(claim, SourceText(text=source, language="en"))

    assert signs is not None
    assert set(list_doubts(signs)) == doubts


def test_a_claim_may_name_the_site_and_the_author_of_its_source() -> None:
    text = "The survey followed 412 households in Norway between 2016 and 2021."
    claim = "The Grid Observatory survey followed 412 households in Norway between 2016 and 2021."
    named = SourceText(text=text, language="en", known_names="Grid Observatory")

    assert assess_support(claim, named).relation is ClaimRelation.SUPPORTS
    assert relate(claim, text) is ClaimRelation.MENTIONS


@pytest.mark.parametrize(
    ("name", "claim", "source", "value"),
    [
        ("lost in passage", "Red kites breed here.", "Kites breed here.", 1),
        ("denial differs", "Kites do not breed here.", "Kites breed here.", 1),
        ("directions differ", "Prices increased here.", "Prices decreased here.", 1),
        ("absolutes lost", "All kites breed here.", "Kites breed here.", 1),
        ("hedges dropped", "Kites breed here.", "Kites may breed here.", 1),
        ("names lost in source", "Kites breed in Wales.", "Kites breed here.", 1),
        ("numbers lost in passage", "Kites laid 7 eggs.", "Kites laid 3 eggs.", 1),
        ("longest run", "Kites breed here.", "Kites breed here.", 1),
        ("names turned", "In 1999 Berlin beat London.", "In 1999 London beat Berlin.", 1),
        ("lost in passage", "It kept 82 percent.", "It kept 82 %.", 0),
    ],
)
def test_what_sets_a_claim_apart_is_measured(
    name: str, claim: str, source: str, value: float
) -> None:
    assert read_sign(name, claim, source) == value


def test_missing_words_are_named_as_written_and_without_those_that_only_join() -> None:
    source = SourceText(
        text="The order is worth nine million dollars at list prices.", language="en"
    )

    found = assess_support(
        "The order is worth nine million dollars, although Lufthansa wants Ferries.", source
    )

    assert found.relation is ClaimRelation.MENTIONS
    assert found.ungrounded_words == ("Lufthansa", "wants", "Ferries")


@pytest.mark.parametrize(
    ("true", "false", "source"),
    [
        (
            "Bergen is buying Askvik for nine million crowns in cash.",
            "Askvik is buying Bergen for nine million crowns in cash.",
            "The harbour company Bergen is buying the ferry company Askvik for nine million crowns in cash.",
        ),
        (
            "Keeping a diary of meals is a proven tool for losing weight.",
            "Keeping a diary of meals is the only proven tool for losing weight.",
            "Keeping a diary of meals is a proven tool for losing weight.",
        ),
    ],
)
def test_exchanged_roles_and_the_only_one_are_not_supported(
    true: str, false: str, source: str
) -> None:
    assert relate(true, source) is ClaimRelation.SUPPORTS
    assert relate(false, source) is ClaimRelation.MENTIONS
