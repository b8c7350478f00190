"""Drops from this process's memory whoever was erased, here or by another process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.state_store import has_stored_state

logger = logging.getLogger(__name__)
CHECK_INTERVAL_SECONDS = 5.0


class ErasureWatch:
    def __init__(self, app: App) -> None:
        self._app = app
        self._seen: int | None = None  # the number of the last erasure that was looked at

    async def check_erasures(self) -> int:
        """Forget everybody erased since the last check, and return how many erasures there were.

        At the first check nothing of an earlier erasure can be in memory.
        """
        state = self._app.open_state()
        records = await state.erasures.list_erasures(after=self._seen or 0)
        is_first, self._seen = (
            self._seen is None,
            max([self._seen or 0, *(r.number for r in records)]),
        )
        if is_first:
            return 0
        for record in records:
            await state.forget_tagged_owner(record.owner)
            await self._forget_errors(record.owner)
        if records:
            self._app.store.forget_recent()
        return len(records)

    async def _forget_errors(self, tag: str) -> None:
        vault, recent = self._app.open_state().vault, self._app.recent
        for owner in recent.list_owners():
            if await vault.hash_owner_tag(str(owner)) == tag:
                recent.forget_owner(owner)


@contextlib.asynccontextmanager
async def watch_erasures(
    app: App, *, interval: float = CHECK_INTERVAL_SECONDS
) -> AsyncIterator[ErasureWatch]:
    """Look for erasures every `interval` seconds while the block runs."""
    watch = ErasureWatch(app)
    task = asyncio.create_task(_check_regularly(app, watch, interval))
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _check_regularly(app: App, watch: ErasureWatch, interval: float) -> None:
    while True:
        if has_stored_state(app.settings):  # a server that keeps nothing must not begin to
            try:
                await watch.check_erasures()
            except CitewellError as error:
                logger.warning("Erasures cannot be looked for. %s", error.message)
        await asyncio.sleep(interval)
