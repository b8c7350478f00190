"""What keeps an HTTP server from starting: stored data that it could neither read nor keep safe."""

from __future__ import annotations

import asyncio

from citewell.config import Settings
from citewell.store.failures import StoreError
from citewell.store.state_check import (
    StateCondition,
    StateFault,
    check_stored_state,
    classify_state_error,
)
from citewell.store.state_store import open_state_store

_MAX_WAIT_SECONDS = 10.0
_LASTING_FAULTS = frozenset(StateFault) - {StateFault.UNREACHABLE}


def refuse_unusable_state(settings: Settings) -> StateCondition | None:
    """Raise StoreError if the stored state is damaged, or encrypted with another key.

    Raises Misconfigured if a connection pooler would keep jobs from running.

    A database that does not answer may answer later: the server starts, and is not ready until
    then. None is returned for it.
    """
    try:
        return asyncio.run(_look_at_state(settings))
    except TimeoutError:
        return None
    except StoreError as error:
        if classify_state_error(error) in _LASTING_FAULTS:
            raise
        return None


async def _look_at_state(settings: Settings) -> StateCondition:
    state = open_state_store(settings)
    try:
        async with asyncio.timeout(_MAX_WAIT_SECONDS):
            condition = await check_stored_state(state, settings)
            if settings.direct_database_url:
                from citewell.store.sql.postgres_listener import require_sessions

                await require_sessions(settings.direct_database_url)
            return condition
    finally:
        await state.aclose()
