from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.research.claims import source_kinds
from citewell.research.claims.source_kinds import (
    SourceBacking,
    describe_basis,
    name_confidence_level,
    score_confidence,
)


def backing(owner: str, worth: float = 0.35, support: float = 1.0) -> SourceBacking:
    return SourceBacking(owner=owner, source_weight=worth, support=support)


def sure(*backings: SourceBacking, contradicted: bool = False) -> float:
    return score_confidence(backings, contradicted=contradicted)


def test_independent_owners_add_up_by_the_formula() -> None:
    assert sure(backing("a", 0.6, 0.9), backing("b", 0.35, 0.5)) == round(
        1 - (1 - 0.54) * (1 - 0.175), 4
    )


def test_of_one_owner_only_the_best_page_counts() -> None:
    assert sure(backing("a", 0.35, 0.4), backing("a", 0.35, 1.0), backing("b", 0.35)) == sure(
        backing("a"), backing("b")
    )


def test_one_owner_alone_reaches_sixty() -> None:
    assert sure(backing("a", 0.9)) == 0.60


def test_nothing_passes_ninety_five() -> None:
    assert sure(*(backing(str(number), 0.6) for number in range(20))) == 0.95


def test_a_contradicted_claim_keeps_three_fifths() -> None:
    both = (backing("a", 0.6), backing("b", 0.6))

    assert sure(*both, contradicted=True) == pytest.approx(0.6 * 0.84)


def test_nothing_behind_a_claim_is_no_confidence() -> None:
    assert sure() == 0.0


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.75, "high"), (0.7499, "medium"), (0.45, "medium"), (0.4499, "low"), (0.0, "low")],
)
def test_levels(value: float, name: str) -> None:
    assert name_confidence_level(value) == name


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(-1, 2), st.floats(-1, 2)), max_size=8),
    st.booleans(),
)
def test_the_order_is_nothing_and_the_bounds_hold(
    rows: list[tuple[str, float, float]], contradicted: bool
) -> None:
    made = [backing(*row) for row in rows]

    value = score_confidence(made, contradicted=contradicted)

    assert 0.0 <= value <= 0.95
    assert score_confidence(made[::-1], contradicted=contradicted) == value


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://www.cdc.gov/flu", "government"),
        ("https://www.gov.uk/x", "government"),
        ("https://www.who.int/news", "government"),
        ("https://ec.europa.eu/eurostat", "government"),
        ("https://web.mit.edu/page", "web"),
        ("https://www.ox.ac.uk/page", "web"),
        ("https://doi.org/10.1/x", "academic"),
        ("https://arxiv.org/abs/2001.00001", "academic"),
        ("https://pubmed.ncbi.nlm.nih.gov/1/", "academic"),
        ("https://www.nature.com/articles/x", "academic"),
        ("https://www.bbc.co.uk/news/1", "news"),
        ("https://old.reddit.com/r/x", "social"),
        ("https://x.com/a/1", "social"),
        ("https://docs.example.org/start", "documentation"),
        ("https://example.org/docs/start", "documentation"),
        ("https://example.org/page", "web"),
        ("https://notwho.int.example.org/", "web"),
        ("https://fox.com/", "web"),
        ("library:doc1", "other"),
    ],
)
def test_the_kind_of_a_source_is_told_by_its_address(url: str, kind: str) -> None:
    assert source_kinds.classify_source(url) == kind


def test_a_forum_page_is_social_wherever_it_stands() -> None:
    assert source_kinds.classify_source("https://example.org/t/1", page_kind="forum") == "social"


@pytest.mark.parametrize(
    ("kind", "reputation", "worth"),
    [("academic", None, 0.6), ("news", None, 0.5), ("web", None, 0.35), ("web", "high", 0.5), ("web", "mixed", 0.35),
     ("social", "high", 0.25), ("academic", "low", 0.25), ("academic", "high", 0.6), ("other", None, 0.35)],
)  # fmt: skip
def test_a_name_can_raise_or_ruin_what_a_source_is_worth(
    kind: str, reputation: str | None, worth: float
) -> None:
    assert source_kinds.weigh_source(kind, reputation) == worth


def test_an_owner_is_the_registered_domain_or_the_document_itself() -> None:
    assert source_kinds.identify_source_owner(
        "https://news.bbc.co.uk/1"
    ) == source_kinds.identify_source_owner("https://www.bbc.co.uk/2")
    assert source_kinds.identify_source_owner("library:a") != source_kinds.identify_source_owner(
        "library:b"
    )


def test_one_plain_page_that_answers_directly_is_neither_low_nor_high() -> None:
    direct = score_confidence([backing("a")], contradicted=False, directness=0.9)
    weak = score_confidence([backing("a")], contradicted=False, directness=0.3)

    assert name_confidence_level(direct) == "medium"
    assert name_confidence_level(weak) == "low"


def test_one_official_page_alone_is_never_high() -> None:
    alone = score_confidence([backing("a", 0.6)], contradicted=False, directness=1.0)

    assert name_confidence_level(alone) == "medium"


def test_three_plain_pages_that_answer_directly_are_high() -> None:
    three = [backing(name) for name in "abc"]

    assert (
        name_confidence_level(score_confidence(three, contradicted=False, directness=0.8)) == "high"
    )


def test_a_dispute_lowers_even_direct_answers() -> None:
    both = [backing("a"), backing("b")]

    assert score_confidence(both, contradicted=True, directness=0.9) < score_confidence(
        both, contradicted=False, directness=0.9
    )


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (["web"], "1 source"),
        (["government"], "1 official source"),
        (["web", "government", "web"], "3 sources, 1 official"),
        (["academic", "government", "news"], "3 sources, 1 news, 1 official, 1 scholarly"),
        ([], "no source"),
    ],
)
def test_the_basis_says_how_many_sources_of_which_kind(kinds: list[str], words: str) -> None:
    backings = [
        SourceBacking(owner=str(at), source_weight=0.35, support=1.0, kind=kind)
        for at, kind in enumerate(kinds)
    ]

    assert describe_basis(backings, contradicted=False) == words


def test_the_basis_says_that_a_claim_is_disputed_or_was_not_checked() -> None:
    unread = SourceBacking(owner="a", source_weight=0.35, support=0.3, is_checked=False)

    assert describe_basis([unread], contradicted=True) == "1 source, not checked, disputed"
    assert describe_basis([backing("a")], contradicted=False, values_differ=True) == (
        "1 source, values differ"
    )
