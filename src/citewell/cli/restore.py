"""`citewell restore`: a backup put in the place of the state, on either engine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import exits, screen
from citewell.cli.backup import told
from citewell.cli.opened import settings

if TYPE_CHECKING:
    from citewell.store.backup import Copied


def command(
    path: Annotated[Path, typer.Argument(help="A file that `citewell backup` wrote.")],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a state that is not empty.")
    ] = False,
) -> int:
    """Put a backup in the place of the state; it needs the master key of that time.

    Stop servers first. A backup of one engine can be restored on the other.
    """
    copied = asyncio.run(_restored(path, force=force))
    screen.say(f"Restored {copied.path}: {told(copied)}.")
    return exits.OK


async def _restored(path: Path, *, force: bool) -> Copied:
    from citewell.store.backup import restore
    from citewell.store.state import open_state

    state = open_state(settings())
    try:
        return await restore(state, path, force=force)
    finally:
        await state.aclose()
