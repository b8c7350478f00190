"""`citewell backup`: the whole state in one file, taken while the server runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import settings

if TYPE_CHECKING:
    from citewell.store.backup import Copied


def command(
    path: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> int:
    """Copy sessions, library and keys into one file, still encrypted; servers go on meanwhile."""
    copied, where = asyncio.run(_copied(path, force=force))
    screen.say(f"Written {copied.path}: {told(copied)}.")
    screen.say(f"The master key is not in it. Keep that apart: {where}.")
    return exits.OK


async def _copied(path: Path, *, force: bool) -> tuple[Copied, str]:
    from citewell.store.backup import back_up
    from citewell.store.state import open_state

    state = open_state(settings())
    try:
        return await back_up(state, path, force=force), state.masters.where
    finally:
        await state.aclose()


def told(copied: Copied) -> str:
    return ", ".join(f"{count} {word}" for word, count in copied.counts.items())
