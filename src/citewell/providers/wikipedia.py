"""Wikipedia articles in the requested language, through the MediaWiki search API; no key."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.result_paging import note_result_limit
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.data_tables import load_words
from citewell.text.language.detection import detect_language
from citewell.text.safety.text_cleaning import clean_markup

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

_RENAMED_LANGUAGES = {"nb": "no", "fil": "tl"}


class _WikipediaMatch(wire.ResponsePart):
    title: Annotated[str, Field(min_length=1)]
    snippet: wire.OptionalField[str] = None


class _WikipediaQuery(wire.ResponsePart):
    search: wire.TolerantItems[_WikipediaMatch]
    total: wire.OptionalField[int] = wire.nested_field("searchinfo.totalhits")
    # The address of the main page; a title replaces its last part.
    base: wire.OptionalField[wire.HttpLink] = wire.nested_field("general.base")


class _WikipediaResponse(wire.JsonResponse):
    query: _WikipediaQuery | None = None


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        base = ((query.language or detect_language(query.text)) or "en").lower().partition("-")[0]
        name = _RENAMED_LANGUAGES.get(base, base)
        edition = name if name in load_words(__package__, "wikipedia", "edition_codes") else "en"
        response = await self._upstream.send_get(
            params=_build_wikipedia_params(query),
            base_url=self._upstream.base_url.replace(
                _ENGLISH_HOST, f"//{edition}.wikipedia.org", 1
            ),
        )
        return _read_wikipedia_matches(
            wire.read_json_response(_WikipediaResponse, response), query, edition=edition
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


def _read_wikipedia_matches(
    answer: _WikipediaResponse, query: SearchQuery, *, edition: str
) -> SearchHits:
    if answer.query is None:  # absent if no page matches a title search
        return SearchHits(notes=_build_wikipedia_notes(query, edition))
    home = answer.query.base or f"https://{edition}.wikipedia.org/wiki/Main"
    hits = tuple(_parse_wikipedia_match(match, home=home) for match in answer.query.search)
    return SearchHits(
        hits=hits[: query.count],
        total=answer.query.total,
        notes=_build_wikipedia_notes(query, edition),
    )


def _build_wikipedia_notes(query: SearchQuery, edition: str) -> tuple[str, ...]:
    notes = [*note_result_limit(query, SPEC.max_results, "Wikipedia is asked for at most")]
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


# The larger editions. Other codes redirect to another site or do not exist.
