"""The request for one web search, and its validation; the checks that other searches share."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import (
    BLANK_IS_ABSENT,
    DEFAULT_CATEGORY,
    DEFAULT_SAFE_LEVEL,
    MAX_QUERY_CHARS,
    MAX_SITES,
    ClaimText,
    OptionalName,
    QueryText,
    SafeLevel,
    SearchCategory,
    SearchTerms,
    SiteList,
    TimeRange,
    check_declared_bounds,
)
from citewell.core.values.search_queries import SearchQuery
from citewell.text import addresses, places
from citewell.text.safety.text_cleaning import extract_visible_text

_DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

_SAFE_LEVELS_BY_NUMBER = {"0": "off", "1": "medium", "2": "high"}  # spec 3 numbers the levels


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """One web search, as the caller wrote it; the arguments of web_search."""

    query: QueryText
    count: Annotated[
        int,
        Field(ge=1, le=50, validation_alias=AliasChoices("num_results", "results_count")),
    ] = 5
    category: SearchCategory = DEFAULT_CATEGORY
    fetch_content: Annotated[bool, Field(description="Read each result's page as markdown.")] = (
        False
    )
    time_range: Annotated[TimeRange | None, BLANK_IS_ABSENT] = None
    language: Annotated[OptionalName, Field(description="ISO 639-1, such as de or pt-BR.")] = None
    country: Annotated[OptionalName, Field(description="ISO 3166-1 alpha-2.")] = None
    safe: Annotated[
        SafeLevel,
        BeforeValidator(lambda value: _SAFE_LEVELS_BY_NUMBER.get(str(value), value)),
        Field(validation_alias=AliasChoices("safe", "safe_search")),
    ] = DEFAULT_SAFE_LEVEL
    site: Annotated[OptionalName, Field(description="One domain; not with lens or sites.")] = None
    sites: Annotated[SiteList, Field(description=f"Up to {MAX_SITES} domains.")] = ()
    lens: Annotated[
        OptionalName,
        Field(description="Named set of authoritative domains; see lenses://catalog."),
    ] = None
    exact_terms: SearchTerms = None
    exclude_terms: SearchTerms = None
    provider: Annotated[OptionalName, Field(description="Only this provider.")] = None
    claim: Annotated[
        ClaimText,
        Field(description="Each result quotes its sentence nearest to this."),
    ] = None


def normalize_request(request: SearchRequest) -> SearchRequest:
    """The request in canonical form: `site` merged into `sites`, blanks turned into None.

    Raises InvalidInput for a value that is too long, unknown or contradictory.
    """
    check_declared_bounds(request)
    if request.lens and (request.site or request.sites):
        raise InvalidInput("site and lens cannot be combined: a lens is a set of sites itself.")
    return replace(
        request,
        query=clean_query_text(request.query),
        time_range=request.time_range or None,
        language=check_language_code(request.language),
        country=normalize_country_code(request.country),
        site=None,
        sites=_collect_sites(request),
        lens=clean_single_line(request.lens),
        exact_terms=clean_single_line(request.exact_terms),
        exclude_terms=clean_single_line(request.exclude_terms),
        provider=normalize_provider_name(request.provider),
        claim=clean_single_line(request.claim),
    )


def build_search_query(request: SearchRequest) -> SearchQuery:
    """The provider query for a normalized request, before a lens is applied."""
    return SearchQuery(
        text=request.query,
        count=request.count,
        sites=request.sites,
        time_range=request.time_range,
        safe=request.safe,
        language=request.language,
        country=request.country,
        exact_terms=request.exact_terms,
        exclude_terms=request.exclude_terms,
        category=request.category,
    )


def clean_query_text(query: str, *, argument: str = "query") -> str:
    """The text as one line of visible characters; raises InvalidInput if nothing is left."""
    words = clean_single_line(query)
    if words is None:
        raise InvalidInput(f"{argument} is empty. Give it 1 to {MAX_QUERY_CHARS} characters.")
    return words


def normalize_provider_name(name: str | None) -> str | None:
    return (clean_single_line(name) or "").lower() or None


def clean_single_line(text: str | None) -> str | None:
    """The text as one line of visible characters; None if nothing is left."""
    if not text:
        return None
    return " ".join(extract_visible_text(text.translate(_CONTROL_CHARS_TO_SPACE)).split()) or None


# A control character between two words separates them like a space.
_CONTROL_CHARS_TO_SPACE = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " ")


def check_language_code(code: str | None) -> str | None:
    if code and not places.is_language_code(code):
        raise InvalidInput(
            f"language {code!r} is not an ISO 639-1 code; write en, de or, with a region, pt-BR."
        )
    return code or None


def normalize_country_code(code: str | None) -> str | None:
    if not code:
        return None
    upper = code.strip().upper()
    if not places.is_country_code(upper):
        hint = " The United Kingdom is GB." if upper == "UK" else ""
        raise InvalidInput(f"country {code!r} is not an ISO 3166-1 alpha-2 code.{hint}")
    return upper


def _collect_sites(request: SearchRequest) -> tuple[str, ...]:
    if request.site and request.sites:
        raise InvalidInput("site and sites cannot be combined; put all of them into sites.")
    given = (request.site,) if request.site else request.sites
    return tuple(dict.fromkeys(map(parse_site_domain, given)))


def parse_site_domain(text: str) -> str:
    name = addresses.parse_domain(text)
    if name is None:
        raise InvalidInput(f"{text[:100]!r} is not a domain; write one such as example.org.")
    return name


# The days between which a search is asked for.


def check_day_range(first: str | None, last: str | None) -> tuple[str | None, str | None]:
    """The days of date_from and date_to; raises InvalidInput if one is no day or they are swapped."""
    start, end = _check_single_day("date_from", first), _check_single_day("date_to", last)
    if start and end and start > end:
        raise InvalidInput(f"date_from {start} is after date_to {end}; swap them.")
    return start, end


def _check_single_day(name: str, text: str | None) -> str | None:
    if not text:
        return None
    written = text.strip()
    try:
        return date.fromisoformat(written if _DAY_PATTERN.fullmatch(written) else "").isoformat()
    except ValueError:
        raise InvalidInput(f"{name} must be a day as YYYY-MM-DD, not {written[:40]!r}.") from None
