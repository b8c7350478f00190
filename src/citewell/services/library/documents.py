"""Files and pages as documents of the library, and what is remembered to know them again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from citewell.model.page import Page
from citewell.services.library import language, names
from citewell.services.library.files import Body, Text
from citewell.store.library_rows import Card, Document
from citewell.text import urls
from citewell.text.dates import read_date
from citewell.text.markup import clean

_READER = "1"  # raised when files are read in a better way, and so have to be read anew
_TITLE = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What tells whether a document that is there already has changed."""

    stamp: str  # of a file: size and time
    digest: str
    tags: frozenset[str]
    seen: float  # when it was last read, in seconds since the epoch

    @classmethod
    def of(cls, card: Card) -> Known:
        extra = card.extra
        return cls(
            stamp=extra.get("stamp", ""),
            digest=extra.get("digest", ""),
            tags=frozenset(card.tags),
            seen=float(extra.get("seen") or card.added),
        )


def stamp(size: int, modified: int) -> str:
    """Changes with the file; modified is in nanoseconds."""
    return f"{_READER}:{size}:{modified}"


def same_reader(known: Known) -> bool:
    """Whether the file was read as it would be read today."""
    return known.stamp.startswith(f"{_READER}:")


def of_file(path: Path, body: Body, read: Text, tags: Iterable[str]) -> Document:
    facts = {
        "path": str(path),
        "stamp": stamp(body.size, body.modified),
        "digest": body.digest,
        "author": read.author,
        "pages": read.pages,
        "date": read.published,
    }
    card = Card(
        id=names.of_file(path),
        title=_title(read.title) or path.name,
        kind=read.kind,
        tags=joined(tags),
        language=read.language or language.guess(read.text),
        published=_moment(read.published),
        extra=_extra(facts),
    )
    return Document(card=card, text=read.text)


def of_page(page: Page, tags: Iterable[str], *, seen: float) -> Document:
    """A page as it was read, under its own address."""
    facts = {
        "digest": hashlib.sha256(page.content.encode("utf-8", "surrogatepass")).hexdigest(),
        "seen": f"{seen:.0f}",
        "author": page.author,
        "publisher": page.site,
        "pages": page.page_count,
        "date": page.published,
    }
    card = Card(
        id=names.of_address(page.url),
        title=_title(page.title) or urls.display(page.final_url),
        url=urls.clean(page.final_url),
        site=urls.display(page.final_url),
        kind=page.content_type,
        tags=joined(tags),
        language=page.language or language.guess(page.content),
        published=_moment(page.published),
        extra=_extra(facts),
    )
    return Document(card=card, text=page.content)


def joined(tags: Iterable[str]) -> tuple[str, ...]:
    """Each tag once, in an order that does not depend on when it was given."""
    return tuple(sorted({one for tag in tags if (one := " ".join(tag.lower().split()))}))


def citation(card: Card) -> str:
    """Where a document can be cited: its address, or its name in the library; never a path."""
    return card.url or card.id


def place(card: Card) -> str:
    """Where it came from, for the eyes of its owner on the command line only."""
    return card.extra.get("path") or card.url


def _title(text: str) -> str:
    return clean(text)[:_TITLE]


def _extra(facts: dict[str, str | int | None]) -> dict[str, str]:
    return {name: str(value) for name, value in facts.items() if value}


def _moment(stated: str | None) -> float | None:
    """Seconds since the epoch; a year or a month alone counts as its first day."""
    text = (stated or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    found = read_date(padded, now=datetime.now(UTC)) if padded else None
    return found.timestamp() if found is not None else None
