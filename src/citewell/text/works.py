"""What is known of a source that is to be cited."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text import urls
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
