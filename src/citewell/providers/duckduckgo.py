"""DuckDuckGo through its page without JavaScript; no key; the default if nothing is configured."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urljoin, urlsplit

from citewell.core.errors import Blocked, FailureReason, MalformedResponse, RateLimited
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import require_http_address
from citewell.providers.dialects.result_paging import ResultPage, gather_pages, note_result_limit
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SPEC = ProviderSpec(
    name="duckduckgo",
    title="DuckDuckGo",
    homepage="https://duckduckgo.com/duckduckgo-help-pages/results/syntax",
    base_url="https://html.duckduckgo.com/html/",
    offers=frozenset({Offer.WEB}),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.SAFE,
            SearchFilter.COUNTRY,
            SearchFilter.EXACT_TERMS,
            SearchFilter.EXCLUDE_TERMS,
        }
    ),
    max_results=30,
    max_sites=8,
    max_query_chars=499,  # a longer query gets an empty page
    per_second=0.5,  # about five quick requests trigger the bot wall
    burst=3,
    rank=20,
    terms=(
        "Throttles addresses of data centres; meant for a person's own searches. Its page for people"
        " is read under a browser's User-Agent, since any other is shown a challenge at once."
    ),
)

# A client that does not look like a browser gets the bot wall at once.
_BROWSER_HEADERS = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml",
}
_MAX_PAGES = 3
_TIME_RANGE_CODES = {"hour": "d", "day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE_SEARCH_LEVELS = {"off": "-2", "medium": "-1", "high": "1"}
_CHALLENGE_MARKS = ("anomaly-modal", "challenge-form", "anomaly.js", "bots use duckduckgo")

_WORLD_REGION = "wt-wt"
_CHALLENGE_REST_SECONDS = 120.0  # asking again sooner prolongs the bot wall


@dataclass(frozen=True, slots=True, kw_only=True)
class _DuckDuckGoPage:
    """One page of results, and the form fields that request the next page."""

    hits: tuple[SearchHit, ...]
    next_form: dict[str, str]


_PARSE_PAGE: WorkerTask[_DuckDuckGoPage] = WorkerTask(
    "citewell.providers.duckduckgo:parse_duckduckgo_page", _DuckDuckGoPage
)


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        form: dict[str, str] = {}

        async def page(number: int) -> ResultPage[SearchHit]:
            nonlocal form
            sheet = await self._read_duckduckgo_page(
                await self._fetch_duckduckgo_page(query, form if number else {})
            )
            form = sheet.next_form
            return ResultPage(items=sheet.hits, has_more=bool(form))

        found = await gather_pages(
            page, count=min(query.count, SPEC.max_results), max_pages=_MAX_PAGES
        )
        return SearchHits(hits=found.items, notes=(*_build_duckduckgo_notes(query), *found.notes))

    async def _fetch_duckduckgo_page(
        self, query: SearchQuery, form: dict[str, str]
    ) -> HttpResponse:
        if form:
            return await self._upstream.send_post(form=form, headers=_BROWSER_HEADERS)
        return await self._upstream.send_get(
            params=_build_duckduckgo_params(query), headers=_BROWSER_HEADERS
        )

    async def _read_duckduckgo_page(self, response: HttpResponse) -> _DuckDuckGoPage:
        try:
            return await self._kit.require_workers().run_task(
                _PARSE_PAGE,
                body=response.body,
                status=response.status,
                now=self._read_now(),
            )
        except TaskFailure as failure:
            raise MalformedResponse(failure.message, provider=SPEC.name) from None
        except (Blocked, RateLimited):
            self._upstream.pause_requests(_CHALLENGE_REST_SECONDS)
            raise


def _build_duckduckgo_params(query: SearchQuery) -> dict[str, str]:
    regions = _load_region_codes().get(query.country or "", _WORLD_REGION).split()
    wanted = (query.language or "").lower().partition("-")[0]
    params = {
        "q": build_operator_query(query, max_chars=SPEC.max_query_chars),
        "kl": next((region for region in regions if region.endswith(f"-{wanted}")), regions[0]),
        "p": _SAFE_SEARCH_LEVELS[query.safe],
    }
    if query.time_range:
        params["df"] = _TIME_RANGE_CODES[query.time_range]
    return params


def _build_duckduckgo_notes(query: SearchQuery) -> tuple[str, ...]:
    notes = [*note_result_limit(query, SPEC.max_results, "DuckDuckGo is asked for at most")]
    if query.time_range == "hour":
        notes.append("DuckDuckGo's shortest time range is a day.")
    if query.country and query.country not in _load_region_codes():
        notes.append(f"DuckDuckGo has no region {query.country}; the country was not applied.")
    return tuple(notes)


def _check_challenge(html: str, *, status: int) -> None:
    """Raise if the page is a bot wall. It has status 200 or 202 and looks like an empty result."""
    lower = html.lower()
    if "result__a" not in lower and any(mark in lower for mark in _CHALLENGE_MARKS):
        message = "DuckDuckGo asks for proof that a person is searching (bot wall)."
        raise Blocked(
            message,
            provider=SPEC.name,
            detail="bot_wall",
            action="try_different_provider",
            reason=FailureReason.BOT_WALL,
        )
    if status == 202:
        raise RateLimited(
            "DuckDuckGo is limiting requests from this IP address.", provider=SPEC.name
        )


def parse_duckduckgo_page(body: bytes, status: int, now: datetime) -> _DuckDuckGoPage:
    """The results of a page; a worker does this. Raises Blocked or RateLimited for a bot wall."""
    from selectolax.lexbor import LexborHTMLParser

    html = body.decode("utf-8", "replace")
    _check_challenge(html, status=status)
    page = LexborHTMLParser(html)
    results = page.css(".result")
    organic = [
        result
        for result in results
        if "result--ad" not in (result.attributes.get("class") or "")
        and result.css_first(".badge--ad") is None
    ]
    hits = tuple(
        hit for hit in (_parse_duckduckgo_result(result, now=now) for result in organic) if hit
    )
    said_empty = page.css_matches(".no-results, .result--no-result")
    if not said_empty and not hits and (organic or not results):
        message = "DuckDuckGo's page has neither results nor a notice that there are none."
        raise MalformedResponse(message, provider=SPEC.name)
    return _DuckDuckGoPage(hits=hits, next_form=_find_next_form(page))


def _parse_duckduckgo_result(result: LexborNode, *, now: datetime) -> SearchHit | None:
    """The hit; None for notices and for links that lead only to DuckDuckGo itself."""
    anchor = result.css_first("a.result__a")
    url = resolve_result_link(anchor.attributes.get("href") or "") if anchor else None
    if anchor is None or url is None:
        return None
    snippet = result.css_first(".result__snippet")
    dates = (
        parse_provider_date(span.text(), now=now) for span in result.css(".result__extras span")
    )
    published = next((date for date in dates if date), None)
    return SearchHit(
        title=clean_markup(anchor.html) or url,
        url=url,
        snippet=clean_markup(snippet.html) if snippet else "",
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
    )


def resolve_result_link(href: str) -> str | None:
    """The target of a result link, taken from `uddg` if it is a redirect; None for advertisements."""
    try:
        address = require_http_address(urljoin("https://duckduckgo.com/", href.strip()))
        parts = urlsplit(address)
        host = parts.hostname or ""
        if host != "duckduckgo.com" and not host.endswith(".duckduckgo.com"):
            return address
        wrapped = parse_qs(parts.query).get("uddg", [""])[0] if parts.path == "/l/" else ""
        return require_http_address(wrapped)
    except ValueError:
        return None


def _find_next_form(page: LexborHTMLParser) -> dict[str, str]:
    """The hidden fields of the "Next" form; empty on the last page."""
    for form in page.css(".nav-link form"):
        if form.css_first('input[type="submit"][value="Next"]') is None:
            continue
        fields = (field.attributes for field in form.css('input[type="hidden"]'))
        return {name: field.get("value") or "" for field in fields if (name := field.get("name"))}
    return {}


# Regions of each country; the first is the default.
@cache
def _load_region_codes() -> dict[str, str]:
    return dict(load_table(__package__, "duckduckgo")["region_codes"])
