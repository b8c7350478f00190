"""What every reader of one site works with: its routes, its doors to the network, and its pages."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Protocol
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from citewell.errors import NotFound, Refused, UpstreamError
from citewell.model.page import Page
from citewell.net.message import Pairs, Redirects, Response
from citewell.net.upstream import Upstream
from citewell.text import tokens, urls
from citewell.text.invisible import cleanse
from citewell.text.markup import clean

BASIS = "api"  # where the dates of these pages come from
_HTML = {"accept": "text/html, application/xhtml+xml;q=0.9", "accept-language": "en;q=0.8, *;q=0.5"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One server that a site's reader asks. `page` marks web pages, which robots.txt speaks of."""

    name: str
    base_url: str  # overridden by CITEWELL_<NAME>_BASE_URL
    timeout: float = 10.0
    per_second: float | None = None
    burst: int = 1
    page: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    token_env: str | None = None  # a setting whose value is sent as a bearer token

    @property
    def base_url_env(self) -> str:
        return f"CITEWELL_{self.name.upper()}_BASE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which thing of a site an address means; what the parts hold is the site's business."""

    url: str
    kind: str
    id: str = ""
    owner: str = ""
    name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address taken apart for matching."""

    host: str
    parts: tuple[str, ...]  # the path's segments, decoded
    query: Mapping[str, str]
    fragment: str = ""

    def part(self, place: int) -> str:
        return self.parts[place] if place < len(self.parts) else ""


def address(url: str) -> Address | None:
    """None for what is no web address, names a user, or goes to a port of its own."""
    if not urls.readable(url) or _CONTROL.search(url):
        return None
    split = urlsplit(url)
    if not _ordinary(split):
        return None
    parts = tuple(unquote(part) for part in split.path.split("/") if part)
    if any(_CONTROL.search(part) or part in {".", ".."} for part in parts):
        return None
    query = dict(reversed(parse_qsl(split.query)))
    return Address(host=urls.host(url), parts=parts, query=query, fragment=split.fragment)


def _ordinary(split: SplitResult) -> bool:
    try:
        return split.port in {None, 80, 443} and "@" not in split.netloc
    except ValueError:
        return False


class Network(Protocol):
    def upstream(
        self,
        name: str,
        *,
        base_url: str,
        headers: Mapping[str, str] = ...,
        secret_headers: Mapping[str, str] = ...,
        per_second: float | None = ...,
        burst: int = ...,
        timeout: float | None = ...,
        page: bool = ...,
    ) -> Upstream: ...


class Robots(Protocol):
    async def check(self, url: str) -> None: ...


ReadDocument = Callable[[str], Awaitable[Page]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteKit:
    """The doors, settings and clock that a site's reader is given."""

    network: Network
    raw: Mapping[str, str] = field(default_factory=dict, repr=False)
    robots: Robots | None = None  # None where the operator chose not to ask
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    read_document: ReadDocument | None = None  # reads a PDF by its address

    def base(self, endpoint: Endpoint, otherwise: str | None = None) -> str:
        """The setting's address, else the given one, else the endpoint's own."""
        return self.raw.get(endpoint.base_url_env) or otherwise or endpoint.base_url

    def upstream(self, endpoint: Endpoint) -> Upstream:
        token = self.raw.get(endpoint.token_env) if endpoint.token_env else None
        return self.network.upstream(
            endpoint.name,
            base_url=self.base(endpoint),
            headers=endpoint.headers,
            secret_headers={"authorization": f"Bearer {token}"} if token else {},
            per_second=endpoint.per_second,
            burst=endpoint.burst,
            timeout=endpoint.timeout,
            page=endpoint.page,
        )

    async def get_page(
        self,
        endpoint: Endpoint,
        path: str,
        *,
        params: Pairs | None = None,
        redirects: Redirects = Redirects.SAME_ORIGIN,
        accept: tuple[int, ...] = (),
    ) -> Response:
        """A web page of the site, after asking its robots.txt; Refused where that forbids it."""
        url = self.base(endpoint).rstrip("/") + "/" + path.lstrip("/")
        if self.robots is not None:
            await self.robots.check(url)
        return await self.upstream(endpoint).get(
            path, params=params or {}, headers=_HTML, redirects=redirects, accept=accept
        )

    def page(
        self, route: Route, *, content: str, content_type: str, title: str, **more: Any
    ) -> Page:
        """The finished page: cleaned, counted and stamped."""
        cleaned = cleanse(content)
        basis = more.pop("published_basis", BASIS)
        text = cleaned.text.strip()
        return Page(
            url=route.url,
            final_url=more.pop("final_url", route.url),
            content=text,
            content_type=content_type,
            title=clean(title) or route.url,
            word_count=sum(1 for _ in tokens.words(text)),
            published_basis=basis if more.get("published") else None,
            fetched_at=self.now(),
            hidden=cleaned.counts,
            **more,
        )


Read = Callable[[Route, SiteKit], Awaitable[Page | None]]


def or_ladder(read: Read) -> Read:
    """None, which means the ordinary ladder, for an API's trouble or a refused address of its own.

    An error that names an upstream is that upstream's; one without is a verdict on the page.
    """

    @wraps(read)
    async def reading(route: Route, kit: SiteKit) -> Page | None:
        try:
            return await read(route, kit)
        except Refused:
            return None
        except (UpstreamError, NotFound) as error:
            if error.provider is None:
                raise
            return None

    return reading


def from_epoch(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None for what is no time."""
    if seconds is None or seconds <= 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return None


def from_iso(text: str | None) -> str | None:
    """An API's ISO 8601 time in UTC; None for anything else."""
    try:
        found = datetime.fromisoformat((text or "").strip())
        return (
            found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC).isoformat(timespec="seconds")
        )
    except (ValueError, OverflowError):
        return None


def day(stamp: str | None) -> str:
    """The date of an ISO time, for a line of text."""
    return (stamp or "")[:10]
