"""A cache of read pages: shared while fresh, revalidated afterwards; recent failures are remembered."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Self

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.page import MAX_PAGE_BYTES, Page
from citewell.core.values.scrape_results import InjectedSentence
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.reading import page_errors
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue
from citewell.store.cache.tiered_cache import ResultCache
from citewell.text.truncation import truncate_text
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from citewell.reading.pages.page_reader import PageReader

PAGE_FRESH_SECONDS = 3600.0  # seconds
PAGE_RENEWABLE_SECONDS = 86_400.0  # how long a stale page is kept for revalidation
_PAGE_VERSION = 4  # raised when Page changes its shape
_MAX_REMEMBERED_FAILURES = 2000  # failures remembered

_FIND_SIGNALS: WorkerTask[tuple[InjectedSentence, ...]] = WorkerTask(
    "citewell.text.safety.injection_signals:find_injection_signals", tuple[InjectedSentence, ...]
)

# Seconds for which a failed address is not tried again; the first matching class counts.
_FAILURE_LIFETIMES: tuple[tuple[type[errors.CitewellError], float], ...] = (
    (errors.InternalError, 0),
    (errors.Misconfigured, 0),
    (errors.InvalidInput, 4 * 3600),
    (errors.BrowserUnavailable, 4 * 3600),
    (errors.Blocked, 1800),
    (errors.AuthRequired, 1800),
    (errors.RateLimited, 90),
    (errors.NetworkFailed, 120),
    (errors.UpstreamUnavailable, 120),
    (errors.CitewellError, 600),
)


# Revalidates a page with its server: the page read again, None if it has not changed.
PageRenewal = Callable[[Page], Awaitable[Page | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page and its age in the cache, in seconds."""

    page: Page
    age_seconds: float = 0.0


class CachedPageReader:
    """The page reader that all tools share; a page is fetched at most once an hour."""

    closes_last = True  # services that were built before it may ask for it

    def __init__(
        self,
        reads: PageReader,
        workers: TaskRunner,
        *,
        loader: CachedLoader,
        cache: ResultCache,
        sharing: AnswerSharing = SHARED_WITH_EVERYBODY,
        renew: PageRenewal | None = None,
        on_page: Callable[[Page], Awaitable[None]] | None = None,
        read_library_document: Callable[[str], Awaitable[Page]] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`on_page` is called with every page read, `read_library_document` with a document's id.

        `workers` look for injection signals in pages that come without, such as library documents.
        """
        self._on_page = on_page
        self._own = read_library_document
        self._reads = reads
        self._workers = workers
        self._loader = loader
        self._cache = cache
        self._sharing = sharing
        self._renew = renew
        self._now = now
        self._failures = PageFailures(clock)

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.reading.pages.page_reader import PageReader

        async def read_library_document(document_id: str) -> Page:
            return await kit.require_library().read_library_page(document_id)

        reader = PageReader(settings=kit.settings, network=kit.network, workers=kit.workers)
        return cls(
            reader,
            kit.workers,
            loader=kit.store.loader,
            cache=kit.store.cache,
            sharing=kit.sharing,
            renew=reader.renew_page,
            on_page=kit.build_page_keeper(),
            read_library_document=read_library_document,
        )

    async def read_page(
        self,
        url: str,
        *,
        max_length: int = 50_000,
        on_progress: ProgressCallback | None = None,
        tenant: str | None = None,
    ) -> Page:
        """The page with at most `max_length` bytes of content; raises the errors of the page reader."""
        kept = await self.load_page(url, on_progress=on_progress, tenant=tenant)
        cut = truncate_text(kept.page.content, min(max_length, MAX_PAGE_BYTES))
        whole = kept.page.truncated
        return replace(kept.page, content=cut.text, truncated=cut.truncated or whole)

    async def load_page(
        self, url: str, *, on_progress: ProgressCallback | None = None, tenant: str | None = None
    ) -> CachedPage:
        """The page with all its content, and its age; raises the errors of the page reader."""
        address = url.strip()
        if self._own is not None and address.startswith(LIBRARY_ID_PREFIX):
            # Private and already local: not cached.
            return CachedPage(page=await self._add_signals(await self._own(address)))
        kept = await self._load_web_page(address, on_progress, tenant)
        if self._on_page is not None:
            await self._on_page(kept.page)
        return replace(kept, page=await self._add_signals(kept.page))

    async def _add_signals(self, page: Page) -> Page:
        if page.injection_signals is not None:
            return page
        try:
            found = await self._workers.run_task(_FIND_SIGNALS, text=page.content)
        except TaskFailure as failure:
            raise page_errors.build_failure_error(page.url, failure.message) from None
        return replace(page, injection_signals=found)

    async def _load_web_page(
        self, address: str, on_progress: ProgressCallback | None, tenant: str | None
    ) -> CachedPage:
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if owner is None:
            return CachedPage(page=await self._fetch_whole_page(address, on_progress))
        identity = f"page:{_PAGE_VERSION}:{address}"
        key = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
        self._failures.raise_remembered(owner, key)

        async def make() -> FreshValue:
            page = await self._renew_or_fetch(address, owner, key, on_progress)
            return FreshValue(value=_encode_page(page), ttl=PAGE_FRESH_SECONDS)

        try:
            loaded = await self._loader.load_or_make(owner, key, make)
        except errors.CitewellError as error:
            raise self._failures.remember_failure(owner, key, error) from None
        age = loaded.entry.age_seconds if loaded.is_cached else 0.0
        return CachedPage(page=_decode_page(loaded.entry.value), age_seconds=age)

    async def aclose(self) -> None:
        """Close the underlying page reader."""
        await self._reads.aclose()

    async def _fetch_whole_page(self, url: str, on_progress: ProgressCallback | None) -> Page:
        return await self._reads.read_page(url, max_length=MAX_PAGE_BYTES, on_progress=on_progress)

    async def _renew_or_fetch(
        self, url: str, owner: str, key: str, on_progress: ProgressCallback | None
    ) -> Page:
        page = await self._renew_stale_page(owner, key) or await self._fetch_whole_page(
            url, on_progress
        )
        if self._renew is not None and (page.etag or page.last_modified):
            await self._cache.store_entry(
                owner, _build_stale_key(key), _encode_page(page), ttl=PAGE_RENEWABLE_SECONDS
            )
        return page

    async def _renew_stale_page(self, owner: str, key: str) -> Page | None:
        """The stale page, if the server answers 304, or the page read again; None if none is cached."""
        if self._renew is None:
            return None
        entry = await self._cache.look_up_entry(owner, _build_stale_key(key))
        if entry is None:
            return None
        before = _decode_page(entry.value)
        changed = await self._renew(before)
        return changed or replace(before, fetched_at=self._now())


@dataclass(frozen=True, slots=True, kw_only=True)
class _RememberedFailure:
    error: errors.CitewellError
    failed_at: float
    lifetime_seconds: float

    def count_seconds_left(self, now: float) -> float:
        return self.failed_at + self.lifetime_seconds - now

    def rebuild_error(self, now: float) -> errors.CitewellError:
        """The same error, with a `retry_after` that is not before this failure is forgotten."""
        error = self.error
        wait = max(
            self.count_seconds_left(now), (error.retry_after or 0.0) - (now - self.failed_at)
        )
        if not error.retryable:
            return error.copy_with_message(error.message)
        return page_errors.copy_with_delay(error, wait)


class PageFailures:
    """Recent failures by owner and key, in memory only, so that a restart tries again."""

    def __init__(
        self, clock: Callable[[], float], *, max_failures: int = _MAX_REMEMBERED_FAILURES
    ) -> None:
        self._clock = clock
        self._most = max_failures
        self._known: OrderedDict[tuple[str, str], _RememberedFailure] = OrderedDict()

    def raise_remembered(self, owner: str, key: str) -> None:
        """Raise the failure remembered for this key, if it has not expired."""
        known, now = self._known.get((owner, key)), self._clock()
        if known is None:
            return
        if known.count_seconds_left(now) > 0:
            raise known.rebuild_error(now)
        del self._known[owner, key]

    def remember_failure(
        self, owner: str, key: str, error: errors.CitewellError
    ) -> errors.CitewellError:
        """Remember the failure; returns the error to raise, with its `retry_after` set."""
        lasts, now = choose_failure_lifetime(error), self._clock()
        if lasts <= 0:
            return error
        # A copy has no traceback, whose frames would keep the body of the page in memory.
        kept = error.copy_with_message(error.message)
        failure = _RememberedFailure(error=kept, failed_at=now, lifetime_seconds=lasts)
        self._known[owner, key] = failure
        self._known.move_to_end((owner, key))
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return failure.rebuild_error(now)


def choose_failure_lifetime(error: errors.CitewellError) -> float:
    """Seconds to remember a failure; for a rate limit at most the wait the server asked for."""
    seconds = next(seconds for kind, seconds in _FAILURE_LIFETIMES if isinstance(error, kind))
    if isinstance(error, errors.RateLimited) and error.retry_after is not None:
        return min(seconds, error.retry_after)
    return seconds


def _build_stale_key(key: str) -> str:
    return f"{key}:stale"


def _encode_page(page: Page) -> bytes:
    """The page as JSON; lone surrogates, which some APIs send, are replaced."""
    try:
        return _page_adapter().dump_json(page)
    except PydanticSerializationError:
        data = _page_adapter().dump_python(page, mode="json")
        packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return packed.encode("utf-8", "replace")


def _decode_page(kept: bytes) -> Page:
    return _page_adapter().validate_json(kept)


@cache
def _page_adapter() -> TypeAdapter[Page]:
    return TypeAdapter(Page)
