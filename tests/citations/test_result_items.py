"""An item of a tool's answer gives the fields of a source; a key that nobody returns stays."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.citations.result_items import SOURCE_FIELDS, convert_result_item

PAPER = {
    "title": "A title",
    "url": "https://doi.org/10.5555/1",
    "source": "openalex",
    "doi": "10.5555/1",
    "authors": ["Ada Lovelace", "Alan Turing", "and 12 others"],
    "journal": "A Journal",
    "year": 2020,
    "abstract": "Words.",
    "citationCount": 3,
    "kind": "article-journal",
    "publishedAt": "2020-05-01",
    "ids": {"pmid": "1"},
    "retractionStatus": {"retracted": True, "kind": "retraction"},
}


def test_a_paper_gives_its_fields_and_nothing_else() -> None:
    source = convert_result_item(PAPER)

    assert source == {
        "title": "A title",
        "url": "https://doi.org/10.5555/1",
        "doi": "10.5555/1",
        "author": ["Ada Lovelace", "Alan Turing"],
        "site": "A Journal",
        "date": "2020-05-01",
        "kind": "article-journal",
    }


def test_a_source_in_our_own_fields_stays_as_it_is() -> None:
    source = {"url": "https://example.org", "author": "Ada Lovelace", "volume": "3", "kind": "book"}

    assert convert_result_item(source) == source


@pytest.mark.parametrize("key", ["tittle", "rank", "DOI", "Source"])
def test_a_key_that_no_tool_returns_stays_to_be_named(key: str) -> None:
    assert key in convert_result_item(PAPER | {key: "x"})


def test_a_registrys_own_word_for_the_kind_is_left_out() -> None:
    assert "kind" not in convert_result_item(PAPER | {"kind": "posted-content"})


def test_a_kind_of_the_callers_own_stays_to_be_judged() -> None:
    source = {"url": "https://example.org", "authors": ["Ada Lovelace"], "kind": "novel"}

    assert convert_result_item(source)["kind"] == "novel"


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        ({"caseName": "Roe v. Wade", "citation": "Roe v. Wade, 410 U.S. 113 (1973)", "court": "Supreme Court", "dateFiled": "1973-01-22"},
         {"title": "Roe v. Wade, 410 U.S. 113 (1973)", "kind": "legal_case", "date": "1973-01-22"}),
        ({"caseName": "A v. B", "court": "D. Mass."}, {"title": "A v. B", "kind": "legal_case", "authority": "D. Mass."}),
        ({"title": "Battery", "number": "US1234567B2", "inventor": "Ada Lovelace", "granted": "2020-01-01", "kind": "granted patent"},
         {"title": "Battery", "number": "US1234567B2", "author": "Ada Lovelace", "date": "2020-01-01", "kind": "patent"}),
        ({"nctId": "NCT04280705", "title": "A trial", "sponsor": "NIAID", "startDate": "2020-02"},
         {"title": "A trial", "author": "NIAID", "date": "2020-02", "kind": "report", "site": "ClinicalTrials.gov",
          "number": "ClinicalTrials.gov identifier NCT04280705", "publisher": "U.S. National Library of Medicine"}),
        ({"title": "News", "source": "The Paper", "snippet": "…", "publishedAt": "2026-01-02T03:04:05Z"},
         {"title": "News", "site": "The Paper", "date": "2026-01-02T03:04:05Z"}),
        ({"name": "A café", "website": "https://cafe.example.org", "lat": 1.0}, {"title": "A café", "url": "https://cafe.example.org"}),
        ({"title": "A picture", "link": "https://example.org/a.png", "contextLink": "https://example.org/page"},
         {"title": "A picture", "url": "https://example.org/page"}),
        ({"url": "https://example.org", "content": "…", "citation": {"url": "https://example.org", "metadata": {"title": "T", "author": "A. B.", "site": "S", "date": "2020"}}},
         {"url": "https://example.org", "title": "T", "author": "A. B.", "site": "S", "date": "2020"}),
    ],
)  # fmt: skip
def test_records_of_other_tools_give_the_fields_of_a_source(
    item: dict[str, Any], wanted: dict[str, Any]
) -> None:
    assert convert_result_item(item) == wanted
    assert set(wanted) <= set(SOURCE_FIELDS)


def test_authors_may_be_objects_and_empty_ones_are_left_out() -> None:
    people = [{"name": "Ada Lovelace"}, {"family": "Turing", "given": "Alan"}, {"literal": "WHO"}, None, "", {}]  # fmt: skip

    source = convert_result_item({"title": "T", "authors": people})

    assert source["author"] == ["Ada Lovelace", "Turing, Alan", "{WHO}"]


@pytest.mark.parametrize(
    "item", [{}, {"citation": {"metadata": 3}}, {"authors": None}, {"authors": [None, 3]}, {"year": []}]
)  # fmt: skip
def test_damaged_items_raise_nothing(item: dict[str, Any]) -> None:
    assert isinstance(convert_result_item(item), dict)
