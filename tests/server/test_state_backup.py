"""A state file of no bytes where there was a store: an accident, and never a new beginning."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core.config import Settings
from citewell.server.state.state_backup import back_up_state, restore_state
from citewell.server.state.state_store import StateStore
from citewell.store.failures import DatabaseEmptied
from citewell.store.settings import StoreSettings
from tests.requirements import requires

OWNER = "default/anonymous"
KEY = "11" * 32


def choose(tmp_path: Path, **more: str) -> Settings:
    return config.load_settings({"CITEWELL_DATA_DIR": str(tmp_path / "data"), **more})


def use(settings: Settings, scenario: Any) -> Any:
    async def run() -> Any:
        state = StateStore(settings)
        try:
            return await scenario(state)
        finally:
            await state.aclose()

    return asyncio.run(run())


async def fill(state: StateStore) -> None:
    await state.vault.ensure_keychain(OWNER)


async def look(state: StateStore) -> Any:
    return await state.database.select_rows("SELECT key_id FROM master")


def empty(settings: Settings) -> Path:
    path = settings[StoreSettings].data_path / "state.db"
    for leftover in settings[StoreSettings].data_path.glob("state.db-*"):
        leftover.unlink()
    path.write_bytes(b"")
    return path


@requires("store.emptied")
@pytest.mark.parametrize(
    ("kept", "settings"),
    [
        ("the key file", {}),
        ("the marker alone", {"CITEWELL_MASTER_KEY": KEY}),
    ],
)
def test_an_emptied_store_is_an_error_that_names_restore(
    tmp_path: Path, kept: str, settings: dict[str, str]
) -> None:
    chosen = choose(tmp_path, **settings)
    use(chosen, fill)
    path = empty(chosen)

    with pytest.raises(DatabaseEmptied, match="citewell restore"):
        use(chosen, look)
    with pytest.raises(DatabaseEmptied):
        use(chosen, fill)

    assert path.stat().st_size == 0


@requires("store.emptied")
def test_a_key_of_an_older_version_is_witness_enough(tmp_path: Path) -> None:
    chosen = choose(tmp_path)
    use(chosen, fill)
    empty(chosen)
    (chosen[StoreSettings].data_path / "state.db.used").unlink()

    with pytest.raises(DatabaseEmptied):
        use(chosen, look)


def test_the_log_of_an_emptied_store_is_left_alone(tmp_path: Path) -> None:
    chosen = choose(tmp_path)
    use(chosen, fill)
    empty(chosen)
    log = chosen[StoreSettings].data_path / "state.db-wal"
    log.write_bytes(b"the last writes")

    with pytest.raises(DatabaseEmptied):
        use(chosen, look)

    assert log.read_bytes() == b"the last writes"


def test_an_empty_file_of_nobody_is_a_new_store(tmp_path: Path) -> None:
    chosen = choose(tmp_path)
    chosen[StoreSettings].data_path.mkdir()
    (chosen[StoreSettings].data_path / "state.db").touch()

    use(chosen, fill)

    assert use(chosen, look)


def test_a_store_that_was_moved_away_with_its_marker_left_begins_anew(tmp_path: Path) -> None:
    chosen = choose(tmp_path)
    use(chosen, fill)
    (chosen[StoreSettings].data_path / "state.db").unlink()

    assert use(chosen, look) == []


@requires("store.emptied")
def test_a_backup_replaces_an_emptied_store_without_force(tmp_path: Path) -> None:
    chosen, copy = choose(tmp_path), tmp_path / "copy.db"

    async def save(state: StateStore) -> None:
        await fill(state)
        await back_up_state(state, copy)

    use(chosen, save)
    empty(chosen)

    use(chosen, lambda state: restore_state(state, copy))

    assert len(use(chosen, look)) == 1


def test_a_store_emptied_while_it_is_open_is_not_begun_anew(tmp_path: Path) -> None:
    chosen = choose(tmp_path)

    async def scenario(state: StateStore) -> None:
        await fill(state)
        empty(chosen)
        with pytest.raises(DatabaseEmptied):
            await look(state)

    use(chosen, scenario)
