"""Books by ISBN and by title."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput, MalformedResponse
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, PaperId
from tests.providers.scholarly import Session

ISBN = PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848")


OTHER = PaperId(scheme=IdentifierScheme.ISBN, value="9780131103627")


DOI = PaperId(scheme=IdentifierScheme.DOI, value="10.50505/example.1")


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


def test_each_takes_its_own_identifiers_only() -> None:
    with pytest.raises(InvalidInput):
        Session("openlibrary", {}).ask("look_up_paper", DOI)
    with pytest.raises(InvalidInput):
        Session("rfceditor", {}).ask("look_up_paper", DOI)
