"""What keeps a server or worker from starting: stored data that it could neither read nor keep safe."""

from __future__ import annotations

import asyncio

from citewell.config import Settings
from citewell.store.failures import StoreError, StoreUnreachable
from citewell.store.state_check import (
    PASSING_FAULTS,
    StateCondition,
    check_stored_state,
    classify_state_error,
)
from citewell.store.state_store import StateStore, open_state_store

_MAX_WAIT_SECONDS = 10.0


def refuse_unusable_state(settings: Settings) -> StateCondition | StoreError:
    """Raise StoreError if the stored state cannot be used, now or later.

    It is damaged, encrypted with another key, or on a server that is too old. Raises Misconfigured if a connection pooler would keep jobs from running.

    What may pass while the server runs is returned instead, such as a database that does not answer
    or is read-only: the server starts, and is not ready until then.
    """
    try:
        return asyncio.run(_look_at_state(settings))
    except TimeoutError:
        return StoreUnreachable("The database does not answer now.")
    except StoreError as error:
        return _raise_unless_passing(error)


async def refuse_lasting_faults(
    state: StateStore, settings: Settings
) -> StateCondition | StoreError:
    """What is found in the state, or the failure if that may pass; raises StoreError for any other."""
    try:
        return await check_stored_state(state, settings)
    except StoreError as error:
        return _raise_unless_passing(error)


def _raise_unless_passing(error: StoreError) -> StoreError:
    if classify_state_error(error) in PASSING_FAULTS:
        return error
    raise error


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
