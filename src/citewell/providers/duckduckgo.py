"""DuckDuckGo through its page without scripts; no key, and the default when nothing is set up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urljoin, urlsplit

from citewell.errors import BadShape, Blocked, RateLimited, UpstreamError
from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import absolute
from citewell.net.message import Response
from citewell.net.paging import Page, gather
from citewell.ports import Kit, Offer, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import compose

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SPEC = Spec(
    name="duckduckgo",
    title="DuckDuckGo",
    home="https://duckduckgo.com/duckduckgo-help-pages/results/syntax",
    base_url="https://html.duckduckgo.com/html/",
    offers=frozenset({Offer.WEB}),
    filters=frozenset(
        {
            Filter.SITES,
            Filter.TIME_RANGE,
            Filter.SAFE,
            Filter.COUNTRY,
            Filter.EXACT_TERMS,
            Filter.EXCLUDE_TERMS,
        }
    ),
    max_results=30,
    max_sites=8,
    max_query=499,  # longer queries are answered with an empty page
    per_second=0.5,  # about five quick requests bring up the challenge
    burst=3,
    rank=20,
    terms=(
        "Throttles addresses of data centres; meant for a person's own searches. Its page for people"
        " is read under a browser's User-Agent, since any other is shown a challenge at once."
    ),
)

# Anything that does not look like a browser is shown the challenge at once.
_HEADERS = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml",
}
_PAGES = 3
_SPANS = {"hour": "d", "day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE = {"off": "-2", "medium": "-1", "high": "1"}
_CHALLENGE = ("anomaly-modal", "challenge-form", "anomaly.js", "bots use duckduckgo")

# Country to region; the first language is the default where a country has several.
_REGIONS = {
    "AR": "ar-es", "AT": "at-de", "AU": "au-en", "BE": "be-nl be-fr", "BG": "bg-bg",
    "BR": "br-pt", "CA": "ca-en ca-fr", "CH": "ch-de ch-fr ch-it", "CL": "cl-es", "CN": "cn-zh",
    "CO": "co-es", "CZ": "cz-cs", "DE": "de-de", "DK": "dk-da", "EE": "ee-et", "ES": "es-es es-ca",
    "FI": "fi-fi", "FR": "fr-fr", "GB": "uk-en", "GR": "gr-el", "HK": "hk-tzh", "HR": "hr-hr",
    "HU": "hu-hu", "ID": "id-en", "IE": "ie-en", "IL": "il-en", "IN": "in-en", "IT": "it-it",
    "JP": "jp-jp", "KR": "kr-kr", "LT": "lt-lt", "LV": "lv-lv", "MX": "mx-es", "MY": "my-en",
    "NL": "nl-nl", "NO": "no-no", "NZ": "nz-en", "PE": "pe-es", "PH": "ph-en", "PL": "pl-pl",
    "PT": "pt-pt", "RO": "ro-ro", "RU": "ru-ru", "SE": "se-sv", "SG": "sg-en", "SI": "sl-sl",
    "SK": "sk-sk", "TH": "th-en", "TR": "tr-tr", "TW": "tw-tzh", "UA": "ua-uk", "US": "us-en us-es",
    "VN": "vn-en", "ZA": "za-en",
}  # fmt: skip
_WORLD = "wt-wt"
_CHALLENGED = 120.0  # seconds of rest; asking again at once prolongs the challenge


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """One page of results, and the form that asks for the next."""

    hits: tuple[Hit, ...]
    next: dict[str, str]


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._clock = clock

    async def web(self, query: Query) -> Found:
        form: dict[str, str] = {}

        async def page(number: int) -> Page[Hit]:
            nonlocal form
            sheet = self._read(await self._ask(query, form if number else {}))
            form = sheet.next
            return Page(items=sheet.hits, more=bool(form))

        found = await gather(page, count=min(query.count, SPEC.max_results), pages=_PAGES)
        return Found(hits=found.items, notes=(*_notes(query), *found.notes))

    async def _ask(self, query: Query, form: dict[str, str]) -> Response:
        if form:
            return await self._upstream.post(form=form, headers=_HEADERS)
        return await self._upstream.get(params=_params(query), headers=_HEADERS)

    def _read(self, response: Response) -> _Sheet:
        html = response.text()
        try:
            _refuse_challenge(html, status=response.status)
        except UpstreamError:
            self._upstream.rest(_CHALLENGED)
            raise
        return _read_sheet(html, now=datetime.fromtimestamp(self._clock(), UTC))


def _params(query: Query) -> dict[str, str]:
    params = {
        "q": compose(query, limit=SPEC.max_query),
        "kl": _region(query.country, query.language),
        "p": _SAFE[query.safe],
    }
    if query.time_range:
        params["df"] = _SPANS[query.time_range]
    return params


def _region(country: str | None, language: str | None) -> str:
    regions = _REGIONS.get(country or "", _WORLD).split()
    wanted = (language or "").lower().partition("-")[0]
    return next((region for region in regions if region.endswith(f"-{wanted}")), regions[0])


def _notes(query: Query) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"DuckDuckGo is asked for at most {SPEC.max_results} results.")
    if query.time_range == "hour":
        notes.append("DuckDuckGo's shortest time range is a day.")
    if query.country and query.country not in _REGIONS:
        notes.append(f"DuckDuckGo has no region {query.country}; the country was not applied.")
    return tuple(notes)


def _refuse_challenge(html: str, *, status: int) -> None:
    """The challenge comes with status 200 or 202 and must not pass for an empty answer."""
    lower = html.lower()
    if "result__a" not in lower and any(mark in lower for mark in _CHALLENGE):
        message = "DuckDuckGo asks to prove that a person is searching (bot wall)."
        raise Blocked(
            message, provider=SPEC.name, detail="bot_wall", action="try_different_provider"
        )
    if status == 202:
        raise RateLimited("DuckDuckGo is throttling this address.", provider=SPEC.name)


def _read_sheet(html: str, *, now: datetime) -> _Sheet:
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(html)
    results = page.css(".result")
    organic = [result for result in results if not _is_ad(result)]
    hits = tuple(hit for hit in (_hit(result, now=now) for result in organic) if hit)
    said_empty = page.css_matches(".no-results, .result--no-result")
    if not said_empty and not hits and (organic or not results):
        message = "DuckDuckGo's page has neither results nor the notice that there are none."
        raise BadShape(message, provider=SPEC.name)
    return _Sheet(hits=hits, next=_next_form(page))


def _is_ad(result: LexborNode) -> bool:
    classes = result.attributes.get("class") or ""
    return "result--ad" in classes or result.css_first(".badge--ad") is not None


def _hit(result: LexborNode, *, now: datetime) -> Hit | None:
    """None for notices, and for links that lead nowhere but to DuckDuckGo itself."""
    anchor = result.css_first("a.result__a")
    url = target(anchor.attributes.get("href") or "") if anchor else None
    if anchor is None or url is None:
        return None
    snippet = result.css_first(".result__snippet")
    published = _published(result, now=now)
    return Hit(
        title=clean(anchor.html) or url,
        url=url,
        snippet=clean(snippet.html) if snippet else "",
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
    )


def target(href: str) -> str | None:
    """Where a result link leads: the address in `uddg` when wrapped; None for advertisements."""
    try:
        address = absolute(urljoin("https://duckduckgo.com/", href.strip()))
        parts = urlsplit(address)
        host = parts.hostname or ""
        if host != "duckduckgo.com" and not host.endswith(".duckduckgo.com"):
            return address
        wrapped = parse_qs(parts.query).get("uddg", [""])[0] if parts.path == "/l/" else ""
        return absolute(wrapped)
    except ValueError:
        return None


def _published(result: LexborNode, *, now: datetime) -> datetime | None:
    dates = (read_date(span.text(), now=now) for span in result.css(".result__extras span"))
    return next((date for date in dates if date), None)


def _next_form(page: LexborHTMLParser) -> dict[str, str]:
    """The hidden fields of the "next" button; empty on the last page."""
    for form in page.css(".nav-link form"):
        if form.css_first('input[type="submit"][value="Next"]') is None:
            continue
        fields = (field.attributes for field in form.css('input[type="hidden"]'))
        return {name: field.get("value") or "" for field in fields if (name := field.get("name"))}
    return {}
