"""Goes on with research that an earlier process left unfinished, once this one has begun to answer."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import AsyncIterator

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.state import STATE_FILE

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def resuming(app: App, *, after: float = 0.0, serving: bool = False) -> AsyncIterator[None]:
    """Jobs are taken up beside whatever is done within; `after` leaves first questions their peace.

    `serving` carries out jobs that others queue later, too; without it there must be some now.
    """
    task = asyncio.create_task(_resume(app, after=after, serving=serving))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _resume(app: App, *, after: float, serving: bool) -> None:
    await asyncio.sleep(after)
    if not _kept(app.settings):
        return
    try:
        if serving or await app.state().jobs.unfinished():
            await _serve(app)
    except CitewellError as error:
        _log.warning("Research that was left unfinished cannot be taken up. %s", error.message)


async def _serve(app: App) -> None:
    # A third of a second of imports, for which no answer should wait.
    await asyncio.to_thread(importlib.import_module, "citewell.server.deep")

    from citewell.services.research.service import Research

    app.service(Research).serve()


def _kept(settings: Settings) -> bool:
    """Whether a store is there; nobody's first start should make one."""
    return bool(settings.database_url) or (settings.data_path / STATE_FILE).exists()
