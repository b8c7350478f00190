from __future__ import annotations

import pytest

from citewell.dialects import batch_lookup
from citewell.model.paper import IdentifierScheme, Paper, PaperId


def doi(value: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme.DOI, value=value)


def work(value: str | None, title: str = "A work") -> Paper:
    return Paper(title=title, source="crossref", ids={IdentifierScheme.DOI: value} if value else {})


IDS = [doi("10.1234/a"), doi("10.1234/b"), doi("10.1234/c")]


def test_works_stand_under_the_identifiers_they_name_whatever_their_case() -> None:
    found = batch_lookup.assign_papers(
        IDS, [work("10.1234/C"), work("10.1234/a")], is_complete=False
    )

    assert found == {IDS[0]: work("10.1234/a"), IDS[2]: work("10.1234/C")}


def test_what_a_whole_answer_lacks_is_absent() -> None:
    assert batch_lookup.assign_papers(IDS, [work("10.1234/b")], is_complete=True) == {
        IDS[0]: None,
        IDS[1]: work("10.1234/b"),
        IDS[2]: None,
    }


@pytest.mark.parametrize("stray", ["10.1234/neighbour", None])
def test_a_work_without_its_place_settles_nothing_of_the_others(stray: str | None) -> None:
    assert batch_lookup.assign_papers(IDS, [work("10.1234/b"), work(stray)], is_complete=True) == {
        IDS[1]: work("10.1234/b")
    }


def test_the_first_of_two_records_counts() -> None:
    found = batch_lookup.assign_papers(
        IDS, [work("10.1234/a", "One"), work("10.1234/a", "Two")], is_complete=True
    )

    assert found[IDS[0]] == work("10.1234/a", "One")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("10.1038/171737a0", True),
        ("10.1016/S0140-6736(97)11096-0", True),
        ("10.48550/arxiv.1706.03762", True),
        ("10.1001/jama.251.19.2504,2509", False),
        ("10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o", False),
        ("10.1234/a|b", False),
        ("10.1234/a b", False),
        ("10.1234/ü", False),
        ("11.1234/a", False),
    ],
)
def test_only_a_doi_without_anybodys_syntax_can_be_listed(value: str, *, plain: bool) -> None:
    assert batch_lookup.keep_plain_dois([doi(value)]) == ([doi(value)] if plain else [])


def test_other_identifiers_are_no_dois() -> None:
    assert batch_lookup.keep_plain_dois([PaperId(scheme=IdentifierScheme.PMID, value="1")]) == []
