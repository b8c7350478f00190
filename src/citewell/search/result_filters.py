"""Applies filters that a provider lacks to its hits, and reports who applied each filter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType

from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchQuery,
    split_excluded_terms,
)
from citewell.core.values.search_results import FilterReport
from citewell.routing.ports import ProviderSpec
from citewell.text import addresses
from citewell.text.data_tables import load_table
from citewell.text.language import detection, scripts
from citewell.text.places import is_country_code

_UNITED_KINGDOM_DOMAIN = "uk"

TIME_RANGE_SPANS = MappingProxyType(
    {
        "hour": timedelta(hours=1),
        "day": timedelta(days=1),
        "week": timedelta(weeks=1),
        "month": timedelta(days=31),
        "year": timedelta(days=366),
    }
)
APPLIED_AFTERWARDS = "afterwards"
APPLIED_BY_NOBODY = "nobody"
# For each filter, the query field and its value when unset.
_FILTER_DEFAULTS: Mapping[SearchFilter, tuple[str, object]] = MappingProxyType(
    {
        SearchFilter.SITES: ("sites", ()),
        SearchFilter.TIME_RANGE: ("time_range", None),
        SearchFilter.SAFE: ("safe", "medium"),
        SearchFilter.LANGUAGE: ("language", None),
        SearchFilter.COUNTRY: ("country", None),
        SearchFilter.EXACT_TERMS: ("exact_terms", None),
        SearchFilter.EXCLUDE_TERMS: ("exclude_terms", None),
        SearchFilter.CATEGORY: ("category", "general"),
        SearchFilter.SORT: ("sort_by", "relevance"),
    }
)
# What can be told of an article but not of any page: its language, its country, its age.
NEWS_CHECKS = frozenset({SearchFilter.LANGUAGE, SearchFilter.COUNTRY, SearchFilter.SORT})
_CHECKABLE_FILTERS = frozenset(
    {
        SearchFilter.SITES,
        SearchFilter.TIME_RANGE,
        SearchFilter.EXACT_TERMS,
        SearchFilter.EXCLUDE_TERMS,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterShares:
    """The filters of one query by who applies them."""

    native: frozenset[SearchFilter]
    afterwards: frozenset[SearchFilter]
    unapplied: frozenset[SearchFilter]


def share_filters(
    query: SearchQuery,
    spec: ProviderSpec,
    *,
    met_by_offer: Collection[SearchFilter] = (),
    more_checks: Collection[SearchFilter] = (),
) -> FilterShares:
    """Split the filters; those in `met_by_offer` are met by the offer itself, such as news by a news search.

    `more_checks` are filters that can be checked on this offer's hits beside the usual ones.
    """
    given = query.collect_filters()
    native = given & (spec.filters | frozenset(met_by_offer))
    telling = query.language is not None and scripts.has_distinctive_script(query.language)
    script_filters = frozenset({SearchFilter.LANGUAGE}) if telling else frozenset()
    possible = _CHECKABLE_FILTERS | script_filters | frozenset(more_checks)
    later = (given - native) & possible
    return FilterShares(native=native, afterwards=later, unapplied=given - native - later)


def keep_native_filters(query: SearchQuery, native: Collection[SearchFilter]) -> SearchQuery:
    """The query with only the filters that the provider applies itself."""
    lost = query.collect_filters() - frozenset(native)
    changes = dict(_FILTER_DEFAULTS[name] for name in lost)
    text = query.text
    if SearchFilter.EXACT_TERMS in lost and query.exact_terms and query.exact_terms not in text:
        text = f"{text} {query.exact_terms}"  # searched as words, checked as a phrase afterwards
    return query.with_changes(**changes, text=text) if changes else query


class ResultSieve:
    """Decides which hits pass the filters left to us; built once for many hits."""

    def __init__(
        self, query: SearchQuery, later: Collection[SearchFilter], *, now: datetime
    ) -> None:
        self._query = query
        self._exact = (
            _compile_phrase(query.exact_terms) if SearchFilter.EXACT_TERMS in later else None
        )
        self._banned = (
            _compile_excluded_words(query.exclude_terms)
            if SearchFilter.EXCLUDE_TERMS in later
            else None
        )
        self._since = (
            now - TIME_RANGE_SPANS[query.time_range or "year"]
            if SearchFilter.TIME_RANGE in later
            else None
        )
        self._language = query.language if SearchFilter.LANGUAGE in later else None
        self._country = query.country if SearchFilter.COUNTRY in later else None
        # Engines return older articles even if they support a time range.
        is_news = query.category == "news" and query.time_range is not None
        self._not_before = now - TIME_RANGE_SPANS[query.time_range or "year"] if is_news else None
        self.undated_count = 0
        self.unplaced_count = 0

    def should_keep_hit(self, hit: SearchHit) -> bool:
        # Always checked: engines return other hosts even if they support `site:`.
        host, sites = addresses.extract_host(hit.source_url or hit.url), self._query.sites
        is_on_site = not sites or any(addresses.is_within_domain(host, site) for site in sites)
        return (
            is_on_site
            and self._is_in_time_range(hit)
            and self._has_wanted_words(hit)
            and self._is_in_language(hit)
            and self._is_from_country(hit)
        )

    def _is_in_time_range(self, hit: SearchHit) -> bool:
        if self._since is None:
            return self._not_before is None or _is_stated_since(hit, self._not_before)
        if hit.published is None:
            self.undated_count += 1
            return True
        return _is_since(hit, self._since)

    def _has_wanted_words(self, hit: SearchHit) -> bool:
        if self._exact is None and self._banned is None:
            return True
        parts = (hit.title, hit.snippet, hit.url, *hit.extra_snippets)
        text = "\n".join(
            map(_normalize_for_matching, parts)
        )  # a phrase must not match across two of them
        if self._exact is not None and not self._exact.search(text):
            return False
        return self._banned is None or not self._banned.search(text)

    def _is_in_language(self, hit: SearchHit) -> bool:
        if self._language is None:
            return True
        text = f"{hit.title} {hit.snippet}"
        if scripts.has_distinctive_script(self._language):
            return scripts.can_be_written_in(text, self._language)
        return detection.detect_language(text) in {None, self._language[:2].lower()}

    def _is_from_country(self, hit: SearchHit) -> bool:
        if self._country is None:
            return True
        found = find_host_country(addresses.extract_host(hit.source_url or hit.url))
        if found is None:
            self.unplaced_count += 1
        return found in {None, self._country}


def _is_since(hit: SearchHit, moment: datetime) -> bool:
    """Whether a dated hit is as new; a day from an address counts as published at its end."""
    published = hit.published or moment
    aware = published if published.tzinfo else published.replace(tzinfo=UTC)
    slack = timedelta(days=1) if hit.published_basis == "url" else timedelta()
    return aware + slack >= moment


def _is_stated_since(hit: SearchHit, moment: datetime) -> bool:
    """Whether the date that the provider stated, if any, is as new; midnight may mean the whole day."""
    if hit.published is None or hit.published_basis != "provider":
        return True
    is_day = hit.published.time() == time.min
    return _is_since(hit, moment - timedelta(days=1) if is_day else moment)


def build_filter_reports(
    shared: FilterShares, spec: ProviderSpec, *, lens: bool, undated: int = 0, unplaced: int = 0
) -> tuple[FilterReport, ...]:
    """One report for each filter: who applied it to this provider's hits, and how.

    `undated` hits were kept although they have no date, `unplaced` ones although no country is known.
    """
    rows = [
        FilterReport(filter=_format_filter_name(name, lens=lens), by=spec.name)
        for name in shared.native
    ]
    rows += [
        _report_later_filter(
            name,
            spec,
            lens=lens,
            kept={SearchFilter.TIME_RANGE: undated, SearchFilter.COUNTRY: unplaced}.get(name, 0),
        )
        for name in shared.afterwards
    ]
    rows += [
        FilterReport(
            filter=name.value, by=APPLIED_BY_NOBODY, note=f"{spec.title} has no such filter."
        )
        for name in shared.unapplied
    ]
    return tuple(sorted(rows, key=lambda row: row.filter))


def merge_filter_reports(groups: Iterable[Iterable[FilterReport]]) -> tuple[FilterReport, ...]:
    """Each distinct report once, in order."""
    return tuple({(row.filter, row.by, row.note): row for rows in groups for row in rows}.values())


def _report_later_filter(
    name: SearchFilter, spec: ProviderSpec, *, lens: bool, kept: int
) -> FilterReport:
    """`kept` hits were kept because what the filter is about is unknown of them."""
    how = {
        SearchFilter.SITES: "checked by host",
        SearchFilter.EXACT_TERMS: "checked on title, snippet and address only",
        SearchFilter.EXCLUDE_TERMS: "checked on title, snippet and address only",
        SearchFilter.LANGUAGE: "checked by writing system only",
        SearchFilter.TIME_RANGE: "checked by date",
        SearchFilter.COUNTRY: "checked by the country of the address",
        SearchFilter.SORT: "sorted by date, those without a date last",
    }[name]
    what = {SearchFilter.TIME_RANGE: "a date", SearchFilter.COUNTRY: "a known country"}.get(name)
    rest = f"; {kept} without {what} were kept" if what and kept else ""
    note = f"Results of {spec.title} were {how}{rest}."
    return FilterReport(
        filter=_format_filter_name(name, lens=lens), by=APPLIED_AFTERWARDS, note=note
    )


def _format_filter_name(name: SearchFilter, *, lens: bool) -> str:
    return "lens" if lens and name is SearchFilter.SITES else name.value


def _normalize_for_matching(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace('"', " ").split())


def _compile_phrase(terms: str | None) -> re.Pattern[str] | None:
    plain = _normalize_for_matching(terms or "")
    return re.compile(_bound_by_words(plain)) if plain else None


def _compile_excluded_words(terms: str | None) -> re.Pattern[str] | None:
    """A pattern of whole words, so that excluding `cat` keeps `category`; unspaced scripts match anywhere."""
    found = [_normalize_for_matching(term) for term in split_excluded_terms(terms or "")]
    parts = [_bound_by_words(term) for term in found if term]
    return re.compile("|".join(parts)) if parts else None


def _bound_by_words(term: str) -> str:
    spaced = not scripts.UNSPACED_CHARACTER_PATTERN.search(term)
    return rf"(?<!\w){re.escape(term)}(?!\w)" if spaced else re.escape(term)


# The country of a host by its top-level domain, where that says something.


def find_host_country(host: str) -> str | None:
    """ISO 3166-1 alpha-2 in upper case; None for .com and the like, and for domains used by all."""
    last = host.rpartition(".")[2].lower()
    if last == _UNITED_KINGDOM_DOMAIN:
        return "GB"
    # Country domains that anybody registers for their sound: they say nothing about the publisher.
    is_generic = last in load_table(__package__, "generic_country_domains")
    return None if is_generic or not is_country_code(last.upper()) else last.upper()
