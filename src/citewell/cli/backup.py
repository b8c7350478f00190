"""`citewell backup`: copies the whole state into one file, also while a server runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings
from citewell.cli.terminal import screen

if TYPE_CHECKING:
    from citewell.store.state_backup import BackupSummary


def command(
    path: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> int:
    copied, where = asyncio.run(_write_backup(path, force=force))
    screen.print_text(f"Wrote {copied.path}: {describe_backup_counts(copied)}.")
    screen.print_text(f"The backup does not contain the master key. Save that separately: {where}.")
    return exit_codes.OK


async def _write_backup(path: Path, *, force: bool) -> tuple[BackupSummary, str]:
    from citewell.store.state_backup import back_up_state
    from citewell.store.state_store import open_state_store

    state = open_state_store(load_command_settings())
    try:
        return await back_up_state(state, path, force=force), state.master_key_source.location
    finally:
        await state.aclose()


def describe_backup_counts(copied: BackupSummary) -> str:
    return ", ".join(f"{count} {word}" for word, count in copied.counts.items())
