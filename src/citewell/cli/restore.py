"""`citewell restore`: replaces the state with a backup, on SQLite or PostgreSQL."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli.backup import describe_backup_counts
from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings
from citewell.cli.terminal import screen

if TYPE_CHECKING:
    from citewell.store.state_backup import BackupSummary


def command(
    path: Annotated[Path, typer.Argument(help="A file that `citewell backup` wrote.")],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the state even if it is not empty.")
    ] = False,
) -> int:
    copied = asyncio.run(_restore_backup(path, force=force))
    screen.print_text(f"Restored {copied.path}: {describe_backup_counts(copied)}.")
    return exit_codes.OK


async def _restore_backup(path: Path, *, force: bool) -> BackupSummary:
    from citewell.store.state_backup import restore_state
    from citewell.store.state_store import open_state_store

    state = open_state_store(load_command_settings())
    try:
        return await restore_state(state, path, force=force)
    finally:
        await state.aclose()
