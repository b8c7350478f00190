"""`citewell migrate`: updates the database schemas before a server uses them."""

from __future__ import annotations

import asyncio

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings
from citewell.cli.terminal import screen
from citewell.store.sql.database import SqlDatabase

_SCHEMA_VERSION_SQL = "SELECT version FROM schema_version"


def command() -> int:
    for name, version in asyncio.run(_migrate_databases()):
        screen.print_text(f"{name}: schema {version}")
    return exit_codes.OK


async def _migrate_databases() -> list[tuple[str, int]]:
    from citewell.store.cache_store import open_cache_store
    from citewell.store.state_store import open_state_store

    chosen = load_command_settings()
    state, store = open_state_store(chosen), open_cache_store(chosen)
    try:
        versions = [("state", await _load_schema_version(state.database))]
        if store.database is not None:
            versions.append(("cache", await _load_schema_version(store.database)))
        return versions
    finally:
        await state.aclose()
        await store.aclose()


async def _load_schema_version(database: SqlDatabase) -> int:
    """The schema version; this first query makes the database migrate itself."""
    ((version,),) = await database.select_rows(_SCHEMA_VERSION_SQL)
    return int(version)
