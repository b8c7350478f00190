"""Whether the stored state can be read with the key at hand, and what of it keeps a server from starting."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from enum import StrEnum

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore, has_stored_state
from citewell.store import failures
from citewell.store.master_keys import STATE_KEY_FILE
from citewell.store.settings import StoreSettings

_SELECT_MASTER_KEY = "SELECT key_id FROM master"

_MAX_WAIT_SECONDS = 10.0


def refuse_unusable_state(settings: Settings) -> StateCondition | failures.StoreError:
    """Raise StoreError if the stored state cannot be used, now or later.

    It is damaged, encrypted with another key, or on a server that is too old. Raises Misconfigured if a connection pooler would keep jobs from running.

    What may pass while the server runs is returned instead, such as a database that does not answer
    or is read-only: the server starts, and is not ready until then.
    """
    try:
        return asyncio.run(_look_at_state(settings))
    except TimeoutError:
        return failures.StoreUnreachable("The database does not answer now.")
    except failures.StoreError as error:
        return _raise_unless_passing(error)


async def refuse_lasting_faults(
    state: StateStore, settings: Settings
) -> StateCondition | failures.StoreError:
    """What is found in the state, or the failure if that may pass; raises StoreError for any other."""
    try:
        return await check_stored_state(state, settings)
    except failures.StoreError as error:
        return _raise_unless_passing(error)


def _raise_unless_passing(error: failures.StoreError) -> failures.StoreError:
    if classify_state_error(error) in PASSING_FAULTS:
        return error
    raise error


async def _look_at_state(settings: Settings) -> StateCondition:
    store_settings = settings[StoreSettings]
    async with aclosing(StateStore(settings)) as state, asyncio.timeout(_MAX_WAIT_SECONDS):
        condition = await check_stored_state(state, settings)
        if store_settings.direct_database_url:
            from citewell.store.sql.postgres_listener import require_sessions

            await require_sessions(store_settings.direct_database_url)
        return condition


# Whether the stored state can be read with the key at hand; asked by doctor, readiness and start.


class StateCondition(StrEnum):
    """What was found in a state that can be used."""

    ABSENT = "absent"  # nothing is stored yet
    UNUSED = "unused"  # there is a store, and nothing encrypted in it
    READABLE = "readable"


class StateFault(StrEnum):
    """Why a state cannot be used."""

    WRONG_KEY = "wrong_master_key"
    MISSING_KEY = "missing_master_key"
    DAMAGED = "damaged"
    EMPTIED = "emptied"
    TOO_NEW = "schema_too_new"
    SERVER_TOO_OLD = "server_too_old"
    READ_ONLY = "read_only"  # until a replica takes over, or an administrator ends it
    FULL = "full"  # until there is space again
    UNREACHABLE = "unreachable"


_FAULTS: tuple[tuple[type[failures.StoreError], StateFault], ...] = (
    (failures.WrongMasterKey, StateFault.WRONG_KEY),
    (failures.MissingMasterKey, StateFault.MISSING_KEY),
    (failures.DecryptionFailed, StateFault.DAMAGED),
    (failures.DatabaseDamaged, StateFault.DAMAGED),
    (failures.DatabaseEmptied, StateFault.EMPTIED),
    (failures.SchemaTooNew, StateFault.TOO_NEW),
    (failures.ServerTooOld, StateFault.SERVER_TOO_OLD),
    (failures.StoreReadOnly, StateFault.READ_ONLY),
    (failures.StoreFull, StateFault.FULL),
)
# They may end while a server runs, so it starts and is not ready until then.
PASSING_FAULTS = frozenset({StateFault.READ_ONLY, StateFault.FULL, StateFault.UNREACHABLE})
KEY_FAULTS = frozenset({StateFault.WRONG_KEY, StateFault.MISSING_KEY})


async def check_stored_state(state: StateStore, settings: Settings) -> StateCondition:
    """Read the stored state and open its first key; creates neither state nor key.

    Raises StoreError; `classify_state_error` tells what it means.
    """
    store_settings = settings[StoreSettings]
    if not has_stored_state(settings):
        return StateCondition.ABSENT
    if not await state.database.select_rows(_SELECT_MASTER_KEY):
        return StateCondition.UNUSED
    named = store_settings.master_key or store_settings.master_key_file or store_settings.keyring
    if not named and not (store_settings.data_path / STATE_KEY_FILE).exists():
        raise failures.MissingMasterKey(
            f"{state.master_key_source.location} is missing, but data is stored. "
            "Put the file back, or set CITEWELL_MASTER_KEY; nothing was changed."
        )
    await state.vault.check_master_key()
    return StateCondition.READABLE


def classify_state_error(error: failures.StoreError) -> StateFault:
    faults = (fault for kind, fault in _FAULTS if isinstance(error, kind))
    return next(faults, StateFault.UNREACHABLE)
