"""`citewell restore`: replaces the state with a backup, from a file or an object store."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli.backup import describe_backup_counts
from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings
from citewell.cli.terminal import screen
from citewell.errors import InvalidInput
from citewell.net.objects.object_address import is_object_address, parse_object_address

if TYPE_CHECKING:
    from citewell.store.state_backup import BackupSummary
    from citewell.store.subjects.erasure_store import ErasureRecord


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
    from citewell.store.subjects.erasure_store import read_erasure_list

    try:
        return read_erasure_list(path.read_bytes()) if path else []
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise InvalidInput(
            f"{path} is not what `citewell users erasures --for-restore` printed."
        ) from None


async def _restore_backup(path: Path, *, force: bool, erased: list[ErasureRecord]) -> BackupSummary:
    from citewell.store.state_backup import restore_state
    from citewell.store.state_store import open_state_store

    state = open_state_store(load_command_settings())
    try:
        return await restore_state(state, path, force=force, erased=erased)
    finally:
        await state.aclose()


async def _restore_objects(
    address: str, *, force: bool, erased: list[ErasureRecord]
) -> tuple[str, BackupSummary]:
    """Where the restored backup is, and what it holds."""
    from citewell.net.objects.object_client import build_object_client
    from citewell.store.objects.object_backups import restore_from_objects, split_backup_address
    from citewell.store.state_store import open_state_store

    settings = load_command_settings()
    place, name = split_backup_address(parse_object_address(address))
    objects = build_object_client(settings, place)
    state = open_state_store(settings)
    try:
        restored = await restore_from_objects(state, objects, name=name, force=force, erased=erased)
        return f"{place}/{restored.name}", restored.summary
    finally:
        await state.aclose()
