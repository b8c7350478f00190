"""Resumes research jobs that an earlier process left unfinished, after this one has started serving."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import AsyncIterator

from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.state_store import has_stored_state

logger = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def resume_jobs(
    app: App, *, delay: float = 0.0, keep_serving: bool = False
) -> AsyncIterator[None]:
    """Resume unfinished jobs, and the upkeep of what is stored, in the background while the block runs.

    It begins after `delay` seconds. With `keep_serving`, jobs that are queued later are run too,
    even if none is unfinished now.
    """
    task = asyncio.create_task(_resume_after_delay(app, delay=delay, keep_serving=keep_serving))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _resume_after_delay(app: App, *, delay: float, keep_serving: bool) -> None:
    await asyncio.sleep(delay)
    if keep_serving:
        app.start_artifact_upkeep()
    if not has_stored_state(app.settings):
        return
    app.start_audit_upkeep()
    try:
        if keep_serving:
            app.start_retention_upkeep()
        if keep_serving or await app.open_state().jobs.has_unfinished_jobs():
            await _start_research_service(app)
    except CitewellError as error:
        logger.warning("Unfinished research jobs cannot be resumed. %s", error.message)


async def _start_research_service(app: App) -> None:
    # These imports take a third of a second, which would delay other answers.
    await asyncio.to_thread(importlib.import_module, "citewell.server.wiring.research_wiring")

    from citewell.services.research.research_service import ResearchService

    app.require_service(ResearchService).start_serving()
