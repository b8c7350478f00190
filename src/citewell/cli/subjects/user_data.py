"""Lists users, shows and exports what is kept of one, and erases one."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.command_audit import record_command_event
from citewell.cli.running.shared_options import JsonOption
from citewell.cli.terminal import screen
from citewell.errors import InvalidInput
from citewell.model.audit_event import AuditEventType
from citewell.services.subjects.archive_writing import ArchiveFormat, write_archive
from citewell.services.subjects.subject_archive import SubjectArchive
from citewell.services.subjects.subject_checks import require_subject
from citewell.services.subjects.subject_erasure import SubjectEraser
from citewell.services.subjects.user_directory import UserDirectory
from citewell.store.people.record_times import format_utc_time

if TYPE_CHECKING:
    from citewell.tooling import Owner

TenantArgument = Annotated[str, typer.Argument(help="The tenant of the user.")]
UserArgument = Annotated[str, typer.Argument(help="The user.")]


def list_users(
    tenant: Annotated[str | None, typer.Argument(help="Only users of this tenant.")] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """List the users of whom something is kept."""
    found = asyncio.run(_find_users(tenant))
    if as_json:
        screen.print_json([{"tenantId": one.tenant, "userId": one.user} for one in found])
    elif found:
        screen.print_table(("Tenant", "User"), [(one.tenant, one.user) for one in found])
    return exit_codes.OK if found else exit_codes.NOTHING_FOUND


def show_user(tenant: TenantArgument, user: UserArgument, *, as_json: JsonOption = False) -> int:
    """Show how much is kept of one user, by kind."""
    counts = asyncio.run(_count_kept_items(require_subject(tenant, user)))
    if as_json:
        screen.print_json(counts)
    else:
        screen.print_table(("What", "Items"), [(name, str(n)) for name, n in counts.items()])
    return exit_codes.OK


def export_user(
    tenant: TenantArgument,
    user: UserArgument,
    *,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    form: Annotated[
        ArchiveFormat, typer.Option("--format", help="json, or zip with a file for each kind.")
    ] = ArchiveFormat.JSON,
) -> int:
    """Write everything that is kept of one user."""
    if out is None and form is ArchiveFormat.ZIP and sys.stdout.isatty():
        raise InvalidInput("A zip file cannot be shown. Name a file with --out.")
    asyncio.run(_write_archive_file(require_subject(tenant, user), form, out))
    return exit_codes.OK


def erase_user(
    tenant: TenantArgument,
    user: UserArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Erase; nothing can be restored.")] = False,
) -> int:
    """Erase one user everywhere, and print the receipt."""
    owner = require_subject(tenant, user)
    if not yes:
        raise InvalidInput("Erasing cannot be undone. Add --yes to erase this user.")
    screen.print_json(asyncio.run(_erase_named_user(owner)))
    return exit_codes.OK


def list_erasures(
    *,
    for_restore: Annotated[
        bool, typer.Option("--for-restore", help="Print the list that `restore --erased` reads.")
    ] = False,
) -> int:
    """Print the receipts of all erasures as JSON."""
    screen.print_json(asyncio.run(_print_erasure_receipts(for_restore=for_restore)))
    return exit_codes.OK


async def _find_users(tenant: str | None) -> tuple[Owner, ...]:
    async with open_command_app() as app:
        return await app.require_service(UserDirectory).list_users(tenant)


async def _count_kept_items(owner: Owner) -> dict[str, int]:
    async with open_command_app() as app:
        archive = app.require_service(SubjectArchive)
        await archive.require_subject(owner)
        return await archive.count_items(owner)


async def _write_archive_file(owner: Owner, form: ArchiveFormat, out: Path | None) -> None:
    async with open_command_app() as app:
        archive = app.require_service(SubjectArchive)
        await archive.require_subject(owner)
        await record_command_event(
            app.open_state(),
            AuditEventType.ADMIN_ACTION,
            owner=owner,
            metadata={"action": "export user"},
        )
        now = format_utc_time(time.time())
        pieces = write_archive(archive, owner, form, created_at=now)
        if out is None:
            async for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        await asyncio.to_thread(out.touch, mode=0o600)
        with out.open("wb") as file:
            async for piece in pieces:
                file.write(piece)


async def _erase_named_user(owner: Owner) -> dict[str, Any]:
    async with open_command_app() as app:
        receipt = await app.require_service(SubjectEraser).erase_subject(owner)
        await record_command_event(
            app.open_state(),
            AuditEventType.ADMIN_ACTION,
            metadata={"action": "erase user", "receipt": receipt.id},  # no name: it is erased
        )
        return receipt.to_json()


async def _print_erasure_receipts(*, for_restore: bool) -> list[dict[str, Any]]:
    async with open_command_app() as app:
        eraser = app.require_service(SubjectEraser)
        if for_restore:
            return [record.to_json() for record in await eraser.list_erasure_records()]
        return [receipt.to_json() for receipt in await eraser.list_receipts()]


USER_DATA_COMMANDS = {
    "list": list_users,
    "show": show_user,
    "export": export_user,
    "erase": erase_user,
    "erasures": list_erasures,
}
