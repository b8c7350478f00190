"""Whether the stored state can be read with the key at hand; asked by doctor, readiness and start."""

from __future__ import annotations

from enum import StrEnum

from citewell.config import Settings
from citewell.store.failures import (
    DatabaseDamaged,
    DatabaseEmptied,
    DecryptionFailed,
    MissingMasterKey,
    SchemaTooNew,
    ServerTooOld,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WrongMasterKey,
)
from citewell.store.keys.master_keys import STATE_KEY_FILE
from citewell.store.state_store import StateStore, has_stored_state

_SELECT_MASTER_KEY = "SELECT key_id FROM master"


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


_FAULTS: tuple[tuple[type[StoreError], StateFault], ...] = (
    (WrongMasterKey, StateFault.WRONG_KEY),
    (MissingMasterKey, StateFault.MISSING_KEY),
    (DecryptionFailed, StateFault.DAMAGED),
    (DatabaseDamaged, StateFault.DAMAGED),
    (DatabaseEmptied, StateFault.EMPTIED),
    (SchemaTooNew, StateFault.TOO_NEW),
    (ServerTooOld, StateFault.SERVER_TOO_OLD),
    (StoreReadOnly, StateFault.READ_ONLY),
    (StoreFull, StateFault.FULL),
)
# They may end while a server runs, so it starts and is not ready until then.
PASSING_FAULTS = frozenset({StateFault.READ_ONLY, StateFault.FULL, StateFault.UNREACHABLE})
KEY_FAULTS = frozenset({StateFault.WRONG_KEY, StateFault.MISSING_KEY})


async def check_stored_state(state: StateStore, settings: Settings) -> StateCondition:
    """Read the stored state and open its first key; creates neither state nor key.

    Raises StoreError; `classify_state_error` tells what it means.
    """
    if not has_stored_state(settings):
        return StateCondition.ABSENT
    if not await state.database.select_rows(_SELECT_MASTER_KEY):
        return StateCondition.UNUSED
    named = settings.master_key or settings.master_key_file or settings.keyring
    if not named and not (settings.data_path / STATE_KEY_FILE).exists():
        raise MissingMasterKey(
            f"{state.master_key_source.location} is missing, but data is stored. "
            "Put the file back, or set CITEWELL_MASTER_KEY; nothing was changed."
        )
    await state.vault.check_master_key()
    return StateCondition.READABLE


def classify_state_error(error: StoreError) -> StateFault:
    for kind, fault in _FAULTS:
        if isinstance(error, kind):
            return fault
    return StateFault.UNREACHABLE
