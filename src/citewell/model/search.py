"""What is asked of a search provider and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum


class Filter(StrEnum):
    """A constraint a provider may apply itself; the others are applied after the fact."""

    SITES = "site"
    EXCLUDED_SITES = "exclude_site"
    TIME_RANGE = "time_range"
    SAFE = "safe"
    LANGUAGE = "language"
    COUNTRY = "country"
    EXACT_TERMS = "exact_terms"
    EXCLUDE_TERMS = "exclude_terms"
    CATEGORY = "category"
    NEWS_SOURCE = "news_source"
    SORT = "sort_by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to one provider, already validated."""

    text: str
    count: int = 5
    sites: tuple[str, ...] = ()
    time_range: str | None = None  # hour, day, week, month, year
    safe: str = "medium"  # off, medium, high
    language: str | None = None  # ISO 639-1, or with a region: de, pt-BR
    country: str | None = None  # ISO 3166-1 alpha-2, upper case
    exact_terms: str | None = None
    exclude_terms: str | None = None
    category: str = "general"
    engine_id: str | None = None  # a lens's own Google engine (cx)
    goggle: str | None = None  # a lens's Brave goggle

    def with_(self, **changes: object) -> Query:
        return replace(self, **changes)  # type: ignore[arg-type]  # the fields' own types check at the call

    def filters(self) -> frozenset[Filter]:
        """The constraints this query really has; `safe` counts only when it differs from medium."""
        present = {
            Filter.SITES: bool(self.sites),
            Filter.TIME_RANGE: self.time_range is not None,
            Filter.SAFE: self.safe != "medium",
            Filter.LANGUAGE: self.language is not None,
            Filter.COUNTRY: self.country is not None,
            Filter.EXACT_TERMS: self.exact_terms is not None,
            Filter.EXCLUDE_TERMS: self.exclude_terms is not None,
            Filter.CATEGORY: self.category != "general",
        }
        return frozenset(name for name, given in present.items() if given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result as the provider gave it, cleaned of markup."""

    title: str
    url: str
    snippet: str = ""
    published: datetime | None = None
    published_basis: str | None = None  # where the date came from: provider, snippet, url
    score: float | None = None  # the provider's own, 0 to 1
    engine: str | None = None
    source: str | None = None  # the publisher's name, where news providers give one
    engagement: dict[str, int] = field(default_factory=dict)
    extra_snippets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A provider's whole answer to one web or news query."""

    hits: tuple[Hit, ...] = ()
    total: int | None = None
    engines: tuple[str, ...] = ()
    unresponsive: tuple[tuple[str, str], ...] = ()  # engine, reason
    instance: str | None = None
    notes: tuple[str, ...] = ()  # what the caller should know: clamped, paged, fallback


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One image result: `link` is the image itself, `context` the page it stands on."""

    title: str
    link: str
    context: str | None = None
    thumbnail: str | None = None
    width: int | None = None
    height: int | None = None
    file_size: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureQuery:
    text: str
    count: int = 5
    safe: str = "medium"
    size: str | None = None
    type: str | None = None
    color_type: str | None = None
    dominant_color: str | None = None
    file_type: str | None = None
    country: str | None = None
    language: str | None = None
