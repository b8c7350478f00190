"""Wikipedia articles in the requested language, through the MediaWiki search API; no key."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.dialects.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
)
from citewell.model.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.ports import Offer, ProviderKit, ProviderSpec
from citewell.text.language.detection import detect_language
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.search_operators import build_operator_query

SPEC = ProviderSpec(
    name="wikipedia",
    title="Wikipedia",
    homepage="https://www.mediawiki.org/wiki/API:Search",
    base_url="https://en.wikipedia.org/w/api.php",
    offers=frozenset({Offer.WEB}),
    filters=frozenset(
        {SearchFilter.LANGUAGE, SearchFilter.EXACT_TERMS, SearchFilter.EXCLUDE_TERMS}
    ),
    max_results=50,
    max_sites=0,
    max_query_chars=300,
    per_second=2.0,
    burst=4,
    rank=60,
    covers_whole_web=False,
    terms="Asks for a User-Agent that names the client and how to reach its operator.",
)

_ENGLISH_HOST = "//en.wikipedia.org"

# The larger editions. Other codes redirect to another site or do not exist.
_EDITION_CODES = {
    "af", "ar", "arz", "ast", "az", "azb", "be", "bg", "bn", "bs", "ca", "ce",
    "ceb", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa",
    "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu", "hy", "id", "is", "it",
    "ja", "ka", "kk", "ko", "ku", "la", "lt", "lv", "mk", "ml", "mr", "ms",
    "my", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sh", "simple", "sk", "sl",
    "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "tt", "uk", "ur",
    "uz", "vi", "war", "zh",
}  # fmt: skip
_RENAMED_LANGUAGES = {"nb": "no", "fil": "tl"}


class _WikipediaMatch(ResponsePart):
    title: Annotated[str, Field(min_length=1)]
    snippet: OptionalField[str] = None


class _WikipediaSearchInfo(ResponsePart):
    totalhits: OptionalField[int] = None


class _WikipediaSite(ResponsePart):
    base: OptionalField[HttpLink] = None  # address of the main page; a title replaces its last part


class _WikipediaQuery(ResponsePart):
    search: TolerantItems[_WikipediaMatch]
    searchinfo: OptionalField[_WikipediaSearchInfo] = None
    general: OptionalField[_WikipediaSite] = None


class _WikipediaResponse(JsonResponse):
    query: _WikipediaQuery | None = None


class Provider:
    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream

    async def search_web(self, query: SearchQuery) -> SearchHits:
        edition = _choose_edition(query.language or detect_language(query.text))
        response = await self._upstream.send_get(
            params=_build_wikipedia_params(query),
            base_url=_build_edition_address(self._upstream.base_url, edition),
        )
        return _read_wikipedia_matches(
            read_json_response(_WikipediaResponse, response), query, edition=edition
        )


def _build_wikipedia_params(query: SearchQuery) -> dict[str, str]:
    plain = query.with_changes(sites=())  # Wikipedia is a single site
    return {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "list": "search",
        "srsearch": build_operator_query(plain, max_chars=SPEC.max_query_chars),
        "srlimit": str(min(query.count, SPEC.max_results)),
        "srprop": "snippet",
        "meta": "siteinfo",
        "siprop": "general",
    }


def _choose_edition(language: str | None) -> str:
    base = (language or "en").lower().partition("-")[0]
    name = _RENAMED_LANGUAGES.get(base, base)
    return name if name in _EDITION_CODES else "en"


def _build_edition_address(base_url: str, edition: str) -> str:
    """The API address of an edition; a configured address on another host is returned unchanged."""
    return base_url.replace(_ENGLISH_HOST, f"//{edition}.wikipedia.org", 1)


def _read_wikipedia_matches(
    answer: _WikipediaResponse, query: SearchQuery, *, edition: str
) -> SearchHits:
    if answer.query is None:  # absent if no page matches a title search
        return SearchHits(notes=_build_wikipedia_notes(query, edition))
    site = answer.query.general
    home = site.base if site and site.base else f"https://{edition}.wikipedia.org/wiki/Main"
    hits = tuple(_parse_wikipedia_match(match, home=home) for match in answer.query.search)
    info = answer.query.searchinfo
    return SearchHits(
        hits=hits[: query.count],
        total=info.totalhits if info else None,
        notes=_build_wikipedia_notes(query, edition),
    )


def _build_wikipedia_notes(query: SearchQuery, edition: str) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"Wikipedia is asked for at most {SPEC.max_results} results.")
    if query.language and edition == "en" and not query.language.lower().startswith("en"):
        notes.append(
            f"There is no large Wikipedia in {query.language}; English was searched instead."
        )
    return tuple(notes)


def _parse_wikipedia_match(match: _WikipediaMatch, *, home: str) -> SearchHit:
    name = quote(match.title.replace(" ", "_"), safe="/:@!$*(),;~-._'", errors="replace")
    return SearchHit(
        title=clean_markup(match.title) or name,
        url=home.rpartition("/")[0] + "/" + name,
        snippet=clean_markup(match.snippet),
        engine=SPEC.name,
    )
