"""The request of one search for news, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import (
    DEFAULT_NEWS_SORT,
    NewsSort,
    NewsTimeRange,
    OptionalName,
    QueryText,
    SafeLevel,
)
from citewell.model.search_queries import SearchFilter, SearchQuery
from citewell.services.web.search_request import (
    check_language_code,
    clean_query_text,
    clean_single_line,
    normalize_country_code,
    normalize_provider_name,
    parse_site_domain,
)

NewsSafeLevel = Literal["off", "moderate", "strict"]
DEFAULT_TIME_RANGE: NewsTimeRange = "week"
DEFAULT_NEWS_SAFE: NewsSafeLevel = "moderate"
_NEWS_SAFE_BY_LEVEL = {"medium": "moderate", "high": "strict"}  # the words of web_search
_LEVEL_BY_NEWS_SAFE: dict[NewsSafeLevel, SafeLevel] = {
    "off": "off",
    "moderate": "medium",
    "strict": "high",
}


def _choose_default(default: str) -> BeforeValidator:
    """A blank argument counts as not given."""
    return BeforeValidator(
        lambda value: (
            default if value is None or (isinstance(value, str) and not value.strip()) else value
        )
    )


@dataclass(frozen=True, kw_only=True)
class NewsSearchRequest:
    """One search for news, as the caller wrote it; the arguments of news_search."""

    query: QueryText
    count: Annotated[int, Field(ge=1, le=50, validation_alias="num_results")] = 5
    time_range: Annotated[
        NewsTimeRange,
        _choose_default(DEFAULT_TIME_RANGE),
        Field(validation_alias=AliasChoices("time_range", "freshness")),
    ] = DEFAULT_TIME_RANGE
    sort_by: Annotated[NewsSort, _choose_default(DEFAULT_NEWS_SORT)] = DEFAULT_NEWS_SORT
    news_source: Annotated[
        OptionalName, Field(description="One domain, such as reuters.com; not with lens.")
    ] = None
    country: Annotated[OptionalName, Field(description="ISO 3166-1 alpha-2.")] = None
    language: Annotated[OptionalName, Field(description="ISO 639-1, such as de or pt-BR.")] = None
    safe: Annotated[
        NewsSafeLevel,
        BeforeValidator(lambda value: _NEWS_SAFE_BY_LEVEL.get(str(value), value)),
        _choose_default(DEFAULT_NEWS_SAFE),
    ] = DEFAULT_NEWS_SAFE
    lens: Annotated[
        OptionalName,
        Field(description="Named set of authoritative domains; see lenses://catalog."),
    ] = None
    provider: Annotated[OptionalName, Field(description="Only this provider.")] = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first; the time range always is."""
        given = {
            SearchFilter.NEWS_SOURCE.value: self.news_source,
            SearchFilter.TIME_RANGE.value: self.time_range,
            "lens": self.lens,
            SearchFilter.LANGUAGE.value: self.language,
            SearchFilter.COUNTRY.value: self.country,
            SearchFilter.SAFE.value: self.safe == "strict",
        }
        return tuple(name for name, value in given.items() if value)


def check_news_request(ask: NewsSearchRequest) -> NewsSearchRequest:
    """The request in canonical form; raises InvalidInput for a value that is invalid or contradictory."""
    check_declared_bounds(ask)
    if ask.lens and ask.news_source:
        raise InvalidInput("news_source and lens cannot be combined: a lens is a set of sources.")
    return replace(
        ask,
        query=clean_query_text(ask.query),
        news_source=parse_site_domain(ask.news_source) if ask.news_source else None,
        country=normalize_country_code(ask.country),
        language=check_language_code(ask.language),
        lens=clean_single_line(ask.lens),
        provider=normalize_provider_name(ask.provider),
    )


def build_news_query(ask: NewsSearchRequest) -> SearchQuery:
    """A checked request as the query that providers take, before a lens is applied."""
    return SearchQuery(
        text=ask.query,
        count=ask.count,
        sites=(ask.news_source,) if ask.news_source else (),
        time_range=ask.time_range,
        safe=_LEVEL_BY_NEWS_SAFE[ask.safe],
        language=ask.language,
        country=ask.country,
        category="news",
        sort_by=ask.sort_by,
    )
