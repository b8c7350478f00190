"""The request for one web search, and its validation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citewell.errors import InvalidInput
from citewell.model.search_queries import SearchQuery
from citewell.text.language import locale_codes
from citewell.text.safety.markup_cleaning import extract_visible_text
from citewell.text.web import addresses

MAX_QUERY_CHARS = 500  # characters, not bytes
MAX_RESULTS = 50
MAX_SITES = 10
TIME_RANGES = ("hour", "day", "week", "month", "year")
SAFE_SEARCH_LEVELS = ("off", "medium", "high")
CATEGORIES = (
    "general", "images", "videos", "news", "map", "music", "it", "science", "files",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    query: str
    count: int = 5
    time_range: str | None = None
    safe: str = "medium"
    language: str | None = None
    country: str | None = None
    site: str | None = None
    sites: tuple[str, ...] = ()
    lens: str | None = None
    exact_terms: str | None = None
    exclude_terms: str | None = None
    category: str = "general"
    provider: str | None = None
    claim: str | None = None
    fetch_content: bool = False


def normalize_request(ask: SearchRequest) -> SearchRequest:
    """The request in canonical form: `site` merged into `sites`, blanks turned into None.

    Raises InvalidInput for a value that is too long, unknown or contradictory.
    """
    if not 1 <= ask.count <= MAX_RESULTS:
        raise InvalidInput(f"num_results must be between 1 and {MAX_RESULTS}.")
    if ask.lens and (ask.site or ask.sites):
        raise InvalidInput("site and lens cannot be combined: a lens is a set of sites itself.")
    return replace(
        ask,
        query=_check_query_text(ask.query),
        time_range=_check_choice("time_range", ask.time_range or None, TIME_RANGES),
        safe=_check_choice("safe", ask.safe, SAFE_SEARCH_LEVELS) or "medium",
        category=_check_choice("category", ask.category or "general", CATEGORIES) or "general",
        language=_check_language_code(ask.language),
        country=_normalize_country_code(ask.country),
        site=None,
        sites=_collect_sites(ask),
        lens=_clean_single_line(ask.lens),
        exact_terms=_check_terms_length("exact_terms", ask.exact_terms),
        exclude_terms=_check_terms_length("exclude_terms", ask.exclude_terms),
        provider=(_clean_single_line(ask.provider) or "").lower() or None,
        claim=_clean_single_line(ask.claim),
    )


def build_search_query(ask: SearchRequest) -> SearchQuery:
    """The provider query for a normalized request, before a lens is applied."""
    return SearchQuery(
        text=ask.query,
        count=ask.count,
        sites=ask.sites,
        time_range=ask.time_range,
        safe=ask.safe,
        language=ask.language,
        country=ask.country,
        exact_terms=ask.exact_terms,
        exclude_terms=ask.exclude_terms,
        category=ask.category,
    )


def _check_query_text(query: str) -> str:
    words = _clean_single_line(query)
    if words is None:
        raise InvalidInput("query is empty. Give it 1 to 500 characters.")
    if len(words) > MAX_QUERY_CHARS:
        raise InvalidInput(f"query has {len(words)} characters; {MAX_QUERY_CHARS} is the maximum.")
    return words


def _clean_single_line(text: str | None) -> str | None:
    """The text as one line of visible characters; None if nothing is left."""
    if not text:
        return None
    return " ".join(extract_visible_text(text.translate(_CONTROL_CHARS_TO_SPACE)).split()) or None


# A control character between two words separates them like a space.
_CONTROL_CHARS_TO_SPACE = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " ")


def _check_terms_length(name: str, text: str | None) -> str | None:
    words = _clean_single_line(text)
    if words and len(words) > MAX_QUERY_CHARS:
        raise InvalidInput(f"{name} has {len(words)} characters; {MAX_QUERY_CHARS} is the maximum.")
    return words


def _check_choice(name: str, value: str | None, allowed: tuple[str, ...]) -> str | None:
    if value is not None and value not in allowed:
        raise InvalidInput(f"{name} {value!r} is not known. It takes: {', '.join(allowed)}.")
    return value


def _check_language_code(code: str | None) -> str | None:
    if code and not locale_codes.is_language_code(code):
        raise InvalidInput(
            f"language {code!r} is not an ISO 639-1 code; write en, de or, with a region, pt-BR."
        )
    return code or None


def _normalize_country_code(code: str | None) -> str | None:
    if not code:
        return None
    upper = code.strip().upper()
    if not locale_codes.is_country_code(upper):
        hint = " The United Kingdom is GB." if upper == "UK" else ""
        raise InvalidInput(f"country {code!r} is not an ISO 3166-1 alpha-2 code.{hint}")
    return upper


def _collect_sites(ask: SearchRequest) -> tuple[str, ...]:
    if ask.site and ask.sites:
        raise InvalidInput("site and sites cannot be combined; put all of them into sites.")
    given = (ask.site,) if ask.site else ask.sites
    if len(given) > MAX_SITES:
        raise InvalidInput(f"sites has {len(given)} entries; {MAX_SITES} is the maximum.")
    return tuple(dict.fromkeys(map(_parse_site_domain, given)))


def _parse_site_domain(text: str) -> str:
    name = addresses.parse_domain(text)
    if name is None:
        raise InvalidInput(f"{text[:100]!r} is not a domain; write one such as example.org.")
    return name
