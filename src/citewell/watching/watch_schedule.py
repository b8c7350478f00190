"""Checks what is due, for all owners, and tells the webhook what changed."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.net.http.signed_webhook import SignedWebhook
from citewell.store.coordination.leases import LeaseTable
from citewell.watching.query_monitor import QueryMonitor
from citewell.watching.reference_watch import ReferenceWatch
from citewell.watching.settings import WatchingSettings
from citewell.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord

logger = logging.getLogger(__name__)
ROUND_SECONDS = 60.0  # between two looks at what is due
RETRY_SECONDS = 3600.0  # after a check that failed
_LEASE, _LEASE_SECONDS = "watch-checks", 600.0
_WEBHOOK_BATCH = 100
_DUE_BATCH = 20


class WatchSchedule:
    """One process of many does the checks; a watch whose check fails is tried again in an hour."""

    def __init__(
        self,
        store: SqlWatchStore,
        leases: LeaseTable,
        references: ReferenceWatch,
        queries: QueryMonitor,
        *,
        webhook: SignedWebhook | None = None,
        clock: Callable[[], float] = time.time,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._leases = leases
        self._references = references
        self._queries = queries
        self._webhook = webhook
        self._clock = clock
        self._pause = pause
        self._task: asyncio.Task[None] | None = None
        self.unchecked_count = 0  # references and searches that no check could ask about so far

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        settings, state = kit.settings[WatchingSettings], kit.open_state()
        webhook = None
        if settings.watch_webhook_url:
            webhook = kit.network.open_webhook(
                settings.watch_webhook_url,
                secret=settings.watch_webhook_secret,
            )
        return cls(
            state.watches,
            state.leases,
            kit.require_service(ReferenceWatch),
            kit.require_service(QueryMonitor),
            webhook=webhook,
        )

    def keep_checking(self) -> None:
        """Check what is due, every minute while the process runs; needs a running event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._check_forever())

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            await self._leases.release_lease(_LEASE)

    async def run_due_checks(self) -> tuple[WatchNewsItem, ...]:
        """Check everything that is due; nothing if another process is doing it."""
        if not await self._leases.take_lease(_LEASE, seconds=_LEASE_SECONDS):
            return ()
        await self._store.delete_expired()
        news: list[WatchNewsItem] = []
        tried: set[str] = set()
        while True:
            due = [
                watch
                for watch in await self._store.list_due_watches(limit=_DUE_BATCH)
                if watch.id not in tried
            ]
            if not due:
                break
            for record in due:
                tried.add(record.id)
                news += await self.check_watch(record)
                if not await self._leases.take_lease(_LEASE, seconds=_LEASE_SECONDS):
                    return tuple(news)
        await self.deliver_news()
        return tuple(news)

    async def check_watch(self, record: WatchRecord) -> tuple[WatchNewsItem, ...]:
        """Check one watch now; a failure is logged, and the watch is due again in an hour."""
        try:
            if record.kind == "query":
                return await self._queries.check_watch(record)
            outcome = await self._references.check_watch(record)
        except CitewellError as error:
            self.unchecked_count += 1
            logger.warning("A watch could not be checked. %s", error.message)
            later = self._clock() + RETRY_SECONDS
            await self._store.postpone_watch(record.owner, record.id, due=later)
            return ()
        self.unchecked_count += outcome.unchecked
        return outcome.news

    async def deliver_news(self) -> int:
        """Send the webhook what it has not taken yet, and return how much it took."""
        if self._webhook is None:
            return 0
        sent = 0
        while True:
            waiting = await self._store.list_untold_news(limit=_WEBHOOK_BATCH)
            if not waiting:
                return sent
            body = json.dumps({"news": [item.to_json() for item in waiting]}).encode()
            if problem := await self._webhook.find_refusal(body, waiting[0].id):
                logger.warning("The webhook did not take news, which wait. %s", problem)
                return sent
            await self._store.mark_news_told([item.id for item in waiting])
            sent += len(waiting)

    async def _check_forever(self) -> None:
        while True:
            try:
                await self.run_due_checks()
            except CitewellError as error:
                logger.warning("What is due could not be checked. %s", error.message)
            await self._pause(ROUND_SECONDS)
