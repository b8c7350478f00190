"""Update the database schemas.

A server otherwise does this when it first uses them.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import load_command_settings
from citewell.store.sql.database import SqlDatabase

_SCHEMA_VERSION_SQL = "SELECT version FROM schema_version"


def command() -> int:
    for name, version in asyncio.run(_migrate_databases()):
        screen.print_text(f"{name}: schema {version}")
    return exit_codes.OK


async def _migrate_databases() -> list[tuple[str, int]]:
    from citewell.server.state.state_store import StateStore
    from citewell.store.cache_store import open_cache_store

    chosen = load_command_settings()
    async with (
        aclosing(open_cache_store(chosen)) as store,
        aclosing(StateStore(chosen)) as state,
    ):
        versions = [("state", await _load_schema_version(state.database))]
        if store.database is not None:
            versions.append(("cache", await _load_schema_version(store.database)))
        return versions


async def _load_schema_version(database: SqlDatabase) -> int:
    """The schema version; this first query makes the database migrate itself."""
    ((version,),) = await database.select_rows(_SCHEMA_VERSION_SQL)
    return int(version)
