"""The doctor's checks of the stored state and of the master key that decrypts it."""

from __future__ import annotations

from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.failures import StoreError
from citewell.store.keys.master_keys import choose_master_key_source
from citewell.store.sql.postgres_database import PostgresDatabase
from citewell.store.state_check import (
    KEY_FAULTS,
    StateCondition,
    StateFault,
    check_stored_state,
    classify_state_error,
)
from citewell.store.state_store import STATE_FILE, has_stored_state

_STATE_NAME, _KEY_NAME = "stored state", "master key"
_KEY_CHANGE = "CITEWELL_MASTER_KEY=… (the key that the data was encrypted with)"
_RESTORE_CHANGE = "citewell restore <a file that `citewell backup` wrote>"
_CHANGES = {
    StateFault.DAMAGED: _RESTORE_CHANGE,
    StateFault.EMPTIED: _RESTORE_CHANGE,
    StateFault.TOO_NEW: "upgrade citewell, or set another CITEWELL_DATA_DIR",
    StateFault.SERVER_TOO_OLD: "upgrade PostgreSQL to version 14 or newer",
    StateFault.READ_ONLY: "CITEWELL_DATABASE_URL=… (a server that can be written)",
    StateFault.FULL: "free space on the disk of the database, or make it larger",
}
_KEY_DETAILS = {
    StateCondition.ABSENT: "nothing is stored yet",
    StateCondition.UNUSED: "nothing is encrypted yet",
    StateCondition.READABLE: "it decrypts the stored data",
}


async def check_state(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """Whether the stored state can be read, and whether the master key decrypts it.

    On PostgreSQL also whether something can be stored. Creates neither state nor key.
    """
    try:
        place = choose_master_key_source(app.settings).location
        _load_named_keys(app)
        if offline and app.settings.database_url:
            return _report_unasked(place)
        found = await check_stored_state(app.open_state(), app.settings)
        database = app.open_state().database
        if isinstance(database, PostgresDatabase):
            await database.check_writing()
    except StoreError as error:
        return _report_fault(app, error)
    except CitewellError as error:  # a key that is malformed
        return (_build_state_failure(_KEY_NAME, error, _KEY_CHANGE),)
    return (
        InstallationCheck(name=_STATE_NAME, state="ok", detail=_describe_state(app, found)),
        InstallationCheck(name=_KEY_NAME, state="ok", detail=f"{place}; {_KEY_DETAILS[found]}"),
    )


def _load_named_keys(app: App) -> None:
    """Raises for a malformed key or an unreadable file; a key file of our own is not created."""
    if app.settings.master_key or app.settings.master_key_file:
        choose_master_key_source(app.settings).load_master_keys()


def _report_unasked(place: str) -> tuple[InstallationCheck, ...]:
    detail = f"{place}; not compared with the database with --offline"
    return (
        InstallationCheck(
            name=_STATE_NAME, state="ok", detail="PostgreSQL; not asked with --offline"
        ),
        InstallationCheck(name=_KEY_NAME, state="ok", detail=detail),
    )


def _report_fault(app: App, error: StoreError) -> tuple[InstallationCheck, ...]:
    fault = classify_state_error(error)
    if fault in KEY_FAULTS or not has_stored_state(app.settings):
        return (_build_state_failure(_KEY_NAME, error, _KEY_CHANGE),)
    return (_build_state_failure(_STATE_NAME, error, _CHANGES.get(fault, "")),)


def _build_state_failure(name: str, error: CitewellError, change: str) -> InstallationCheck:
    return InstallationCheck(name=name, state="failed", detail=error.message, change=change)


def _describe_state(app: App, found: StateCondition) -> str:
    if app.settings.database_url:
        return "PostgreSQL; it can be read and written"
    path = app.settings.data_path / STATE_FILE
    return f"{path}, created on first use" if found is StateCondition.ABSENT else str(path)
