"""What several registries say of one work, made one: field by field the best value, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any

from citewell.model.paper import Copy, Event, Paper, Person, Scheme
from citewell.services.scholar import likeness
from citewell.text import titles
from citewell.text.markup import clean

# Who is believed first. Whoever is not named comes after those who are, in the order asked.
_REGISTRIES = (
    "crossref", "datacite", "pubmed", "doi", "europepmc", "openalex", "arxiv",
    "semanticscholar", "core", "exa",
)  # fmt: skip
_COUNTS = ("openalex", "semanticscholar", "crossref", "europepmc")
_ACCESS = ("unpaywall", "openalex", "semanticscholar", "europepmc", "core", "arxiv")
_ORDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "citation_count": _COUNTS,
        "reference_count": _COUNTS,
        "open_access": _ACCESS,
        "pdf_url": _ACCESS,
        "in_doaj": ("openalex",),
        "tldr": ("semanticscholar",),
        "language": ("openalex", *_REGISTRIES),
    }
)
_SINGLE = (
    "kind", "venue", "volume", "issue", "pages", "publisher", "language", "citation_count",
    "reference_count", "open_access", "in_doaj", "pdf_url", "tldr", "preprint_of",
)  # fmt: skip
_LONGEST = 8000  # characters; a longer abstract is a text that strayed into the field
_WORDY = 2  # telling words; shorter titles, such as Editorial, are borne by many works
_MOST = 0.8  # of the longest list of authors, for a list with parted names to be preferred
_PREPRINT = "article"  # CSL's word for what no journal has taken yet


@dataclass(slots=True)
class _Work:
    """The records that are of one work, in the order they came."""

    papers: list[Paper] = field(default_factory=list)

    @property
    def doi(self) -> str | None:
        return next((paper.doi for paper in self.papers if paper.doi), None)

    def takes(self, paper: Paper) -> bool:
        if self.doi and paper.doi:
            return False  # another's, or the lookup by DOI had found it
        return any(_same(one, paper) for one in self.papers)


def merged(papers: Iterable[Paper]) -> tuple[Paper, ...]:
    """Each work once, in the order of its first record; works with different DOIs stay apart."""
    works: list[_Work] = []
    for paper in papers:
        registered = (work for work in works if paper.doi and work.doi == paper.doi)
        alike = (work for work in works if work.takes(paper))
        work = next(chain(registered, alike), None)
        if work is None:
            works.append(_Work([paper]))
        else:
            work.papers.append(paper)
    return tuple(one(work.papers) for work in works)


def one(records: Sequence[Paper]) -> Paper:
    """One work out of its records, which the caller knows to be of the same work."""
    first = records[0]
    if len(records) == 1:
        return first.with_(title=clean(first.title))
    chosen = {name: _first(records, name) for name in _SINGLE}
    chosen |= {name: choose(records) for name, choose in _CHOICES.items()}
    values = {name: getattr(paper, name) for name, paper in chosen.items() if paper is not None}
    names = {name: _who(paper, name) for name, paper in chosen.items() if paper is not None}
    values["title"] = clean(values["title"])
    return first.with_(
        **values,
        **_dated(records, names),
        url=_address(records),
        ids=_ids(records),
        copies=_united(paper.copies for paper in records),
        intents=_united(paper.intents for paper in records),
        events=_united(paper.events for paper in records),
        provenance=names,
    )


def _same(one: Paper, other: Paper) -> bool:
    """By an identifier other than the DOI, or by title, year and first author."""
    if any(one.ids.get(scheme) == value for scheme, value in other.ids.items()):
        return True
    if not titles.same(one.title, other.title) or not _same_year(one, other):
        return False
    agree = likeness.same_lead(one.authors, other.authors)
    if len(titles.telling(one.title)) < _WORDY:
        return bool(agree) and _same_venue(one, other)
    return agree is not False


def _same_year(one: Paper, other: Paper) -> bool:
    if one.year is None or other.year is None:
        return True
    return abs(one.year - other.year) <= (1 if _is_preprint(one) or _is_preprint(other) else 0)


def _same_venue(one: Paper, other: Paper) -> bool:
    return not one.venue or not other.venue or titles.same(one.venue, other.venue)


def _is_preprint(paper: Paper) -> bool:
    bare = paper.doi is None and Scheme.ARXIV in paper.ids
    return bare or paper.kind == _PREPRINT or paper.preprint_of is not None


def _who(paper: Paper, name: str) -> str:
    return paper.provenance.get(name, paper.source)


def _ranked(records: Sequence[Paper], name: str) -> list[Paper]:
    order = _ORDERS.get(name, _REGISTRIES)
    place = {provider: at for at, provider in enumerate(order)}
    return sorted(records, key=lambda paper: place.get(_who(paper, name), len(order)))


def _first(records: Sequence[Paper], name: str) -> Paper | None:
    known = (paper for paper in _ranked(records, name) if getattr(paper, name) not in (None, ""))
    return next(known, None)


def _title(records: Sequence[Paper]) -> Paper:
    """The registry's own, unless it shouts."""
    ranked = [paper for paper in _ranked(records, "title") if clean(paper.title)] or list(records)
    return next((paper for paper in ranked if not paper.title.isupper()), ranked[0])


def _authors(records: Sequence[Paper]) -> Paper | None:
    """The longest list, or one nearly as long in which the registry itself parts the names."""
    ranked = [paper for paper in _ranked(records, "authors") if paper.authors]
    if not ranked:
        return None
    most = max(len(paper.authors) for paper in ranked)
    long = [paper for paper in ranked if len(paper.authors) >= _MOST * most]
    return max(long, key=lambda paper: (_parted(paper.authors), len(paper.authors)))


def _parted(authors: Sequence[Person]) -> bool:
    return all(person.family or person.organisation for person in authors)


def _abstract(records: Sequence[Paper]) -> Paper | None:
    given = [paper for paper in _ranked(records, "abstract") if paper.abstract]
    sound = [paper for paper in given if len(paper.abstract or "") <= _LONGEST]
    if sound:
        return max(sound, key=lambda paper: len(paper.abstract or ""))
    return min(given, key=lambda paper: len(paper.abstract or ""), default=None)


def _influential(records: Sequence[Paper]) -> Paper | None:
    told = [paper for paper in records if paper.influential is not None]
    return next((paper for paper in told if paper.influential), told[0] if told else None)


_CHOICES: Mapping[str, Callable[[Sequence[Paper]], Paper | None]] = MappingProxyType(
    {
        "title": _title,
        "authors": _authors,
        "abstract": _abstract,
        "influential": _influential,
    }
)


def _dated(records: Sequence[Paper], names: dict[str, str]) -> dict[str, Any]:
    """The best registry's year, and the most exact date that falls in it."""
    year = _first(records, "year")
    dates = [paper for paper in _ranked(records, "published") if paper.published]
    fitting = [paper for paper in dates if year is None or _begins(paper.published, year.year)]
    exact = max(fitting, key=lambda paper: len(paper.published or ""), default=None)
    found = {"year": year, "published": exact}
    names.update({name: _who(paper, name) for name, paper in found.items() if paper})
    return {
        "year": year.year if year else None,
        "published": exact.published if exact else None,
    }


def _begins(published: str | None, year: int | None) -> bool:
    return published is not None and published.startswith(str(year))


def _address(records: Sequence[Paper]) -> str:
    """The DOI's where there is one: it outlives every landing page."""
    registered = [paper.url for paper in records if paper.url and paper.doi]
    return next(iter([*registered, *(paper.url for paper in records if paper.url)]), "")


def _ids(records: Sequence[Paper]) -> dict[Scheme, str]:
    found: dict[Scheme, str] = {}
    for paper in _ranked(records, "ids"):
        found = {**paper.ids, **found}
    return found


def _united(parts: Iterable[tuple[Copy | Event | str, ...]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))
