"""Pages read once for everybody: kept while fresh, renewed cheaply, and failures remembered a while."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Protocol

from pydantic import TypeAdapter

from citewell.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    CitewellError,
    InternalError,
    InvalidInput,
    Misconfigured,
    NetworkFailed,
    RateLimited,
    Unavailable,
)
from citewell.fetch.complaints import unreachable
from citewell.model.page import Page
from citewell.store.cache import Cache
from citewell.store.flight import Fresh, Loader
from citewell.text.truncate import truncate

FRESH = 3600.0  # seconds
RENEWABLE = 86_400.0  # how long a page is kept for the question whether it has changed
LONGEST = 5_000_000  # bytes; the most any caller gets
SHARED = "shared"
OWN = "library:"  # begins the id of a document of the user's own
_VERSION = 1  # raised when Page changes its shape
_MOST = 2000  # failures remembered

# A failure is not asked for again before its time; the first class that fits counts.
_MEMORY: tuple[tuple[type[CitewellError], float], ...] = (
    (InternalError, 0),
    (Misconfigured, 0),
    (InvalidInput, 4 * 3600),
    (BrowserUnavailable, 4 * 3600),
    (Blocked, 1800),
    (AuthRequired, 1800),
    (RateLimited, 90),
    (NetworkFailed, 120),
    (Unavailable, 120),
    (CitewellError, 600),
)

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class Reads(Protocol):
    """Reads one page, from the web or from what is kept."""

    async def read(
        self, url: str, *, max_length: int = ..., on_progress: Progress | None = ...
    ) -> Page: ...

    async def aclose(self) -> None: ...


class Renew(Protocol):
    """Asks the server whether a page has changed since it was read."""

    async def __call__(self, page: Page) -> Page | None:
        """The page anew; None when the server says that it is still the same."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A page and how long ago it was read."""

    page: Page
    age: float = 0.0


class CachedRead:
    """The reader every tool shares: the same page is fetched once an hour, whoever asks."""

    def __init__(
        self,
        reads: Reads,
        *,
        loader: Loader,
        cache: Cache,
        isolated: bool = False,
        renew: Renew | None = None,
        on_page: Callable[[Page], Awaitable[None]] | None = None,
        own: Callable[[str], Awaitable[Page]] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """With `isolated` tenants share nothing, and a call without a tenant keeps nothing.

        `on_page` is told of every page read; `own` reads the user's own documents by their id.
        """
        self._on_page = on_page
        self._own = own
        self._reads = reads
        self._loader = loader
        self._cache = cache
        self._isolated = isolated
        self._renew = renew
        self._now = now
        self._failures = Failures(clock)

    async def read(
        self,
        url: str,
        *,
        max_length: int = 50_000,
        on_progress: Progress | None = None,
        tenant: str | None = None,
    ) -> Page:
        """The page with at most `max_length` bytes of content; raises what the reader raises."""
        kept = await self.kept(url, on_progress=on_progress, tenant=tenant)
        cut = truncate(kept.page.content, min(max_length, LONGEST))
        whole = kept.page.truncated
        return replace(kept.page, content=cut.text, truncated=cut.truncated or whole)

    async def kept(
        self, url: str, *, on_progress: Progress | None = None, tenant: str | None = None
    ) -> Kept:
        """The whole page and its age."""
        address = url.strip()
        if self._own is not None and address.startswith(OWN):
            return Kept(page=await self._own(address))  # somebody's own, and at hand: not cached
        kept = await self._from_web(address, on_progress, tenant)
        if self._on_page is not None:
            await self._on_page(kept.page)
        return kept

    async def _from_web(
        self, address: str, on_progress: Progress | None, tenant: str | None
    ) -> Kept:
        owner = self._owner(tenant)
        if owner is None:
            return Kept(page=await self._fetch(address, on_progress))
        key = _key(address)
        self._failures.check(owner, key)

        async def make() -> Fresh:
            page = await self._made(address, owner, key, on_progress)
            return Fresh(value=_packed(page), ttl=FRESH)

        try:
            loaded = await self._loader.load(owner, key, make)
        except CitewellError as error:
            raise self._failures.remember(owner, key, error) from None
        age = loaded.entry.age_seconds if loaded.cached else 0.0
        return Kept(page=_unpacked(loaded.entry.value), age=age)

    async def aclose(self) -> None:
        """Stop what the reader itself has running."""
        await self._reads.aclose()

    async def read_many(
        self,
        urls: Iterable[str],
        *,
        concurrency: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - each page's own, not the whole call's
        max_length: int = 50_000,
    ) -> tuple[Page | CitewellError, ...]:
        """Every page or its error, in the order asked; a page past `timeout` is given up alone."""
        wanted = tuple(urls)
        gate = asyncio.Semaphore(concurrency or max(1, len(wanted)))

        async def one(url: str) -> Page | CitewellError:
            async with gate:
                return await self._within(url, timeout, max_length)

        return tuple(await asyncio.gather(*(one(url) for url in wanted)))

    async def _within(self, url: str, limit: float | None, length: int) -> Page | CitewellError:
        try:
            async with asyncio.timeout(limit):
                return await self.read(url, max_length=length)
        except TimeoutError:
            return unreachable(url, f"it was not read within {limit:.3g} s")
        except CitewellError as error:
            return error

    def _owner(self, tenant: str | None) -> str | None:
        return tenant if self._isolated else SHARED

    async def _fetch(self, url: str, on_progress: Progress | None) -> Page:
        return await self._reads.read(url, max_length=LONGEST, on_progress=on_progress)

    async def _made(self, url: str, owner: str, key: str, on_progress: Progress | None) -> Page:
        page = await self._renewed(owner, key) or await self._fetch(url, on_progress)
        if self._renew is not None and (page.etag or page.last_modified):
            await self._cache.put(owner, _stale(key), _packed(page), ttl=RENEWABLE)
        return page

    async def _renewed(self, owner: str, key: str) -> Page | None:
        """The page of yesterday, where the server says it is still the one of today."""
        if self._renew is None:
            return None
        entry = await self._cache.get(owner, _stale(key))
        if entry is None:
            return None
        before = _unpacked(entry.value)
        changed = await self._renew(before)
        return changed or replace(before, fetched_at=self._now())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    error: CitewellError
    since: float
    lasts: float

    def left(self, now: float) -> float:
        return self.since + self.lasts - now

    def again(self, now: float) -> CitewellError:
        """The same error; it never invites a retry that would only be answered from here."""
        error = self.error
        wait = max(self.left(now), (error.retry_after or 0.0) - (now - self.since))
        return type(error)(
            error.message,
            provider=error.provider,
            retry_after=wait if error.retryable else error.retry_after,
            alternatives=error.alternatives,
            action=error.suggested_action,
            detail=error.detail,
            extra=error.extra,
        )


class Failures:
    """What lately failed, in this process only: a restart with better settings asks anew."""

    def __init__(self, clock: Callable[[], float], *, most: int = _MOST) -> None:
        self._clock = clock
        self._most = most
        self._known: OrderedDict[tuple[str, str], _Failure] = OrderedDict()

    def check(self, owner: str, key: str) -> None:
        """Raise the failure that is still remembered for this key."""
        known, now = self._known.get((owner, key)), self._clock()
        if known is None:
            return
        if known.left(now) > 0:
            raise known.again(now)
        del self._known[owner, key]

    def remember(self, owner: str, key: str, error: CitewellError) -> CitewellError:
        """The error to raise in its place, with the time for which it holds."""
        lasts, now = lifetime(error), self._clock()
        if lasts <= 0:
            return error
        failure = _Failure(error=error, since=now, lasts=lasts)
        self._known[owner, key] = failure
        self._known.move_to_end((owner, key))
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return failure.again(now)


def lifetime(error: CitewellError) -> float:
    """Seconds for which a failure is taken as known; never longer than the server asked us to wait."""
    seconds = next(seconds for kind, seconds in _MEMORY if isinstance(error, kind))
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return min(seconds, error.retry_after)
    return seconds


def _key(url: str) -> str:
    return hashlib.sha256(f"page:{_VERSION}:{url}".encode("utf-8", "surrogatepass")).hexdigest()


def _stale(key: str) -> str:
    return f"{key}:stale"


def _packed(page: Page) -> bytes:
    """Half a character pair, which an API may send, is nothing that can be kept."""
    data = _pages().dump_python(page, mode="json")
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _unpacked(kept: bytes) -> Page:
    return _pages().validate_json(kept)


@cache
def _pages() -> TypeAdapter[Page]:
    return TypeAdapter(Page)
