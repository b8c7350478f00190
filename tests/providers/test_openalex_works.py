"""The free copies that OpenAlex lists: which is a PDF, and which address is read."""

from __future__ import annotations

from typing import Any

from citewell.core.values.paper import Paper
from tests.providers.scholarly import DOI, Session

LANDING = {"is_oa": True, "landing_page_url": "https://repository.example.org/1"}
PDF = {
    "is_oa": True,
    "landing_page_url": "https://journal.example.org/2",
    "pdf_url": "https://journal.example.org/2.pdf",
}


def paper(**more: Any) -> Paper:
    work = {"id": "https://openalex.org/W2100000001", "doi": DOI.value, "title": "A title"}
    return Session("openalex", work | more).ask("look_up_paper", DOI)


def test_a_copy_with_the_address_of_a_pdf_is_read_there_and_another_at_its_page() -> None:
    found = paper(locations=[LANDING, PDF])

    assert [(copy.url, copy.pdf) for copy in found.copies] == [
        ("https://repository.example.org/1", False),
        ("https://journal.example.org/2.pdf", True),
    ]


def test_the_pdf_of_a_paper_is_the_first_copy_that_is_one() -> None:
    assert paper(locations=[LANDING, PDF]).pdf_url == "https://journal.example.org/2.pdf"
    assert paper(locations=[LANDING]).pdf_url is None


def test_a_place_that_is_not_free_or_has_no_address_is_no_copy() -> None:
    found = paper(best_oa_location={"is_oa": True}, locations=[PDF | {"is_oa": False}])

    assert (found.copies, found.pdf_url) == ((), None)
