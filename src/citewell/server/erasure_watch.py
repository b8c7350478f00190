"""Drops from this process's memory whoever was erased, here or by another process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.coordination.change_notices import ERASURE_TOPIC
from citewell.store.state_store import has_stored_state
from citewell.store.subjects.erasure_store import ErasureRecord

logger = logging.getLogger(__name__)
_Standing = tuple[str, float | None]  # the keys that were destroyed, and when it finished
CHECK_INTERVAL_SECONDS = 5.0  # while notices of other processes are not heard


class ErasureWatch:
    def __init__(self, app: App) -> None:
        self._app = app
        self._seen: int | None = None  # up to this number every erasure was finished
        self._known: dict[int, _Standing] = {}  # how later ones stood at the last check

    async def check_erasures(self) -> int:
        """Forget everybody whose erasure has begun or advanced since the last check; returns how many.

        An erasure is looked at until it has finished, because a key that is read again after the
        erasure began, and before the key is destroyed, has to be forgotten once more. At the first
        check nothing of an earlier erasure that has finished can be in memory.
        """
        state = self._app.open_state()
        records = await state.erasures.list_erasures(after=self._seen or 0)
        changed = self._note_records(records)
        for record in changed:
            await state.forget_tagged_owner(record.owner)
            await self._forget_errors(record.owner)
        if changed:
            self._app.store.forget_recent()
        return len(changed)

    def _note_records(self, records: tuple[ErasureRecord, ...]) -> list[ErasureRecord]:
        """Those that are new, or differ from the last check."""
        former, is_first = self._known, self._seen is None
        self._known = {one.number: (one.keychain, one.finished) for one in records}
        open_numbers = [one.number for one in records if one.finished is None]
        last = max([self._seen or 0, *self._known])
        self._seen = min(open_numbers) - 1 if open_numbers else last
        return [
            one
            for one in records
            if self._known[one.number] != former.get(one.number)
            and not (is_first and one.finished is not None)
        ]

    async def _forget_errors(self, tag: str) -> None:
        vault, recent = self._app.open_state().vault, self._app.recent
        for owner in recent.list_owners():
            if await vault.hash_owner_tag(str(owner)) == tag:
                recent.forget_owner(owner)


@contextlib.asynccontextmanager
async def watch_erasures(
    app: App, *, interval: float = CHECK_INTERVAL_SECONDS
) -> AsyncIterator[ErasureWatch]:
    """Look for erasures when one is announced, and at least every `interval` seconds, while the block runs."""
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
            notices = app.open_state().notices
            async with notices.watch(ERASURE_TOPIC, poll_seconds=interval) as news:
                while True:
                    await _check_or_log(watch)
                    await news.wait(interval)
        await asyncio.sleep(interval)


async def _check_or_log(watch: ErasureWatch) -> None:
    try:
        await watch.check_erasures()
    except CitewellError as error:
        logger.warning("Erasures cannot be looked for. %s", error.message)
