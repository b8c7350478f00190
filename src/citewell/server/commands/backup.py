"""Copy sessions, library and keys into one encrypted file.

Servers may keep running.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import load_command_settings
from citewell.core.errors import InvalidInput
from citewell.net.object_client import is_object_address, parse_object_address

if TYPE_CHECKING:
    from citewell.server.state.object_backups import ObjectBackup
    from citewell.server.state.state_backup import BackupSummary


def command(
    path: Annotated[
        str, typer.Argument(help="The file to write, or s3://bucket/prefix for a new backup there.")
    ],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1, help="In an object store: how many backups to keep; older ones are deleted."
        ),
    ] = None,
) -> int:
    if is_object_address(path):
        stored, where = asyncio.run(_store_backup(path, keep=keep))
        place = parse_object_address(path)
        counts = describe_backup_counts(stored.summary)
        screen.print_text(f"Stored {place}/{stored.name}: {counts}.")
        if stored.pruned:
            screen.print_text(f"Deleted older backups: {', '.join(stored.pruned)}.")
    else:
        if keep is not None:
            raise InvalidInput("--keep is for backups in an object store (s3://bucket/prefix).")
        copied, where = asyncio.run(_write_backup(Path(path), force=force))
        screen.print_text(f"Wrote {copied.path}: {describe_backup_counts(copied)}.")
    screen.print_text(f"The backup does not contain the master key. Save that separately: {where}.")
    return exit_codes.OK


async def _write_backup(path: Path, *, force: bool) -> tuple[BackupSummary, str]:
    from citewell.server.state.state_backup import back_up_state
    from citewell.server.state.state_store import StateStore

    async with aclosing(StateStore(load_command_settings())) as state:
        return await back_up_state(state, path, force=force), state.master_key_source.location


async def _store_backup(address: str, *, keep: int | None) -> tuple[ObjectBackup, str]:
    from citewell.net.object_client import build_object_client
    from citewell.server.state.object_backups import back_up_to_objects
    from citewell.server.state.state_store import StateStore

    settings = load_command_settings()
    objects = build_object_client(settings, parse_object_address(address))
    async with aclosing(StateStore(settings)) as state:
        stored = await back_up_to_objects(
            state, objects, keep=keep, clock=time.time, new_id=lambda: uuid.uuid4().hex
        )
        return stored, state.master_key_source.location


def describe_backup_counts(copied: BackupSummary) -> str:
    return ", ".join(f"{count} {word}" for word, count in copied.counts.items())
