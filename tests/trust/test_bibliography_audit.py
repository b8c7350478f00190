"""Entries as clients send them, made into references."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.citations.references.reference_fields import BibliographyDocument
from citewell.core.errors import InvalidInput
from citewell.links.link_checks import LinkState
from citewell.trust import bibliography_audit
from tests.internet.papers import register
from tests.trust.desk import Desk

ODD = next(work for work in register().works if "<" in work.doi)


def audited(*entries: dict[str, Any], desk: Desk | None = None) -> dict[str, Any]:
    return asyncio.run(
        (desk or Desk())
        .audit()
        .audit_bibliography(bibliography_audit.build_entries_request(entries))
    ).to_wire()


def test_authors_may_come_as_a_list_of_names() -> None:
    request = bibliography_audit.build_entries_request(
        [{"title": "A", "author": ["Ada Lovelace", "", "Byron, George"]}]
    )

    assert [author.family for author in request.references[0].authors] == ["Lovelace", "Byron"]


@pytest.mark.parametrize(
    ("name", "value"), [("title", ["a"]), ("doi", {"value": "10.1000/x"}), ("url", ["x"])]
)
def test_what_is_no_text_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"The {name} of entry 2 must be text"):
        bibliography_audit.build_entries_request([{}, {name: value}])


def test_a_doi_with_marks_that_end_most_is_not_said_to_be_nobodys() -> None:
    [entry] = audited({"title": ODD.title, "doi": ODD.doi})["entries"]

    assert entry["exists"] is True
    assert entry["flags"] == []


def test_an_address_that_may_not_be_asked_for_says_so() -> None:
    refused = LinkState(state="unchecked", reason="refused")
    desk = Desk(links={"http://10.0.0.1/a": refused})

    [entry] = audited({"url": "http://10.0.0.1/a"}, desk=desk)["entries"]

    assert entry["flags"] == ["unchecked"]
    assert "not public" in entry["reason"]
    assert "linkLive" not in entry


def test_a_document_without_references_says_that_none_was_found() -> None:
    request = bibliography_audit.build_document_request(
        BibliographyDocument(format="csl-json", references=())
    )

    summary = asyncio.run(Desk().audit().audit_bibliography(request)).to_wire()["summary"]

    assert summary["total"] == 0
    assert summary["warning"] == "No reference was found."


def test_fields_may_be_named_as_the_search_tool_names_them() -> None:
    request = bibliography_audit.build_entries_request(
        [{"title": "A", "authors": ["Ada Lovelace"], "year": 1843}]
    )

    assert (request.references[0].year, request.references[0].authors[0].family) == (
        1843,
        "Lovelace",
    )
