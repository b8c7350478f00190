"""Open Library, Crossref's books and the RFC Editor: what each is asked and what its record says."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.errors import InvalidInput, MalformedResponse
from citewell.model.paper import BibliographicQuery, IdentifierScheme, PaperId
from tests.unit.providers.asking import Reply
from tests.unit.providers.scholarly import Session

ISBN = PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848")
OTHER = PaperId(scheme=IdentifierScheme.ISBN, value="9780131103627")
DOI = PaperId(scheme=IdentifierScheme.DOI, value="10.50505/example.1")


def rfc(number: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme.RFC, value=number)


def works(*items: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": "ok",
        "message-type": "work-list",
        "message": {"total-results": len(items), "items": list(items)},
    }


def test_many_isbns_are_asked_for_in_one_request() -> None:
    book = {"title": "Introduction to algorithms", "authors": [{"name": "Thomas H. Cormen"}]}
    session = Session("openlibrary", {f"ISBN:{ISBN.value}": book})

    found = session.ask("look_up_papers", [ISBN, OTHER])

    assert session.params["bibkeys"] == f"ISBN:{ISBN.value},ISBN:{OTHER.value}"
    assert found[ISBN].title == "Introduction to algorithms"
    assert found[ISBN].kind == "book"
    assert found[OTHER] is None


@pytest.mark.parametrize(
    "answer",
    [{"ISBN:9780262033848": {"authors": []}}, {"OLID:1": {"title": "Another"}}, [], "busy"],
)
def test_a_book_that_cannot_be_read_is_an_error_and_not_absent(answer: Any) -> None:
    with pytest.raises(MalformedResponse):
        Session("openlibrary", answer).ask("look_up_paper", ISBN)


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("Design Patterns: Elements of Reusable Object-Oriented Software", "Design Patterns"),
        ("Dune: the graphic novel", "Dune: the graphic novel"),
        ("The C programming language", "The C programming language"),
    ],
)
def test_a_book_is_searched_by_its_main_title(title: str, asked: str) -> None:
    session = Session("openlibrary", {"numFound": 0, "docs": []})

    assert session.ask("match_reference", BibliographicQuery(title=title, author="Gamma")) == ()
    assert (session.params["title"], session.params["author"]) == (asked, "Gamma")


def test_a_chapter_is_not_taken_for_the_book_with_its_isbn() -> None:
    chapter = {
        "DOI": "10.50505/book.ch1",
        "type": "book-chapter",
        "title": ["One"],
        "ISBN": [ISBN.value],
    }
    book = {
        "DOI": "10.50505/book",
        "type": "monograph",
        "title": ["Algorithms"],
        "ISBN": ["0-262-03384-4"],
    }
    session = Session("crossref", works(chapter, book))

    found = session.ask("look_up_paper", ISBN)

    assert session.params["filter"] == f"isbn:{ISBN.value}"
    assert (found.title, found.doi, found.ids[IdentifierScheme.ISBN]) == ("Algorithms", "10.50505/book", ISBN.value)  # fmt: skip


def test_a_book_is_known_by_its_chapters_alone() -> None:
    chapter = {
        "DOI": "10.50505/book.ch1",
        "type": "book-chapter",
        "title": ["One"],
        "author": [{"family": "Other", "given": "An"}],
        "container-title": ["A Series", "A Book of Chapters"],
        "ISBN": [f"http://id.crossref.org/isbn/{ISBN.value}"],
        "issued": {"date-parts": [[2009]]},
    }

    found = Session("crossref", works(chapter)).ask("look_up_paper", ISBN)

    assert (found.title, found.kind, found.authors, found.doi) == ("A Book of Chapters", "book", (), None)  # fmt: skip


def test_an_isbn_that_crossref_does_not_have_is_absent() -> None:
    assert Session("crossref", works()).ask("look_up_paper", ISBN) is None


def test_an_rfc_is_read_with_its_doi() -> None:
    record = {
        "doc_id": "RFC0793",
        "title": "Transmission Control Protocol",
        "authors": ["J. Postel", "Internet Architecture Board"],
        "pub_date": "September 1981",
        "doi": "10.17487/RFC0793",
    }
    session = Session("rfceditor", record)

    found = session.ask("look_up_paper", rfc("793"))

    assert session.sent[-1].url.endswith("/rfc/rfc793.json")
    assert (found.title, found.year, found.doi, found.kind) == ("Transmission Control Protocol", 1981, "10.17487/rfc0793", "standard")  # fmt: skip
    assert [one.organisation for one in found.authors] == [False, True]


@pytest.mark.parametrize(
    "record", [{"doc_id": "RFC0794", "title": "Pre-emption"}, {"doc_id": "RFC0793", "title": " "}, {"doc_id": "RFC0793"}]
)  # fmt: skip
def test_the_record_of_another_rfc_or_of_none_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(MalformedResponse):
        Session("rfceditor", record).ask("look_up_paper", rfc("793"))


def test_an_rfc_that_was_never_issued_is_absent() -> None:
    assert (
        Session("rfceditor", Reply(status=404, body="")).ask("look_up_paper", rfc("99999")) is None
    )


@pytest.mark.parametrize("number", ["../../etc", "", "123456", "١٢"])
def test_only_a_number_is_asked_of_the_rfc_editor(number: str) -> None:
    with pytest.raises(InvalidInput):
        Session("rfceditor", {}).ask("look_up_paper", rfc(number))


def test_each_takes_its_own_identifiers_only() -> None:
    with pytest.raises(InvalidInput):
        Session("openlibrary", {}).ask("look_up_paper", DOI)
    with pytest.raises(InvalidInput):
        Session("rfceditor", {}).ask("look_up_paper", DOI)
