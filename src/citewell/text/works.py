"""What is known of a source that is to be cited."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.model.paper import Paper, Person
from citewell.text import urls
from citewell.text.markup import clean
from citewell.text.names import Author

PERIODICALS = frozenset({"article-journal", "article-magazine", "article-newspaper", "review"})
PARTS = frozenset({"chapter", "paper-conference", "entry-encyclopedia", "entry-dictionary"})
WEB = frozenset({"", "webpage", "post-weblog", "post"})
_ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """`published` is ISO 8601 and may stop at the year or month; `kind` is CSL's word, empty for a page."""

    url: str
    title: str = ""
    authors: tuple[Author, ...] = ()
    site: str = ""  # what it appeared in: a site, a journal, the book of a chapter
    published: str = ""
    doi: str = ""
    kind: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    edition: str = ""
    editors: tuple[Author, ...] = ()
    language: str = ""  # of the title; titles are recased only where it is known to be English

    @property
    def on_the_web(self) -> bool:
        return self.kind in WEB

    @property
    def within(self) -> str:
        """What it appeared in; for a page, its host where nothing better is known."""
        return self.site or (urls.display(self.url) if self.on_the_web else "")

    @property
    def link(self) -> str:
        """The DOI's address before any other, for what has one and is no page."""
        return f"https://doi.org/{self.doi}" if self.doi and not self.on_the_web else self.url

    @property
    def date(self) -> tuple[str, int, int]:
        """Year, month and day; empty or 0 for what is not known."""
        match = _ISO.match(self.published)
        if match is None:
            return "", 0, 0
        month = int(match[2] or 0)
        return match[1], month if month <= 12 else 0, int(match[3] or 0)


def people(text: str | None) -> tuple[Author, ...]:
    """Authors out of one line, parted by semicolons, "and", or commas between full names."""
    if not text:
        return ()
    names: list[str] = []
    for part in re.split(r"\s*;\s*|\s+and\s+|\s+&\s+", text.strip()):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        several = len(pieces) > 1 and all(" " in piece for piece in pieces)
        names.extend(pieces if several else [part.strip(" ,")] if part.strip(" ,") else [])
    return tuple(Author(name=name) for name in names)


def of_paper(paper: Paper) -> Work:
    """A work as the registries have it."""
    doi, venue, publisher = paper.doi or "", clean(paper.venue), clean(paper.publisher)
    return Work(
        url=f"https://doi.org/{doi}" if doi else paper.url,
        title=clean(paper.title),
        authors=tuple(map(_author, paper.authors)),
        site=venue,
        published=paper.published or (str(paper.year) if paper.year else ""),
        doi=doi,
        kind=paper.kind or ("article-journal" if paper.venue else "article"),
        volume=paper.volume or "",
        issue=paper.issue or "",
        pages=paper.pages or "",
        publisher="" if publisher.casefold() == venue.casefold() else publisher,
        language=paper.language or "",
    )


def _author(person: Person) -> Author:
    if person.organisation or not person.family:
        return Author(name=person.name, organisation=person.organisation)
    return Author.parted(family=person.family, given=person.given, suffix=person.suffix)
