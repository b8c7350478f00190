"""Queries to search providers and the hits they return."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from citewell.core.values.argument_types import (
    DEFAULT_CATEGORY,
    DEFAULT_NEWS_SORT,
    DEFAULT_SAFE_LEVEL,
    NewsSort,
    NewsTimeRange,
    SafeLevel,
    SearchCategory,
    SearchTerms,
)

LIBRARY_PROVIDER = "library"  # the provider that searches the user's own documents
LIBRARY_ID_PREFIX = "library:"  # begins the id that a library document has instead of an address
ImageSize = Literal["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"]

# The least and the most pixels (width times height) of each size, where a provider does not decide
# it itself; None for no upper bound.
PIXELS_BY_SIZE = MappingProxyType(
    {
        "icon": (1, 256 * 256),
        "small": (1, 640 * 480 - 1),
        "medium": (640 * 480, 1600 * 1200 - 1),
        "large": (1600 * 1200, None),
        "xlarge": (2272 * 1704, None),
        "xxlarge": (3264 * 2448, None),
        "huge": (4608 * 3456, None),
    }
)
_EXCLUDED_TERM_PATTERN = re.compile(r'"([^"]+)"|([^\s,"]+)')


class SearchFilter(StrEnum):
    """A filter that a provider may apply itself; all others are applied to its hits afterwards."""

    SITES = "site"
    EXCLUDED_SITES = "exclude_site"
    TIME_RANGE = "time_range"
    SAFE = "safe"
    LANGUAGE = "language"
    COUNTRY = "country"
    EXACT_TERMS = "exact_terms"
    EXCLUDE_TERMS = "exclude_terms"
    CATEGORY = "category"
    NEWS_SOURCE = "news_source"  # what reports call `site` in a search for news
    SORT = "sort_by"


class ImageFilter(StrEnum):
    """A filter of image searches; those that a provider lacks are checked afterwards where they can be."""

    SIZE = "size"
    TYPE = "type"
    COLOR_TYPE = "color_type"
    DOMINANT_COLOR = "dominant_color"
    FILE_TYPE = "file_type"
    SAFE = "safe"
    COUNTRY = "country"
    LANGUAGE = "language"
    SITES = "lens"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """One query to one search provider, already validated."""

    text: str
    count: int = 5
    sites: tuple[str, ...] = ()  # with a lens more than a caller may give
    time_range: NewsTimeRange | None = None
    safe: SafeLevel = DEFAULT_SAFE_LEVEL
    language: str | None = None  # ISO 639-1, or with a region: de, pt-BR
    country: str | None = None  # ISO 3166-1 alpha-2, upper case
    exact_terms: SearchTerms = None
    exclude_terms: SearchTerms = None
    category: SearchCategory = DEFAULT_CATEGORY
    sort_by: NewsSort = DEFAULT_NEWS_SORT
    engine_id: str | None = None  # the Google engine id (cx) of a lens
    goggle: str | None = None  # the Brave goggle of a lens

    def with_changes(self, **changes: object) -> SearchQuery:
        return replace(self, **changes)  # type: ignore[arg-type]  # the fields' own types check at the call

    def collect_filters(self) -> frozenset[SearchFilter]:
        """The filters that this query sets; `safe` and `category` count only if not the default."""
        present = {
            SearchFilter.SITES: bool(self.sites),
            SearchFilter.TIME_RANGE: self.time_range is not None,
            SearchFilter.SAFE: self.safe != DEFAULT_SAFE_LEVEL,
            SearchFilter.LANGUAGE: self.language is not None,
            SearchFilter.COUNTRY: self.country is not None,
            SearchFilter.EXACT_TERMS: self.exact_terms is not None,
            SearchFilter.EXCLUDE_TERMS: self.exclude_terms is not None,
            SearchFilter.CATEGORY: self.category != DEFAULT_CATEGORY,
            SearchFilter.SORT: self.sort_by != DEFAULT_NEWS_SORT,
        }
        return frozenset(name for name, given in present.items() if given)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One result as the provider returned it, without markup."""

    title: str
    url: str
    snippet: str = ""
    published: datetime | None = None
    published_basis: str | None = (
        None  # where the date was found: provider, snippet, url; or seen, by a provider
    )
    score: float | None = None  # the provider's own score, 0 to 1
    engine: str | None = None
    source: str | None = None  # the publisher's name, if a news provider states it
    source_url: str | None = None  # the publisher's site, if `url` is at the provider itself
    engagement: dict[str, int] = field(default_factory=dict)
    extra_snippets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHits:
    """Everything a provider returned for one web or news query."""

    hits: tuple[SearchHit, ...] = ()
    total: int | None = None
    engines: tuple[str, ...] = ()
    unresponsive: tuple[tuple[str, str], ...] = ()  # engine, reason
    instance: str | None = None
    instances_asked: tuple[str, ...] = ()  # `instance` and those that failed before it
    notes: tuple[str, ...] = ()  # for the caller: reduced count, failed pages, fallback
    remedy: str = ""  # the configuration line that a note recommends


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundImage:
    """One image result: `link` is the image itself, `context` the page that shows it."""

    title: str
    link: str
    context: str | None = None
    thumbnail: str | None = None
    width: int | None = None
    height: int | None = None
    file_size: str | None = None
    media_type: str | None = None  # such as image/png, if the provider states it
    license: str | None = None
    license_url: str | None = None
    author: str | None = None
    attribution: str | None = None  # the line that names work, author and licence


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageQuery:
    """One query to one image search, already validated."""

    text: str
    count: int = 5
    safe: SafeLevel = DEFAULT_SAFE_LEVEL
    size: str | None = None
    type: str | None = None
    color_type: str | None = None
    dominant_color: str | None = None
    file_type: str | None = None
    country: str | None = None
    language: str | None = None
    sites: tuple[str, ...] = ()  # of a lens
    engine_id: str | None = None  # the Google engine id (cx) of a lens

    def with_changes(self, **changes: object) -> ImageQuery:
        return replace(self, **changes)  # type: ignore[arg-type]  # the fields' own types check at the call

    def collect_filters(self) -> frozenset[ImageFilter]:
        """The filters that this query sets; `safe` counts only if it is not the default."""
        present = {
            ImageFilter.SIZE: self.size,
            ImageFilter.TYPE: self.type,
            ImageFilter.COLOR_TYPE: self.color_type,
            ImageFilter.DOMINANT_COLOR: self.dominant_color,
            ImageFilter.FILE_TYPE: self.file_type,
            ImageFilter.SAFE: self.safe != DEFAULT_SAFE_LEVEL,
            ImageFilter.COUNTRY: self.country,
            ImageFilter.LANGUAGE: self.language,
            ImageFilter.SITES: self.sites,
        }
        return frozenset(name for name, given in present.items() if given)


def build_operator_query(
    query: SearchQuery, *, max_chars: int, max_words: int | None = None
) -> str:
    """The query with its filters as operators, within `max_chars` characters and `max_words` words.

    If it is too long, the text is cut and never the filters: nobody would notice a missing filter.
    """
    operators = _format_query_operators(query)
    text = query.text
    if max_words is not None:
        text = " ".join(text.split()[: max(max_words - len(operators.split()), 0)])
    room = max_chars - len(operators) - 1 if operators else max_chars
    return " ".join(part for part in (shorten_query_text(text, max(room, 0)), operators) if part)


def shorten_query_text(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words if there is a space."""
    if len(text) <= limit:
        return text
    head, gap, _ = text[: limit + 1].rpartition(" ")
    return (head if gap else text[:limit]).rstrip()


def split_excluded_terms(terms: str) -> tuple[str, ...]:
    """The words and quoted phrases of `exclude_terms`, one by one."""
    found = (phrase or word.lstrip("-") for phrase, word in _EXCLUDED_TERM_PATTERN.findall(terms))
    return tuple(term for term in found if term.strip())


def _format_query_operators(query: SearchQuery) -> str:
    parts = []
    if query.exact_terms and (phrase := query.exact_terms.replace('"', " ").strip()):
        parts.append(f'"{phrase}"')
    if query.exclude_terms:
        terms = split_excluded_terms(query.exclude_terms)
        parts += [f'-"{term}"' if " " in term else f"-{term}" for term in terms]
    if query.sites:
        either = " OR ".join(f"site:{site}" for site in query.sites)
        parts.append(f"({either})" if len(query.sites) > 1 else either)
    return " ".join(parts)
