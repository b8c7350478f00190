"""Replace the state with a backup.

It needs the master key that was used when the backup was made. Stop all servers first. A backup from
SQLite can be restored on PostgreSQL, and the reverse.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import load_command_settings
from citewell.core.errors import InvalidInput
from citewell.net.object_client import is_object_address, parse_object_address
from citewell.server.commands.backup import describe_backup_counts

if TYPE_CHECKING:
    from citewell.people.erasure_store import ErasureRecord
    from citewell.server.state.state_backup import BackupSummary


def command(
    path: Annotated[
        str,
        typer.Argument(
            help="A file that `citewell backup` wrote, or s3://bucket/prefix for the newest backup there."
        ),
    ],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the state even if it is not empty.")
    ] = False,
    erased: Annotated[
        Path | None,
        typer.Option(
            help="A file with what `citewell users erasures --for-restore` printed where users were erased."
        ),
    ] = None,
) -> int:
    known = _read_erasures(erased)
    if is_object_address(path):
        place, copied = asyncio.run(_restore_objects(path, force=force, erased=known))
    else:
        place = path
        copied = asyncio.run(_restore_backup(Path(path), force=force, erased=known))
    again = f" {copied.erased} erased again." if copied.erased else ""
    screen.print_text(f"Restored {place}: {describe_backup_counts(copied)}.{again}")
    return exit_codes.OK


def _read_erasures(path: Path | None) -> list[ErasureRecord]:
    """The records in the file; raises InvalidInput if it is not such a list."""
    from citewell.people.erasure_store import read_erasure_list

    try:
        return read_erasure_list(path.read_bytes()) if path else []
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise InvalidInput(
            f"{path} is not what `citewell users erasures --for-restore` printed."
        ) from None


async def _restore_backup(path: Path, *, force: bool, erased: list[ErasureRecord]) -> BackupSummary:
    from citewell.server.state.state_backup import restore_state
    from citewell.server.state.state_store import StateStore

    async with aclosing(StateStore(load_command_settings())) as state:
        return await restore_state(state, path, force=force, erased=erased)


async def _restore_objects(
    address: str, *, force: bool, erased: list[ErasureRecord]
) -> tuple[str, BackupSummary]:
    """Where the restored backup is, and what it holds."""
    from citewell.net.object_client import build_object_client
    from citewell.server.state.object_backups import restore_from_objects, split_backup_address
    from citewell.server.state.state_store import StateStore

    settings = load_command_settings()
    place, name = split_backup_address(parse_object_address(address))
    objects = build_object_client(settings, place)
    async with aclosing(StateStore(settings)) as state:
        restored = await restore_from_objects(state, objects, name=name, force=force, erased=erased)
        return f"{place}/{restored.name}", restored.summary
