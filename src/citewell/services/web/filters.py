"""Constraints a provider lacks, applied to its results afterwards, and the account of who did what."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from citewell.model.search import Filter, Hit, Query
from citewell.model.source import FilterReport
from citewell.ports import Spec
from citewell.text import scripts, urls
from citewell.text.operators import excluded

SPANS = MappingProxyType(
    {
        "hour": timedelta(hours=1),
        "day": timedelta(days=1),
        "week": timedelta(weeks=1),
        "month": timedelta(days=31),
        "year": timedelta(days=366),
    }
)
AFTERWARDS = "afterwards"
NOBODY = "nobody"
# What a query looks like without each constraint.
_ABSENT: Mapping[Filter, tuple[str, object]] = MappingProxyType(
    {
        Filter.SITES: ("sites", ()),
        Filter.TIME_RANGE: ("time_range", None),
        Filter.SAFE: ("safe", "medium"),
        Filter.LANGUAGE: ("language", None),
        Filter.COUNTRY: ("country", None),
        Filter.EXACT_TERMS: ("exact_terms", None),
        Filter.EXCLUDE_TERMS: ("exclude_terms", None),
        Filter.CATEGORY: ("category", "general"),
    }
)
_TEXTUAL = frozenset({Filter.SITES, Filter.TIME_RANGE, Filter.EXACT_TERMS, Filter.EXCLUDE_TERMS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """One query's constraints by who can apply them."""

    native: frozenset[Filter]
    later: frozenset[Filter]
    nobody: frozenset[Filter]


def shares(query: Query, spec: Spec, *, fits: Collection[Filter] = ()) -> Shares:
    """`fits` are constraints met by the way of asking itself, such as news by a news search."""
    given = query.filters()
    native = given & (spec.filters | frozenset(fits))
    possible = _TEXTUAL | _by_script(query)
    later = (given - native) & possible
    return Shares(native=native, later=later, nobody=given - native - later)


def stripped(query: Query, native: Collection[Filter]) -> Query:
    """The query with only the constraints the provider applies itself."""
    lost = query.filters() - frozenset(native)
    changes = dict(_ABSENT[name] for name in lost)
    text = query.text
    if Filter.EXACT_TERMS in lost and query.exact_terms and query.exact_terms not in text:
        text = f"{text} {query.exact_terms}"  # asked for as words, checked as a phrase afterwards
    return query.with_(**changes, text=text) if changes else query


class Sieve:
    """Keeps the results that satisfy what is left to us; built once for many results."""

    def __init__(self, query: Query, later: Collection[Filter], *, now: datetime) -> None:
        self._query = query
        self._exact = _phrase(query.exact_terms) if Filter.EXACT_TERMS in later else None
        self._banned = _words(query.exclude_terms) if Filter.EXCLUDE_TERMS in later else None
        self._since = (
            now - SPANS[query.time_range or "year"] if Filter.TIME_RANGE in later else None
        )
        self._language = query.language if Filter.LANGUAGE in later else None
        self.undated = 0

    def keeps(self, hit: Hit) -> bool:
        return (
            self._on_site(hit)
            and self._in_time(hit)
            and self._in_words(hit)
            and self._in_language(hit)
        )

    def _on_site(self, hit: Hit) -> bool:
        """Checked in every case: engines let strangers through even where they know `site:`."""
        name, sites = urls.host(hit.url), self._query.sites
        return not sites or any(urls.within(name, site) for site in sites)

    def _in_time(self, hit: Hit) -> bool:
        if self._since is None:
            return True
        if hit.published is None:
            self.undated += 1
            return True
        aware = hit.published if hit.published.tzinfo else hit.published.replace(tzinfo=UTC)
        # A result known only by its day counts as published at the end of it.
        slack = timedelta(days=1) if hit.published_basis == "url" else timedelta()
        return aware + slack >= self._since

    def _in_words(self, hit: Hit) -> bool:
        if self._exact is None and self._banned is None:
            return True
        parts = (hit.title, hit.snippet, hit.url, *hit.extra_snippets)
        text = "\n".join(map(_plain, parts))  # a phrase does not run from one into the next
        if self._exact is not None and not self._exact.search(text):
            return False
        return self._banned is None or not self._banned.search(text)

    def _in_language(self, hit: Hit) -> bool:
        if self._language is None:
            return True
        return scripts.written_in(f"{hit.title} {hit.snippet}", self._language)


def reports(
    shared: Shares, spec: Spec, *, lens: bool, undated: int = 0
) -> tuple[FilterReport, ...]:
    """One line for each constraint: who applied it to this provider's results, and how."""
    rows = [FilterReport(filter=_name(name, lens=lens), by=spec.name) for name in shared.native]
    rows += [_later(name, spec, lens=lens, undated=undated) for name in shared.later]
    rows += [
        FilterReport(filter=name.value, by=NOBODY, note=f"{spec.title} has no such filter.")
        for name in shared.nobody
    ]
    return tuple(sorted(rows, key=lambda row: row.filter))


def joined(groups: Iterable[Iterable[FilterReport]]) -> tuple[FilterReport, ...]:
    """Each row once, in order."""
    return tuple({(row.filter, row.by, row.note): row for rows in groups for row in rows}.values())


def _later(name: Filter, spec: Spec, *, lens: bool, undated: int) -> FilterReport:
    how = {
        Filter.SITES: "checked by host",
        Filter.EXACT_TERMS: "checked on title, snippet and address only",
        Filter.EXCLUDE_TERMS: "checked on title, snippet and address only",
        Filter.LANGUAGE: "checked by writing system only",
        Filter.TIME_RANGE: "checked by date",
    }[name]
    kept = f"; {undated} without a date were kept" if name is Filter.TIME_RANGE and undated else ""
    note = f"Results of {spec.title} were {how}{kept}."
    return FilterReport(filter=_name(name, lens=lens), by=AFTERWARDS, note=note)


def _name(name: Filter, *, lens: bool) -> str:
    return "lens" if lens and name is Filter.SITES else name.value


def _by_script(query: Query) -> frozenset[Filter]:
    telling = query.language is not None and scripts.telling(query.language)
    return frozenset({Filter.LANGUAGE}) if telling else frozenset()


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace('"', " ").split())


def _phrase(terms: str | None) -> re.Pattern[str] | None:
    plain = _plain(terms or "")
    return re.compile(_bounded(plain)) if plain else None


def _words(terms: str | None) -> re.Pattern[str] | None:
    """Whole words, so that excluding `cat` keeps `category`; unspaced scripts match anywhere."""
    found = [_plain(term) for term in excluded(terms or "")]
    parts = [_bounded(term) for term in found if term]
    return re.compile("|".join(parts)) if parts else None


def _bounded(term: str) -> str:
    spaced = not re.search(f"[{scripts.UNSPACED}]", term)
    return rf"(?<!\w){re.escape(term)}(?!\w)" if spaced else re.escape(term)
