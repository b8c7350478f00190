"""`citewell migrate`: the databases brought up to date before a server starts on them."""

from __future__ import annotations

import asyncio

from citewell.cli import exits, screen
from citewell.cli.opened import settings
from citewell.store.sql import Database

_VERSION = "SELECT version FROM schema_version"


def command() -> int:
    """Bring the databases up to date; a server does so by itself when it first uses them."""
    for name, version in asyncio.run(_migrated()):
        screen.say(f"{name}: schema {version}")
    return exits.OK


async def _migrated() -> list[tuple[str, int]]:
    from citewell.store.opened import open_store
    from citewell.store.state import open_state

    chosen = settings()
    state, store = open_state(chosen), open_store(chosen)
    try:
        versions = [("state", await _version(state.database))]
        if store.database is not None:
            versions.append(("cache", await _version(store.database)))
        return versions
    finally:
        await state.aclose()
        await store.aclose()


async def _version(database: Database) -> int:
    """Whatever asks first is answered by an up-to-date database."""
    ((version,),) = await database.fetch(_VERSION)
    return int(version)
