"""Whether addresses still lead anywhere, and where an archived copy is when they do not."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from citewell.errors import CitewellError, NetworkFailed, Refused, TooLarge
from citewell.net.message import Request, Response
from citewell.net.network import Network
from citewell.services import landing
from citewell.services.landing import Landing
from citewell.services.wayback import PUBLIC, Wayback
from citewell.store.flight import Fresh, Loader

AT_ONCE = 8
SECONDS = 8.0  # for one address, all its requests together
FRESH = 3600.0  # seconds that a finding holds
PASSING = 120.0  # one that may be over in a moment
SHARED = "shared"
_HEAD_SECONDS = 3.0  # servers that never answer HEAD must leave time for GET
_ENOUGH = 256 * 1024  # bytes of a page that tell what it is
_MOST = 4 * 2**20  # of one that comes packed and so must come whole
_RESTING = frozenset(
    {401, 402, 403, 405, 406, 407, 423, 425, 429, 451, 503, 999}
)  # will not let us in
_VERSION = 1  # raised when LinkState changes its shape
# What the network layer says, in one word.
_FAILURES = (
    ("could not be resolved", "dns"),
    ("has no address", "dns"),
    ("No whole answer came", "timeout"),
    ("certificate", "tls"),
    ("secure connection", "tls"),
    ("in circles", "redirect_loop"),
    ("sent us on more than", "redirect_loop"),
)
_PASSING = frozenset({"timeout", "connection", "dns", "tls"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """`live`, `blocked` (there, but not for us), `dead`, or `unchecked` when nobody could say.

    `reason` says why it is not live: http_404, gone, soft_404, home_redirect, parked, dns, timeout,
    connection, redirect_loop; login, bot_wall, tls, http_403; refused.
    """

    state: str
    status: int | None = None
    archived: str | None = None
    reason: str | None = None

    @property
    def reachable(self) -> bool:
        """Something is there, whether or not it let us in."""
        return self.state in {"live", "blocked"}


class Links:
    def __init__(
        self,
        network: Network,
        *,
        wayback: str,
        archive: str = PUBLIC,
        loader: Loader | None = None,
        isolated: bool = False,
        token: Callable[[], str] = lambda: secrets.token_hex(12),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """With `isolated` tenants share no findings, and a call without a tenant keeps none."""
        self._client = network.client
        self._archive = Wayback(network, availability=wayback, archive=archive)
        self._loader = loader
        self._isolated = isolated
        self._token = token
        self._clock = clock

    async def check(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]:
        """Every address once, a few at a time; never an error, at worst `unchecked`."""
        wanted = tuple(dict.fromkeys(urls))
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(url: str) -> LinkState:
            async with gate:
                return await self._kept(url, tenant)

        states = await asyncio.gather(*map(one, wanted))
        return dict(zip(wanted, states, strict=True))

    async def _kept(self, url: str, tenant: str | None) -> LinkState:
        owner = tenant if self._isolated else SHARED
        if self._loader is None or owner is None:
            return await self._found(url)

        async def make() -> Fresh:
            state = await self._found(url)
            return Fresh(value=json.dumps(asdict(state)).encode(), ttl=_lifetime(state))

        loaded = await self._loader.load(owner, _key(url), make)
        return LinkState(**json.loads(loaded.entry.value))

    async def _found(self, url: str) -> LinkState:
        state = await self._state(url)
        if state.state != "dead":
            return state
        try:
            copy = await self._archive.nearest(url)
        except CitewellError:
            return state
        return replace(state, archived=copy.url if copy else None)

    async def _state(self, url: str) -> LinkState:
        try:
            return await self._visited(url, self._clock() + SECONDS)
        except Refused:
            return LinkState(state="unchecked", reason="refused")
        except TooLarge:
            return LinkState(state="live", status=200)  # there is more than enough of it
        except CitewellError as error:
            reason = _failure(error)
            return LinkState(state="blocked" if reason == "tls" else "dead", reason=reason)

    async def _visited(self, url: str, until: float) -> LinkState:
        """HEAD spares the body of what is no page; every other answer is confirmed by GET."""
        head = await self._head(url)
        if head is not None and head.status < 300 and _no_page(head):
            return _told(landing.detour(url, head.url) or landing.LIVE, head.status)
        response = await self._get(url, until)
        if response.status >= 400:
            return _failed(response)
        found = landing.detour(url, response.url) or await self._judged(url, response)
        if found.state == "suspicious":
            found = await self._compared(response, until)
        return _told(found, response.status)

    async def _head(self, url: str) -> Response | None:
        """None where the server gave no usable answer: many have none for HEAD."""
        try:
            return await self._client.send(
                Request(url=url, method="HEAD", timeout=_HEAD_SECONDS, page=True)
            )
        except Refused:
            raise
        except NetworkFailed as error:
            if _failure(error) == "dns":
                raise
            return None
        except CitewellError:
            return None

    async def _get(self, url: str, until: float) -> Response:
        left = max(0.5, until - self._clock())
        return await self._client.send(
            Request(url=url, timeout=left, max_bytes=_MOST, beginning=_ENOUGH, page=True)
        )

    async def _judged(self, url: str, response: Response) -> Landing:
        return await asyncio.to_thread(landing.judge, response, asked=url)

    async def _compared(self, response: Response, until: float) -> Landing:
        """Tell a page about missing pages from a missing page, by what stands where none can be."""
        gone = Landing(state="dead", reason="soft_404")
        try:
            other = await self._get(landing.sibling(response.url, self._token()), until)
        except CitewellError:
            return landing.LIVE
        if other.status >= 400:
            return landing.LIVE
        ours, theirs = landing.glance(response), landing.glance(other)
        return gone if landing.alike(ours, theirs) else landing.LIVE


def _no_page(head: Response) -> bool:
    return head.content_type not in {"", "text/html", "application/xhtml+xml"}


def _told(found: Landing, status: int) -> LinkState:
    return LinkState(state=found.state, status=status, reason=found.reason)


def _failed(response: Response) -> LinkState:
    status = response.status
    if status in _RESTING or landing.refused(response):
        return LinkState(state="blocked", status=status, reason=f"http_{status}")
    reason = "gone" if status == 410 else f"http_{status}"
    return LinkState(state="dead", status=status, reason=reason)


def _failure(error: CitewellError) -> str:
    return next((word for said, word in _FAILURES if said in error.message), "connection")


def _lifetime(state: LinkState) -> float:
    if state.state == "unchecked":
        return 0.0
    passing = state.reason in _PASSING or (state.status or 0) >= 429
    return PASSING if passing else FRESH


def _key(url: str) -> str:
    text = json.dumps(["link", _VERSION, url])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
