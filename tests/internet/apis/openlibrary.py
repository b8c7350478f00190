"""Open Library's books by ISBN and its search, over the register's books and some without a DOI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/openlibrary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A book and its editions: the ISBN of each with its year."""

    title: str
    authors: tuple[str, ...]
    publisher: str
    editions: dict[str, int]
    subtitle: str = ""

    @property
    def first_year(self) -> int:
        return min(self.editions.values())


BOOKS = (
    Book(
        title="Introduction to algorithms",
        authors=("Thomas H. Cormen", "Charles E. Leiserson", "Ronald L. Rivest", "Clifford Stein"),
        publisher="MIT Press",
        editions={"9780262031417": 1990, "9780262032933": 2001, "9780262033848": 2009},
    ),
    Book(
        title="Design patterns",
        subtitle="elements of reusable object-oriented software",
        authors=("Erich Gamma", "Richard Helm", "Ralph Johnson", "John Vlissides"),
        publisher="Addison-Wesley",
        editions={"9780201633610": 1995},
    ),
    Book(
        title="The C programming language",
        authors=("Brian W. Kernighan", "Dennis M. Ritchie"),
        publisher="Prentice Hall",
        editions={"9780131101630": 1978, "9780131103627": 1988},
    ),
)


def routes(world: World) -> list[Route]:
    async def by_key(request: Request) -> Response:
        keys = [key for key in request.query_params.get("bibkeys", "").split(",") if key]
        known = {
            key: _edition(book, key.removeprefix("ISBN:"))
            for key in keys
            if (book := find_book(world, key.removeprefix("ISBN:"))) is not None
        }
        return JSONResponse(known, headers=UNHURRIED)

    async def search(request: Request) -> Response:
        asked = request.query_params
        words = f"{asked.get('title', '')} {asked.get('q', '')}".lower().split()
        author = asked.get("author", "").lower()
        found = [
            book
            for book in list_books(world)
            if words
            and set(words) <= set(f"{book.title} {book.subtitle}".lower().split())
            and author in " ".join(book.authors).lower()
        ]
        docs = [_work(book) for book in found[: int(asked.get("limit", "10"))]]
        answer = {"numFound": len(found), "num_found": len(found), "start": 0, "docs": docs}
        return JSONResponse(answer, headers=UNHURRIED)

    return [Route(f"{PREFIX}/api/books", by_key), Route(f"{PREFIX}/search.json", search)]


def list_books(world: World) -> tuple[Book, ...]:
    registered = (
        Book(
            title=work.title,
            subtitle=work.subtitle,
            authors=work.names,
            publisher=work.publisher,
            editions=dict.fromkeys(work.isbn, work.year or 0),
        )
        for work in papers.of(world).works
        if work.kind == "book" and work.isbn
    )
    return (*BOOKS, *registered)


def find_book(world: World, isbn: str) -> Book | None:
    return next((book for book in list_books(world) if isbn in book.editions), None)


def _edition(book: Book, isbn: str) -> dict[str, Any]:
    number = int(isbn) % 10_000_000
    return {
        "url": f"https://openlibrary.org/books/OL{number}M",
        "key": f"/books/OL{number}M",
        "title": book.title,
        **({"subtitle": book.subtitle} if book.subtitle else {}),
        "authors": [{"name": name} for name in book.authors],
        "identifiers": {"isbn_13": [isbn]},
        "publishers": [{"name": book.publisher}],
        "publish_date": str(book.editions[isbn]),
    }


def _work(book: Book) -> dict[str, Any]:
    return {
        "key": f"/works/OL{int(min(book.editions)) % 10_000_000}W",
        "title": book.title,
        **({"subtitle": book.subtitle} if book.subtitle else {}),
        "author_name": list(book.authors),
        "first_publish_year": book.first_year,
        "publisher": [book.publisher],
    }
