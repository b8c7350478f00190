"""What a lexical judge may call a contradiction, and what it must leave alone."""

from __future__ import annotations

import pytest

from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs import claim_support
from citewell.evidence.signs.claim_support import ClaimSupport, SourceText
from citewell.evidence.signs.oppositions.contrary_words import (
    are_contrary,
    find_word_polarities,
    list_opposite_words,
)
from citewell.evidence.signs.oppositions.statement_clauses import parse_clauses


def assess(claim: str, text: str) -> ClaimSupport:
    return claim_support.assess_support(claim, SourceText(text=text, language="en"))


@pytest.mark.parametrize(
    ("claim", "text", "ground"),
    [
        (
            "The tonic raises deaths in ventilated patients.",
            "The tonic reduced deaths by one third in ventilated patients.",
            "antonym: raises/reduced",
        ),
        (
            "School reopening increased transmission in the town.",
            "School reopening did not increase transmission in the town.",
            "negation: increased/increase",
        ),
        (
            "Lack of the enzyme slows plaque formation in mice.",
            "Deficiency of the enzyme accelerates plaque formation in mice.",
            "antonym: slows/accelerates",
        ),
        (
            "The lamp oil is harmful for patients with asthma.",
            "The lamp oil is harmless for patients with asthma.",
            "antonym: harmful/harmless",
        ),
        (
            "Geysers emit more steam than power plants.",
            "Power plants emit far more steam than geysers.",
            "comparison",
        ),
        (
            "The mill was built upstream of the bridge.",
            "The mill was built downstream of the bridge, between two weirs.",
            "antonym: upstream/downstream",
        ),
        (
            "Magnets prevent headaches in pilots.",
            "We found no evidence that magnets prevent headaches in pilots.",
            "negation: prevent/prevent",
        ),
        (
            "Garden birds carry the fever to farms.",
            "It is a myth that garden birds carry the fever to farms.",
            "negation",
        ),
        (
            "Otters eat less fish in winter than herons.",
            "Otters were seen to eat more fish on most winter days than the herons of the lake.",
            "antonym: less/more",
        ),
        ("The request needs a special form.", "The request needs no special form.", "negation"),
    ],
)
def test_what_shows_a_contradiction_is_named(claim: str, text: str, ground: str) -> None:
    found = assess(claim, text)

    assert (found.relation, found.ground) == (ClaimRelation.CONTRADICTS, ground)
    assert found.score < claim_support.MIN_SUPPORTED_SCORE


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "The probe orbits the Sun.",
            "The probe is not in orbit around the Earth as is often said; it actually orbits the Sun.",
        ),
        (
            "Lack of sleep impairs memory in students.",
            "Sleep deprivation reduces memory performance, and students do not notice it.",
        ),
        (
            "Short rest raises blood pressure.",
            "Long rest was associated with lower blood pressure.",
        ),
        (
            "Reducing felling lowers carbon emissions.",
            "Felling increases carbon emissions.",
        ),
        (
            "Coral reefs are threatened by ocean warming.",
            "Ocean warming, not fishing, is the greatest threat to coral reefs.",
        ),
        (
            "The salve does not lower deaths in hospital patients.",
            "The salve was not associated with lower deaths in hospital patients.",
        ),
        (
            "The song 'You Don't Own the Rain' was sung by Mara.",
            "Mara sang the song, her first for the label.",
        ),
        (
            "The museum not only shows but also sells prints.",
            "The museum shows and sells prints.",
        ),
        (
            "The school registered more than 26 million learners in 2024 alone.",
            "In 2024 alone, more than 26 million learners registered at the school.",
        ),
    ],
)
def test_a_denial_of_something_else_is_no_contradiction(claim: str, text: str) -> None:
    assert assess(claim, text).relation is not ClaimRelation.CONTRADICTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "The syrup is safe to take with a fever.",
            "At present there is no evidence that the syrup worsens the course of a fever.",
        ),
        (
            "The long curve of prices has been debunked.",
            "Later studies by independent groups have supported the main conclusion of the long curve of prices.",
        ),
    ],
)
def test_a_denial_beside_the_point_neither_supports_nor_contradicts(claim: str, text: str) -> None:
    assert assess(claim, text).relation is ClaimRelation.MENTIONS


def test_a_clause_that_agrees_speaks_against_a_contradiction() -> None:
    claim = "The salve lowers fever in adults."

    agreed = assess(claim, "The salve lowers fever in adults. In dogs the salve raises fever.")

    assert agreed.relation is ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The lake froze in 1963.", "The lake froze in 1963."),
        ("The lake froze in 1963.", "The lake never froze in 1963."),
        ("The lake froze in 1963.", "The lake was warm."),
        ("The lake froze for 20 days.", "The lake froze for 30 days."),
        ("Trams run every ten minutes at night.", "Trams are red."),
        ("Der See fror 1963 zu.", "Der See fror 1963 nicht zu."),
    ],
)
def test_the_relation_shown_and_the_score_say_the_same(claim: str, text: str) -> None:
    found = claim_support.assess_support(claim, SourceText(text=text))

    assert (found.relation is ClaimRelation.SUPPORTS) is (
        found.score >= claim_support.MIN_SUPPORTED_SCORE
    )


def test_marks_of_citations_are_no_part_of_a_claim() -> None:
    text = "Some medicines need a cold place to keep their effect."

    marked = assess("4. Some medicines need a cold place [3][12] (Miller et al., 2020).", text)

    assert marked.score == assess("Some medicines need a cold place.", text).score
    assert marked.missing_numbers == ()


def test_a_year_at_the_head_of_a_page_is_found() -> None:
    page = "Published 1 March 2017. " + "Nothing else happened. " * 40
    page += "The court named three judges for the empty seat."

    found = assess("In 2017 the court named three judges for the empty seat.", page)

    assert found.missing_numbers == ()


def test_less_overlap_is_enough_for_what_research_says() -> None:
    source = (
        "In this cohort study, treated patients had significantly lower mortality than controls"
        " (odds ratio 0.7), and fewer severe symptoms of the viral infection."
    )
    plain = "The painter had a lower price than others, and fewer of her early works were sold."

    claim = "Treated patients had lower mortality and fewer severe symptoms."
    assert assess(claim, source).relation is ClaimRelation.SUPPORTS
    assert (
        assess("The painter sold early works cheaply in Rome.", plain).relation
        is not ClaimRelation.SUPPORTS
    )


def test_words_of_direction_and_their_opposites_are_known() -> None:
    assert [(way.axis, way.sign) for way in find_word_polarities("upregulates")] == [("change", 1)]
    assert find_word_polarities("surgical") == ()
    assert "hypoactive" in list_opposite_words("hyperactive", "en")
    assert "accurate" in list_opposite_words("inaccurate", "en")
    assert "side" not in list_opposite_words("inside", "en")
    assert are_contrary("sank", "rising", "en")
    assert not are_contrary("remain", "left", "en")


@pytest.mark.parametrize("text", ["", "   ", "not", "no no no", "(((", "than", '"quoted"', "﷽ لا"])
def test_odd_sentences_have_no_clauses_or_harmless_ones(text: str) -> None:
    assert all(clause.terms for clause in parse_clauses(text))
    assert assess(text, text).relation is not ClaimRelation.CONTRADICTS


def test_a_sentence_without_end_is_read_in_bounded_time() -> None:
    endless = "not more than less but (" * 40_000

    assert sum(len(clause.words) for clause in parse_clauses(endless)) < 1_000
