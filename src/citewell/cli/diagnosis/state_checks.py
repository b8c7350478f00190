"""The doctor's check of the master key, which decrypts the stored state."""

from __future__ import annotations

from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.config import Settings
from citewell.errors import CitewellError, Misconfigured
from citewell.server.app import App
from citewell.store.keys.master_keys import STATE_KEY_FILE, choose_master_key_source
from citewell.store.state_store import STATE_FILE, StateStore

_CHECK_NAME = "master key"
_KEY_CHANGE = "CITEWELL_MASTER_KEY=… (the key that the data was encrypted with)"


def has_stored_state(settings: Settings) -> bool:
    """True if there is state to read; a database server is taken to have some."""
    return bool(settings.database_url) or (settings.data_path / STATE_FILE).exists()


async def check_master_key(app: App, *, offline: bool) -> InstallationCheck:
    """Whether the master key decrypts the stored state; creates neither state nor key."""
    try:
        detail = await _describe_master_key(app, offline=offline)
    except CitewellError as error:
        return InstallationCheck(
            name=_CHECK_NAME, state="failed", detail=error.message, change=_KEY_CHANGE
        )
    return InstallationCheck(name=_CHECK_NAME, state="ok", detail=detail)


async def _describe_master_key(app: App, *, offline: bool) -> str:
    settings = app.settings
    source = choose_master_key_source(settings)
    if settings.master_key or settings.master_key_file:
        source.load_master_keys()  # raises for a malformed key or an unreadable file
    if not has_stored_state(settings):
        return f"{source.location}; nothing is stored yet"
    if offline and settings.database_url:
        return f"{source.location}; not compared with the database with --offline"
    state = app.open_state()
    if not await state.database.select_rows("SELECT key_id FROM master"):
        return f"{source.location}; nothing is encrypted yet"
    await _compare_master_key(state, settings)
    return f"{source.location}; it decrypts the stored data"


async def _compare_master_key(state: StateStore, settings: Settings) -> None:
    """Raises Misconfigured if the key file is missing, WrongMasterKey if it is another key."""
    named = settings.master_key or settings.master_key_file or settings.keyring
    if not named and not (settings.data_path / STATE_KEY_FILE).exists():
        raise Misconfigured(f"{state.master_key_source.location} is missing, but data is stored.")
    await state.vault.check_master_key()
