"""What all site readers share: endpoints, routes, network access and building the page."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from citewell.core.errors import NotFound, RefusedByPolicy, UpstreamError
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page, PageAuthor
from citewell.net.http.messages import HttpResponse, QueryPairs, RedirectPolicy
from citewell.net.robots_rules import RobotsPolicy
from citewell.net.upstream.json_responses import ResponsePart
from citewell.net.upstream.upstream_client import Upstream
from citewell.reading.extracted_page import clean_page_text
from citewell.reading.sites import site_markdown
from citewell.text import addresses
from citewell.text.safety.text_cleaning import clean_markup
from citewell.workers.worker_tasks import TaskRunner, run_function

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=ResponsePart)

API_DATE_BASIS = "api"  # the basis of dates that a site's API gives
_HTML_REQUEST_HEADERS = {
    "accept": "text/html, application/xhtml+xml;q=0.9",
    "accept-language": "en;q=0.8, *;q=0.5",
}
_CONTROL_CHARACTER_PATTERN = re.compile(r"[\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteEndpoint:
    """One server that a site reader uses. `page` marks web pages, which robots.txt covers."""

    name: str
    base_url: str  # overridden by CITEWELL_<NAME>_BASE_URL
    timeout: float = 10.0
    per_second: float | None = None
    burst: int = 1
    page: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    token_env: str | None = None  # a setting whose value is sent as a bearer token
    is_of_others: bool = False  # run by others than the site, so that strangers learn the address

    @property
    def base_url_env(self) -> str:
        return f"CITEWELL_{self.name.upper()}_BASE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRoute:
    """What an address means on its site; each site decides what the fields hold."""

    url: str
    kind: str
    id: str = ""
    owner: str = ""
    name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePageParts:
    """What a site's HTML page holds, as a worker read it; `SiteKit.build_page` takes the same names."""

    content: str
    content_type: str
    title: str
    kind: str = "article"
    author: str | None = None
    has_people: bool = False  # the author line names people, and no account or organisation
    site: str | None = None
    language: str | None = None
    published: str | None = None
    published_basis: str = API_DATE_BASIS
    modified: str | None = None
    final_url: str = ""  # "" if it is the address that was asked for
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAddress:
    """The parts of an address, for matching."""

    host: str
    parts: tuple[str, ...]  # the path's segments, decoded
    query: Mapping[str, str]
    fragment: str = ""

    def find_part(self, place: int) -> str:
        return self.parts[place] if place < len(self.parts) else ""


def parse_site_address(url: str) -> SiteAddress | None:
    """The parts of a web address; None if it is invalid, or has a user name or an unusual port."""
    if not addresses.is_web_address(url) or _CONTROL_CHARACTER_PATTERN.search(url):
        return None
    split = urlsplit(url)
    try:
        if split.port not in {None, 80, 443} or "@" in split.netloc:
            return None
    except ValueError:
        return None
    parts = tuple(unquote(part) for part in split.path.split("/") if part)
    if any(_CONTROL_CHARACTER_PATTERN.search(part) or part in {".", ".."} for part in parts):
        return None
    query = dict(reversed(parse_qsl(split.query)))
    return SiteAddress(
        host=addresses.extract_host(url), parts=parts, query=query, fragment=split.fragment
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A token that an API gave us for a while."""

    value: str = field(repr=False)
    expires_at: datetime


class SiteNetwork(Protocol):
    def open_upstream(
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


DocumentFetch = Callable[[str], Awaitable[Page]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteKit:
    """The network, settings and clock that a site reader is given."""

    network: SiteNetwork
    workers: TaskRunner  # parse what the sites send
    setting_values: Mapping[str, str] = field(default_factory=dict, repr=False)
    robots: RobotsPolicy | None = None  # None if the operator turned robots.txt off
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    read_document: DocumentFetch | None = None  # reads a PDF by its address
    access_tokens: dict[str, AccessToken] = field(default_factory=dict, repr=False)  # by endpoint
    is_sealed: bool = False  # nobody but the site itself may learn the address

    def choose_base_url(self, endpoint: SiteEndpoint, otherwise: str | None = None) -> str:
        """The base URL from the settings, else `otherwise`, else the endpoint's own."""
        return self.setting_values.get(endpoint.base_url_env) or otherwise or endpoint.base_url

    def open_upstream(self, endpoint: SiteEndpoint) -> Upstream:
        """The endpoint's upstream; raises RefusedByPolicy if it may not learn the address."""
        if endpoint.is_of_others and self.is_sealed:
            raise RefusedByPolicy(f"{endpoint.name} may not learn addresses on this server.")
        token = self.setting_values.get(endpoint.token_env) if endpoint.token_env else None
        return self.network.open_upstream(
            endpoint.name,
            base_url=self.choose_base_url(endpoint),
            headers=endpoint.headers,
            secret_headers={"authorization": f"Bearer {token}"} if token else {},
            per_second=endpoint.per_second,
            burst=endpoint.burst,
            timeout=endpoint.timeout,
            page=endpoint.page,
        )

    async def fetch_site_page(
        self,
        endpoint: SiteEndpoint,
        path: str,
        *,
        params: QueryPairs | None = None,
        redirects: RedirectPolicy = RedirectPolicy.SAME_ORIGIN,
        accept: tuple[int, ...] = (),
    ) -> HttpResponse:
        """A web page of the site; raises Refused if its robots.txt forbids fetching it."""
        url = self.choose_base_url(endpoint).rstrip("/") + "/" + path.lstrip("/")
        if self.robots is not None:
            await self.robots.check_robots(url)
        return await self.open_upstream(endpoint).send_get(
            path,
            params=params or {},
            headers=_HTML_REQUEST_HEADERS,
            redirects=redirects,
            accept=accept,
        )

    async def run_apart(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a function of `workers.task_table` over what the site sent, in a worker process.

        Arguments and the result are declared types that JSON can carry, never a tree or this kit.
        """
        return await run_function(self.workers, function, *args, **kwargs)

    def build_page(
        self,
        route: SiteRoute,
        *,
        content: str | Iterable[str | None],
        content_type: str,
        title: str,
        **more: Any,
    ) -> Page:
        """The page with the time of fetching; `finish_page` cleans its content.

        `content` is markdown, or blocks of it, of which empty ones are left out. `author` names an account
        or an organisation, which is cited as it is, unless `has_people`.
        """
        basis = more.pop("published_basis", API_DATE_BASIS)
        has_people, author = more.pop("has_people", False), more.pop("author", None)
        is_named = author and author != "[deleted]"
        literal = (PageAuthor(name=author, organisation=True),) if is_named else ()
        return Page(
            url=route.url,
            final_url=more.pop("final_url", "") or route.url,
            content=content if isinstance(content, str) else site_markdown.join_blocks(content),
            content_type=content_type,
            title=clean_markup(title) or route.url,
            author=author if is_named else None,
            authors=() if has_people else literal,
            published_basis=basis if more.get("published") else None,
            fetched_at=self.now(),
            **more,
        )

    def build_parts_page(self, route: SiteRoute, parts: SitePageParts | None) -> Page | None:
        """The page of the parts; None if there are none."""
        return self.build_page(route, **asdict(parts)) if parts is not None else None

    async def finish_page(self, page: Page) -> Page:
        """The page with its content cleaned, its words counted and its injection signals."""
        cleaned = await self.run_apart(clean_page_text, page.content)
        return replace(
            page,
            content=cleaned.text,
            word_count=cleaned.word_count,
            hidden=cleaned.hidden_counts,
            injection_signals=cleaned.signals,
        )


SitePageRead = Callable[[SiteRoute, SiteKit], Awaitable[Page | None]]


def fall_back_to_ladder(read: SitePageRead) -> SitePageRead:
    """Make a reader return None, so that the ladder fetches the page, if its API fails or is refused.

    An error with a provider is the API's failure; one without is about the page and is raised.
    """

    @wraps(read)
    async def reading(route: SiteRoute, kit: SiteKit) -> Page | None:
        try:
            return await read(route, kit)
        except RefusedByPolicy:
            return None
        except (UpstreamError, NotFound) as error:
            if error.provider is None:
                raise
            return None

    return reading


def format_epoch_time(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None if not positive or out of range."""
    if seconds is None or seconds <= 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return None


def normalize_iso_time(text: str | None) -> str | None:
    """An ISO 8601 time converted to UTC; None if the text is not one."""
    try:
        found = datetime.fromisoformat((text or "").strip())
        return (
            found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC).isoformat(timespec="seconds")
        )
    except (ValueError, OverflowError):
        return None


def trim_to_date(stamp: str | None) -> str:
    """The date part of an ISO time; "" if there is none."""
    return (stamp or "")[:10]


# What pages of posts and profiles on social networks share.


def format_reactions(
    *,
    likes: int | None,
    reposts: int | None,
    replies: int | None,
    quotes: int | None,
    views: int | None = None,
) -> str:
    return site_markdown.join_facts(
        site_markdown.format_count(likes, "like"),
        site_markdown.format_count(reposts, "repost"),
        "" if replies is None else f"{replies:,} {pluralize(replies, 'reply', 'replies')}",
        site_markdown.format_count(quotes, "quote"),
        site_markdown.format_count(views, "view"),
    )


def build_profile_page(
    route: SiteRoute,
    kit: SiteKit,
    *,
    name: str,
    handle: str | None,
    description: str | None,
    location: str | None = None,
    followers: int | None,
    following: int | None,
    posts: int | None,
    joined: str | None,
    **more: Any,
) -> Page:
    """The page of an account; `joined` is an ISO date, `more` as for `SiteKit.build_page`."""
    facts = site_markdown.join_facts(
        site_markdown.format_inline_text(location),
        site_markdown.format_count(followers, "follower"),
        "" if following is None else f"{following:,} following",
        site_markdown.format_count(posts, "post"),
        f"joined {trim_to_date(joined)}" if joined else "",
    )
    shown_name, shown_handle = map(site_markdown.format_inline_text, (name, handle))
    about = site_markdown.convert_plain_text(description)
    return kit.build_page(
        route,
        content=(f"# {shown_name} (@{shown_handle})", about, facts),
        title=f"{name} (@{clean_markup(handle)})",
        kind="forum",
        author=name or None,
        **more,
    )
