"""The loopback world's register of scholarly works: every API double answers out of it.

Who wrote what, where and when, and what was later said of it, are facts about real works; works
under the test prefix 10.50505 stand in where a shape needs an example. Abstracts, who cites whom,
what is open and the ids below are the world's own.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tests.internet.index import Index
from tests.internet.world import Page, World

WORKS = Path(__file__).parent / "works.json"
HOST = "papers.example.org"
# What a double states of itself, so that nobody need be slow for its sake.
UNHURRIED = {
    "x-rate-limit-limit": "1000",
    "x-rate-limit-interval": "1s",
    "x-concurrency-limit": "1000",
}

Author = tuple[str, str] | str  # given and family name, or an organisation


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """A notice about a work: kind is one of Notice's values, label the registry's own word."""

    kind: str
    label: str
    source: str  # retraction-watch or publisher
    date: str | None = None
    notice: str | None = None  # DOI


@dataclass(frozen=True, kw_only=True)
class Work:
    doi: str  # as registered; compare in lower case
    title: str
    authors: tuple[Author, ...] = ()
    year: int | None = None
    month: int | None = None
    day: int | None = None
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    kind: str = "article-journal"  # CSL's word
    agency: str = "crossref"  # or datacite: who registered the DOI
    language: str = "en"
    subtitle: str = ""
    isbn: tuple[str, ...] = ()
    title_prefix: str = ""  # what publishers put before the title of a retracted article
    marked_title: str = ""  # with <i>, <sub>… where the registry has them
    preprint_of: str | None = None
    ids: dict[str, str] = field(
        default_factory=dict, hash=False
    )  # pmid, pmcid, arxiv, openalex, s2
    events: tuple[Happening, ...] = ()

    @property
    def key(self) -> str:
        return self.doi.lower()

    @property
    def number(self) -> int:
        """Stable and arbitrary: whatever the world makes up for a work comes from it."""
        return zlib.crc32(self.key.encode())

    @property
    def openalex(self) -> str:
        return self.ids.get("openalex") or f"W{4_000_000_000 + self.number}"

    @property
    def s2(self) -> str:
        return self.ids.get("s2") or hashlib.sha1(self.key.encode()).hexdigest()

    @property
    def registered_title(self) -> str:
        """The title as the publisher has it deposited now."""
        return self.title_prefix + (self.marked_title or self.title)

    @property
    def date(self) -> str | None:
        """ISO 8601 as far as it is known."""
        if self.year is None:
            return None
        parts = [f"{self.year:04d}", *(f"{part:02d}" for part in self._rest)]
        return "-".join(parts)

    @property
    def date_parts(self) -> list[int] | None:
        return None if self.year is None else [self.year, *self._rest]

    @property
    def _rest(self) -> list[int]:
        return [part for part in (self.month, self.day if self.month else None) if part]

    @property
    def names(self) -> tuple[str, ...]:
        """The authors in one piece each, first name first."""
        return tuple(
            author if isinstance(author, str) else " ".join(part for part in author if part)
            for author in self.authors
        )

    @property
    def abstract(self) -> str | None:
        """A neutral sentence of our own; every fifth work has none."""
        if self.number % 5 == 0:
            return None
        return f"A placeholder abstract. The work it stands for is called “{self.title}”."

    @property
    def open(self) -> str:
        """gold, green or closed."""
        if "arxiv" in self.ids:
            return "green"
        return ("gold", "closed", "closed")[self.number % 3]

    @property
    def retracted(self) -> bool:
        """Whether the last word on it is a retraction."""
        kinds = [event.kind for event in self.events]
        return "retraction" in kinds and "reinstatement" not in kinds

    @property
    def slug(self) -> str:
        return f"{self.number:08x}"


class Register:
    """Works to look up, search, and follow along their citations."""

    def __init__(self, works: Iterable[Work]) -> None:
        self.works = tuple(works)
        self._by_doi = {work.key: work for work in self.works}
        self._places = {work.key: place for place, work in enumerate(self.works)}
        self._by_id = {
            (scheme, value.lower()): work
            for work in self.works
            for scheme, value in (work.ids | {"openalex": work.openalex, "s2": work.s2}).items()
        }

    def by_doi(self, doi: str) -> Work | None:
        return self._by_doi.get(doi.lower())

    def by_id(self, scheme: str, value: str) -> Work | None:
        """By doi, pmid, pmcid, arxiv, openalex or s2."""
        return self.by_doi(value) if scheme == "doi" else self._by_id.get((scheme, value.lower()))

    def search(
        self,
        text: str,
        *,
        year_from: int | None = None,
        year_to: int | None = None,
        agency: str | None = None,
        open_only: bool = False,
    ) -> list[Work]:
        """Every work that shares words of title, authors or venue with the text, best first."""
        ranked = (self.works[place] for place in self._index.rank(text))
        return [
            work
            for work in ranked
            if (year_from is None or (work.year is not None and work.year >= year_from))
            and (year_to is None or (work.year is not None and work.year <= year_to))
            and (agency is None or work.agency == agency)
            and (not open_only or work.open != "closed")
        ]

    def list_cited_papers(self, work: Work) -> tuple[Work, ...]:
        """What the work cites: up to three works that are no younger."""
        here, count = self._places[work.key], len(self.works)
        places = ((here * step + step) % count for step in (7, 11, 13))
        others = (self.works[place] for place in places if place != here)
        return tuple(dict.fromkeys(o for o in others if (o.year or 0) <= (work.year or 0)))

    def list_citing_papers(self, work: Work) -> tuple[Work, ...]:
        return self._citing.get(work.key, ())

    @cached_property
    def _index(self) -> Index:
        return Index((work.title, f"{' '.join(work.names)} {work.venue}") for work in self.works)

    @cached_property
    def _citing(self) -> dict[str, tuple[Work, ...]]:
        found: dict[str, tuple[Work, ...]] = {}
        for work in self.works:
            for other in self.list_cited_papers(work):
                found[other.key] = (*found.get(other.key, ()), work)
        return found


@cache
def register() -> Register:
    """The works of works.json."""
    return Register(_read(entry) for entry in json.loads(WORKS.read_text(encoding="utf-8")))


def of(world: World) -> Register:
    """The register of one world; `add` changes it until that world's reset."""
    known: Register = world.state.setdefault("papers", register())
    return known


def add(world: World, *works: Work) -> None:
    world.state["papers"] = Register((*of(world).works, *works))


def address(world: World, work: Work) -> str:
    """Where the work can be read, once `world.add(page(work))` has put it there."""
    return world.address(HOST, f"full/{work.slug}")


def page(work: Work) -> Page:
    """The work's full text, in words of our own."""
    year, venue = work.year or "an unknown year", work.venue or "no journal"
    text = f"""{work.abstract or "No abstract was written."}

## Methods

The placeholder text of this section says how the study was done, step by step, in a few plain
sentences that nobody needs to read twice.

## Results

The study reached its results in {year}. They were published in {venue}, and this sentence says so.
"""
    return Page(host=HOST, path=f"full/{work.slug}", title=work.title, markdown=text)


def _read(entry: dict[str, Any]) -> Work:
    authors = tuple(tuple(a) if isinstance(a, list) else a for a in entry.pop("authors", ()))
    events = tuple(Happening(**event) for event in entry.pop("events", ()))
    isbn = tuple(entry.pop("isbn", ()))
    return Work(authors=authors, events=events, isbn=isbn, **entry)
