"""Merges the records of one work: the best value of each field, and which provider it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any

from citewell.citations import author_matching, title_matching
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    OpenCopy,
    Paper,
    RecordReading,
    WorkAuthor,
)
from citewell.text.safety.text_cleaning import clean_markup

_SUBTITLE_SIMILARITY = 0.95
_PART_WEIGHTS = {"title": 0.7, "author": 0.2, "year": 0.1}

# Preferred providers, best first. Others come after these, in the order they were asked.
_REGISTRY_ORDER = (
    "crossref", "datacite", "pubmed", "doi", "europepmc", "openalex", "arxiv",
    "semanticscholar", "core", "exa",
)  # fmt: skip
_COUNT_ORDER = ("openalex", "semanticscholar", "crossref", "europepmc")
_ACCESS_ORDER = ("unpaywall", "openalex", "semanticscholar", "europepmc", "core", "arxiv")
_FIELD_ORDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "citation_count": _COUNT_ORDER,
        "reference_count": _COUNT_ORDER,
        "open_access": _ACCESS_ORDER,
        "pdf_url": _ACCESS_ORDER,
        "in_doaj": ("openalex",),
        "tldr": ("semanticscholar",),
        "language": ("openalex", *_REGISTRY_ORDER),
    }
)
_SINGLE_FIELDS = (
    "kind", "venue", "volume", "issue", "pages", "publisher", "language", "citation_count",
    "reference_count", "open_access", "in_doaj", "pdf_url", "tldr", "preprint_of",
    "preprint_doi",
)  # fmt: skip
_MAX_ABSTRACT_CHARS = 8000  # characters; a longer abstract is probably another text
_MIN_TITLE_WORDS = 2  # words; many works share shorter titles, such as Editorial
_MIN_AUTHORS_SHARE = 0.8  # of the longest author list, for a list with split names to be preferred
_PREPRINT_KIND = "article"  # the CSL type of a preprint


@dataclass(slots=True)
class _RecordGroup:
    """The records of one work, in the order they came."""

    papers: list[Paper] = field(default_factory=list)

    @property
    def doi(self) -> str | None:
        return next((paper.doi for paper in self.papers if paper.doi), None)

    def can_take(self, paper: Paper) -> bool:
        if self.doi and paper.doi:
            return False  # the DOIs differ, or the comparison of DOIs had matched
        return any(_is_same_record(known, paper) for known in self.papers)


def merge_papers(papers: Iterable[Paper]) -> tuple[Paper, ...]:
    """Each work once, in the order of its first record; works with different DOIs stay apart."""
    works: list[_RecordGroup] = []
    for paper in papers:
        registered = (work for work in works if paper.doi and work.doi == paper.doi)
        alike = (work for work in works if work.can_take(paper))
        work = next(chain(registered, alike), None)
        if work is None:
            works.append(_RecordGroup([paper]))
        else:
            work.papers.append(paper)
    return tuple(merge_records(work.papers) for work in works)


def merge_records(records: Sequence[Paper]) -> Paper:
    """One record from several; the caller knows that they describe the same work."""
    first = records[0]
    if len(records) == 1:
        return first.with_changes(title=clean_markup(first.title))
    chosen = {name: _choose_first_known(records, name) for name in _SINGLE_FIELDS}
    chosen |= {name: choose(records) for name, choose in _FIELD_CHOOSERS.items()}
    values = {name: getattr(paper, name) for name, paper in chosen.items() if paper is not None}
    names = {
        name: _name_field_source(paper, name) for name, paper in chosen.items() if paper is not None
    }
    values["title"] = clean_markup(values["title"])
    ids: dict[IdentifierScheme, str] = {}
    for paper in _rank_records(records, "ids"):
        ids = {**paper.ids, **ids}
    return first.with_changes(
        **values,
        **_choose_dates(records, names),
        url=_choose_work_url(records),
        ids=ids,
        copies=_join_unique(paper.copies for paper in records),
        intents=_join_unique(paper.intents for paper in records),
        events=_join_unique(paper.events for paper in records),
        provenance=names,
        readings=_join_unique(paper.list_readings() for paper in records),
    )


def _is_same_record(paper: Paper, other: Paper) -> bool:
    """Whether two records share an identifier, or agree in title, year and first author."""
    if any(paper.ids.get(scheme) == value for scheme, value in other.ids.items()):
        return True
    if not title_matching.has_same_letters(paper.title, other.title) or not _has_same_year(
        paper, other
    ):
        return False
    # Whether the first authors are the same; None if that is unknown.
    agree = (
        author_matching.match_authors(paper.authors[0], other.authors[0])
        if paper.authors and other.authors
        else None
    )
    if len(title_matching.extract_title_words(paper.title)) < _MIN_TITLE_WORDS:
        return bool(agree) and (
            not paper.venue
            or not other.venue
            or title_matching.has_same_letters(paper.venue, other.venue)
        )
    return agree is not False


def _has_same_year(paper: Paper, other: Paper) -> bool:
    if paper.year is None or other.year is None:
        return True
    return abs(paper.year - other.year) <= (1 if _is_preprint(paper) or _is_preprint(other) else 0)


def _is_preprint(paper: Paper) -> bool:
    bare = paper.doi is None and IdentifierScheme.ARXIV in paper.ids
    return bare or paper.kind == _PREPRINT_KIND or paper.preprint_of is not None


def _name_field_source(paper: Paper, name: str) -> str:
    return paper.provenance.get(name, paper.source)


def _rank_records(records: Sequence[Paper], name: str) -> list[Paper]:
    order = _FIELD_ORDERS.get(name, _REGISTRY_ORDER)
    place = {provider: at for at, provider in enumerate(order)}
    return sorted(records, key=lambda paper: place.get(_name_field_source(paper, name), len(order)))


def _choose_first_known(records: Sequence[Paper], name: str) -> Paper | None:
    known = (
        paper for paper in _rank_records(records, name) if getattr(paper, name) not in (None, "")
    )
    return next(known, None)


def _choose_title_record(records: Sequence[Paper]) -> Paper:
    """The best registry's title, unless it is all in capitals."""
    ranked = [
        paper for paper in _rank_records(records, "title") if clean_markup(paper.title)
    ] or list(records)
    return next((paper for paper in ranked if not paper.title.isupper()), ranked[0])


def _choose_authors_record(records: Sequence[Paper]) -> Paper | None:
    """The record with the longest author list; a slightly shorter one with split names wins."""
    ranked = [paper for paper in _rank_records(records, "authors") if paper.authors]
    if not ranked:
        return None
    most = max(len(paper.authors) for paper in ranked)
    long = [paper for paper in ranked if len(paper.authors) >= _MIN_AUTHORS_SHARE * most]
    return max(
        long,
        key=lambda paper: (
            all(person.family or person.organisation for person in paper.authors),
            len(paper.authors),
        ),
    )


def _choose_abstract_record(records: Sequence[Paper]) -> Paper | None:
    given = [paper for paper in _rank_records(records, "abstract") if paper.abstract]
    sound = [paper for paper in given if len(paper.abstract or "") <= _MAX_ABSTRACT_CHARS]
    if sound:
        return max(sound, key=lambda paper: len(paper.abstract or ""))
    return min(given, key=lambda paper: len(paper.abstract or ""), default=None)


def _choose_influential_record(records: Sequence[Paper]) -> Paper | None:
    rated = [paper for paper in records if paper.influential is not None]
    return next((paper for paper in rated if paper.influential), rated[0] if rated else None)


_FIELD_CHOOSERS: Mapping[str, Callable[[Sequence[Paper]], Paper | None]] = MappingProxyType(
    {
        "title": _choose_title_record,
        "authors": _choose_authors_record,
        "abstract": _choose_abstract_record,
        "influential": _choose_influential_record,
    }
)


def _choose_dates(records: Sequence[Paper], names: dict[str, str]) -> dict[str, Any]:
    """The best registry's year, and the most exact date in that year."""
    year = _choose_first_known(records, "year")
    dates = [paper for paper in _rank_records(records, "published") if paper.published]
    fitting = [
        paper
        for paper in dates
        if year is None or (paper.published or "").startswith(str(year.year))
    ]
    exact = max(fitting, key=lambda paper: len(paper.published or ""), default=None)
    found = {"year": year, "published": exact}
    names.update({name: _name_field_source(paper, name) for name, paper in found.items() if paper})
    return {"year": year.year if year else None, "published": exact.published if exact else None}


def _choose_work_url(records: Sequence[Paper]) -> str:
    """The address of a record with a DOI if there is one, because it is the most durable."""
    registered = [paper.url for paper in records if paper.url and paper.doi]
    return next(iter([*registered, *(paper.url for paper in records if paper.url)]), "")


def _join_unique(
    parts: Iterable[tuple[OpenCopy | IntegrityNotice | RecordReading | str, ...]],
) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))


# Scores how well a work fits a reference, by title, first author and year.


def compare_titles(title: str, other: str) -> float:
    """Similarity of two titles, 0 to 1; at least .95 if one is the other without its subtitle."""
    if title_matching.has_same_letters(title, other):
        return 1.0
    first = set(title_matching.extract_title_words(title))
    second = set(title_matching.extract_title_words(other))
    shared = 2 * len(first & second) / (len(first) + len(second)) if first or second else 0.0
    if title_matching.is_title_beginning(title, other) or title_matching.is_title_beginning(
        other, title
    ):
        return max(shared, _SUBTITLE_SIMILARITY)
    return shared


def score_closeness(paper: Paper, query: BibliographicQuery) -> float:
    """How close a work is to a reference, 0 to 1; parts missing in the reference are ignored."""
    parts = {"title": _score_title(paper, query)}
    if query.author:
        parts["author"] = _score_author(paper, WorkAuthor(name=query.author, family=query.author))
    if query.year is not None:
        parts["year"] = _score_year(paper, query.year)
    whole = sum(_PART_WEIGHTS[name] for name in parts)
    return sum(_PART_WEIGHTS[name] * value for name, value in parts.items()) / whole


def _score_title(paper: Paper, query: BibliographicQuery) -> float:
    """Similarity of titles; without one, the share of the work's title in the whole reference.

    A title that stands in the reference word for word fits, whatever was taken for its title.
    """
    if query.text and title_matching.has_title_within(query.text, paper.title):
        return 1.0
    if query.title:
        return compare_titles(query.title, paper.title)
    return title_matching.measure_title_coverage(paper.title, query.text)


def _score_author(paper: Paper, wanted: WorkAuthor) -> float:
    if not paper.authors:
        return 0.5
    agree = author_matching.match_authors(paper.authors[0], wanted)
    if agree is None:
        return 0.5
    if agree:
        return 1.0
    return (
        0.3
        if any(author_matching.match_authors(author, wanted) for author in paper.authors[1:])
        else 0.0
    )


def _score_year(paper: Paper, wanted: int) -> float:
    if paper.year is None:
        return 0.5
    apart = abs(paper.year - wanted)
    return 1.0 if apart == 0 else 0.6 if apart == 1 else 0.0
