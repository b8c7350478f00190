"""Checks whether addresses still work, and finds an archived copy of those that do not."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Self

from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.values.citation_checks import PAGE_DEAD, PAGE_GONE, PAGE_NEVER_EXISTED
from citewell.links.internet_archive import PUBLIC_ARCHIVE_URL, WaybackMachine
from citewell.links.settings import LinksSettings
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.network import Network
from citewell.reading import landing_pages
from citewell.reading.landing_pages import LandingVerdict
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

MAX_CONCURRENT_CHECKS = 8
LINK_CHECK_SECONDS = 8.0  # for all requests of one address together
LINK_STATE_SECONDS = 3600.0  # seconds a link state stays cached
ARCHIVE_HISTORY_SECONDS = 20.0  # for asking the archive's index about all dead links of a call
PASSING_STATE_SECONDS = 120.0  # seconds for a state that may soon change, such as a timeout
_HEAD_SECONDS = 3.0  # servers that never answer HEAD must leave time for GET
_PAGE_START_BYTES = 256 * 1024  # the first bytes of a page are enough to judge it
_MAX_PAGE_BYTES = 4 * 2**20  # bytes; a compressed page has to be fetched whole
_BLOCKED_STATUSES = frozenset(
    {401, 402, 403, 405, 406, 407, 423, 425, 429, 451, 503, 999}
)  # the page may exist, but the server does not show it to us
_REMOVED_STATUS = 410
_GONE_STATUSES = frozenset(
    {404, _REMOVED_STATUS}
)  # the server itself says that there is no such page
_LINK_STATE_VERSION = 5  # raised when LinkState changes its shape
# The words of a link state; every other failure is "connection".
_WORDS_BY_REASON: Mapping[errors.FailureReason | None, str] = {
    errors.FailureReason.DNS: "dns",
    errors.FailureReason.OFFLINE: "offline",
    errors.FailureReason.TIMEOUT: "timeout",
    errors.FailureReason.TLS: "tls",
    errors.FailureReason.TOO_MANY_REDIRECTS: "redirect_loop",
}
_HTML_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_JUDGE_LANDING: WorkerTask[LandingVerdict] = WorkerTask(
    "citewell.reading.landing_pages:judge_landing_body", LandingVerdict
)
_FIND_BLOCK: WorkerTask[bool] = WorkerTask("citewell.reading.landing_pages:has_blocking_body", bool)
_COMPARE_PAGES: WorkerTask[bool] = WorkerTask("citewell.reading.landing_pages:have_same_text", bool)
# Any other failure: dead.
_STATES_BY_FAILURE = {"tls": "blocked", "timeout": "unchecked", "offline": "unchecked"}
_PASSING_REASONS = frozenset({"timeout", "connection", "dns", "tls"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """`live`, `blocked` (it exists but is not shown to us), `dead`, or `unchecked`.

    `reason` says why it is not live: http_404, gone, soft_404, home_redirect, parked, dns,
    connection, redirect_loop; login, bot_wall, tls, http_403; refused, timeout, offline, http_500. A server
    in trouble or too slow says nothing about the page, so it leaves the link unchecked.
    """

    state: str
    status: int | None = None
    archived: str | None = None
    reason: str | None = None
    titles: tuple[str, ...] = field(default=(), compare=False)  # the page's own, if it was read
    moved_to: str | None = None  # where permanent redirects lead, if that is another page
    was_archived: bool | None = None  # None: not known; set by `trace_dead_links`

    @property
    def has_existed(self) -> bool | None:
        """Whether there once was a page at a dead address; False is likely, not certain."""
        return True if self.archived or self.status == _REMOVED_STATUS else self.was_archived

    @property
    def is_missing(self) -> bool:
        """Whether the server itself says that there is no such page."""
        return self.state == "dead" and self.status in _GONE_STATUSES

    @property
    def missing_state(self) -> str:
        """What is known of an address that `is_missing`: one of MISSING_PAGE_STATES."""
        if self.has_existed is None:
            return PAGE_DEAD
        return PAGE_GONE if self.has_existed else PAGE_NEVER_EXISTED

    @property
    def reachable(self) -> bool:
        """Whether a page exists at the address, even if it is blocked for us."""
        return self.state in {"live", "blocked"}


class LinkChecker:
    def __init__(
        self,
        network: Network,
        workers: TaskRunner,
        *,
        wayback: str,
        archive: str = PUBLIC_ARCHIVE_URL,
        loader: CachedLoader | None = None,
        sharing: AnswerSharing = SHARED_WITH_EVERYBODY,
        token: Callable[[], str] = lambda: secrets.token_hex(12),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`workers` look at the pages that addresses lead to."""
        self._client = network.client
        self._workers = workers
        self._archive = WaybackMachine(network, availability=wayback, archive=archive)
        self._loader = loader
        self._sharing = sharing
        self._token = token
        self._clock = clock

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        links_settings = kit.settings[LinksSettings]
        return cls(
            kit.network,
            kit.workers,
            wayback=links_settings.wayback_url,
            archive=links_settings.archive_url,
            loader=kit.store.loader,
            sharing=kit.sharing,
        )

    async def check_links(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]:
        """The state of each distinct address; never raises for a link, at worst it is `unchecked`."""
        wanted = tuple(dict.fromkeys(urls))
        gate = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)

        async def check_link(url: str) -> LinkState:
            async with gate:
                return await self._load_link_state(url, tenant)

        states = await asyncio.gather(*map(check_link, wanted))
        return dict(zip(wanted, states, strict=True))

    async def trace_dead_links(self, states: Mapping[str, LinkState]) -> Mapping[str, LinkState]:
        """The states, with what the archive's index says about the addresses that have no page.

        The index has captures that `check_links` does not see. `was_archived` stays None if it
        does not answer in time.
        """
        traced = dict(states)

        async def trace_link(url: str, state: LinkState) -> None:
            with contextlib.suppress(errors.CitewellError):
                copy = await self._archive.find_newest_snapshot(url)
                traced[url] = replace(
                    state, archived=copy.url if copy else None, was_archived=copy is not None
                )

        missing = [pair for pair in states.items() if pair[1].is_missing and not pair[1].archived]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ARCHIVE_HISTORY_SECONDS):
                await asyncio.gather(*(trace_link(url, state) for url, state in missing))
        return traced

    async def _load_link_state(self, url: str, tenant: str | None) -> LinkState:
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if self._loader is None or owner is None:
            return await self._check_with_archive(url)

        async def make() -> FreshValue:
            state = await self._check_with_archive(url)
            return FreshValue(
                value=json.dumps(asdict(state)).encode(), ttl=_choose_state_lifetime(state)
            )

        text = json.dumps(["link", _LINK_STATE_VERSION, url])
        link_key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        loaded = await self._loader.load_or_make(owner, link_key, make)
        kept = json.loads(loaded.entry.value)
        return LinkState(**kept | {"titles": tuple(kept["titles"])})

    async def _check_with_archive(self, url: str) -> LinkState:
        state = await self._check_address(url)
        if state.reachable or state.reason == "refused":
            return state
        try:
            copy = await self._archive.find_nearest_snapshot(url)
        except errors.CitewellError:
            return state
        return replace(state, archived=copy.url if copy else None)

    async def _check_address(self, url: str) -> LinkState:
        try:
            return await self._visit_address(url, self._clock() + LINK_CHECK_SECONDS)
        except errors.RefusedByPolicy:
            return LinkState(state="unchecked", reason="refused")
        except errors.TooLarge:
            return LinkState(state="live", status=200)  # a page too large to read does exist
        except errors.CitewellError as error:
            reason = _WORDS_BY_REASON.get(error.reason, "connection")
            return LinkState(state=_STATES_BY_FAILURE.get(reason, "dead"), reason=reason)

    async def _visit_address(self, url: str, until: float) -> LinkState:
        """HEAD is enough for what is not HTML; every other answer is confirmed by GET."""
        head = await self._send_head(url)
        if head is not None and head.status < 300 and head.content_type not in _HTML_TYPES:
            return _build_link_state(
                landing_pages.judge_redirect(url, head.url) or landing_pages.LIVE_LANDING, url, head
            )
        response = await self._fetch_page_start(url, until)
        if response.status >= 400:
            return await self._build_failed_state(response)
        found = landing_pages.judge_redirect(url, response.url)
        if found is None:
            head = replace(response, body=b"")
            found = await self._workers.run_task(
                _JUDGE_LANDING, body=response.body, head=head, asked=url
            )
        if found.state == "suspicious":
            found = await self._compare_with_missing(response, until)
        return _build_link_state(found, url, response)

    async def _send_head(self, url: str) -> HttpResponse | None:
        """The response; None if it failed, because many servers do not support HEAD."""
        try:
            return await self._client.send_request(
                HttpRequest(url=url, method="HEAD", timeout=_HEAD_SECONDS, page=True)
            )
        except errors.RefusedByPolicy:
            raise
        except errors.NetworkFailed as error:
            if error.reason in {errors.FailureReason.DNS, errors.FailureReason.OFFLINE}:
                raise
            return None
        except errors.CitewellError:
            return None

    async def _fetch_page_start(self, url: str, until: float) -> HttpResponse:
        left = max(0.5, until - self._clock())
        return await self._client.send_request(
            HttpRequest(
                url=url,
                timeout=left,
                max_bytes=_MAX_PAGE_BYTES,
                first_bytes=_PAGE_START_BYTES,
                page=True,
            )
        )

    async def _build_failed_state(self, response: HttpResponse) -> LinkState:
        status = response.status
        if status in _BLOCKED_STATUSES or await self._is_blocking(response):
            return LinkState(state="blocked", status=status, reason=f"http_{status}")
        reason = "gone" if status == _REMOVED_STATUS else f"http_{status}"
        state = "dead" if status in _GONE_STATUSES else "unchecked"
        return LinkState(state=state, status=status, reason=reason)

    async def _is_blocking(self, response: HttpResponse) -> bool:
        try:
            return await self._workers.run_task(
                _FIND_BLOCK, body=response.body, head=replace(response, body=b"")
            )
        except TaskFailure:
            return False

    async def _compare_with_missing(self, response: HttpResponse, until: float) -> LandingVerdict:
        """Dead (soft 404) if an address that cannot exist on the same server shows the same page."""
        gone = LandingVerdict(state="dead", reason="soft_404")
        try:
            other = await self._fetch_page_start(
                landing_pages.build_missing_sibling(response.url, self._token()), until
            )
        except errors.CitewellError:
            return landing_pages.LIVE_LANDING
        if other.status >= 400:
            return landing_pages.LIVE_LANDING
        is_same = await self._workers.run_task(
            _COMPARE_PAGES,
            body=response.body,
            head=replace(response, body=b""),
            other_body=other.body,
            other=replace(other, body=b""),
        )
        return gone if is_same else landing_pages.LIVE_LANDING


def _build_link_state(found: LandingVerdict, url: str, response: HttpResponse) -> LinkState:
    moved = found.state == "live" and response.is_moved
    return LinkState(
        state=found.state,
        status=response.status,
        reason=found.reason,
        titles=found.titles,
        moved_to=landing_pages.find_new_address(url, response.url) if moved else None,
    )


def _choose_state_lifetime(state: LinkState) -> float:
    if state.state == "unchecked":
        return 0.0
    passing = state.reason in _PASSING_REASONS or (state.status or 0) >= 429
    return PASSING_STATE_SECONDS if passing else LINK_STATE_SECONDS
