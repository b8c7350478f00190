"""Manage API tokens; list, export and erase users.

Servers may keep running. A token is shown once, when it is made. An erasure cannot be undone, also
deletes keys from copies that Citewell keeps, and prints a receipt.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Iterable
from contextlib import aclosing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.audit.audit_recorder import record_command_event
from citewell.audit.audit_segments import AuditEventType
from citewell.cli import exit_codes, screen
from citewell.cli.command_app import (
    JsonOption,
    TenantArgument,
    UserArgument,
    call_with_app,
    load_command_settings,
    open_command_app,
)
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.tooling import Owner
from citewell.people.subject_archive import (
    ArchiveFormat,
    SubjectArchive,
    UserDirectory,
    require_subject,
    write_archive,
)
from citewell.people.subject_erasure import SubjectEraser
from citewell.server.http.auth.caller import MAX_NAME_CHARS, is_usable_name
from citewell.server.settings import ServerSettings
from citewell.server.state.state_store import StateStore, has_stored_state
from citewell.text.calendar_dates import format_utc_time

if TYPE_CHECKING:
    from citewell.core.config import Settings
    from citewell.people.token_store import ApiTokenRecord, CreatedToken
    from citewell.server.app import App


def list_users(
    tenant: Annotated[str | None, typer.Argument(help="Only users of this tenant.")] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """List the users of whom something is kept."""
    owners = call_with_app(lambda app: app.require_service(UserDirectory).list_users(tenant))
    if as_json:
        screen.print_json([{"tenantId": owner.tenant, "userId": owner.user} for owner in owners])
    elif owners:
        screen.print_table(("Tenant", "User"), [(owner.tenant, owner.user) for owner in owners])
    return exit_codes.OK if owners else exit_codes.NOTHING_FOUND


def show_user(tenant: TenantArgument, user: UserArgument, *, as_json: JsonOption = False) -> int:
    """Show how much is kept of one user, by kind."""
    owner = require_subject(tenant, user)
    counts = call_with_app(lambda app: _count_kept_items(app, owner))
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


async def _count_kept_items(app: App, owner: Owner) -> dict[str, int]:
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
        if for_restore:
            records = await app.open_state().erasures.list_erasures()
            return [record.to_json() for record in records]
        receipts = await app.require_service(SubjectEraser).list_receipts()
        return [receipt.to_json() for receipt in receipts]


DEFAULT_LIFETIME_DAYS = 90.0
MAX_LIFETIME_DAYS = 36_500.0
_DAY_SECONDS = 86_400.0
_ADMIN_SCOPE = "citewell:admin"


class TokenAction(StrEnum):
    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


def manage_tokens(
    action: Annotated[TokenAction, typer.Argument(help="create, list or revoke.")],
    token_id: Annotated[str | None, typer.Argument(help="The id of the token to revoke.")] = None,
    *,
    user: Annotated[str | None, typer.Option(help="Whose token it is.")] = None,
    tenant: Annotated[
        str | None, typer.Option(help="The user's tenant; `default` for a new token without it.")
    ] = None,
    name: Annotated[str, typer.Option(help="What the token is for, to tell it from others.")] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What it may call: tool:NAME, toolset:NAME or tool:*; repeatable."),
    ] = None,
    days: Annotated[
        float,
        typer.Option(help="Days until it expires; 0 for never."),
    ] = DEFAULT_LIFETIME_DAYS,
    as_json: JsonOption = False,
) -> int:
    """Make a token for a user, list tokens, or revoke one.

    A token is shown once, when it is made; only a hash of it is kept. Without --scope it may call
    every tool.
    """
    settings = load_command_settings()
    if action is TokenAction.CREATE:
        owner = _require_owner(user, tenant)
        _check_scopes(scope or (), settings)
        if not math.isfinite(days) or not 0 <= days <= MAX_LIFETIME_DAYS:
            raise InvalidInput(
                f"--days must be between 0 (never expires) and {MAX_LIFETIME_DAYS:.0f}."
            )
        lifetime = days * _DAY_SECONDS or None  # None for ever
        made = asyncio.run(_create_user_token(settings, owner, name, scope, lifetime))
        return _print_created_token(made, settings, as_json=as_json)
    if action is TokenAction.LIST:
        return _print_token_list(
            asyncio.run(_print_user_tokens(settings, user, tenant)), as_json=as_json
        )
    if token_id is None:
        raise InvalidInput(
            "`users token revoke` needs the id of a token; `citewell users token list` shows them."
        )
    asyncio.run(_revoke_user_token(settings, token_id))
    screen.print_text(f"Revoked {token_id}. Running servers refuse it within seconds.")
    return exit_codes.OK


def _require_owner(user: str | None, tenant: str | None) -> Owner:
    nobody = Owner()
    owner = Owner(tenant=tenant or nobody.tenant, user=user or "")
    if not user or user == nobody.user:
        raise InvalidInput(f"Name whose token it is with --user; not {nobody.user}.")
    if not (is_usable_name(owner.tenant) and is_usable_name(owner.user)):
        raise InvalidInput(
            f"--user and --tenant take up to {MAX_NAME_CHARS} characters that can be seen, without "
            "spaces at either end."
        )
    return owner


def _check_scopes(scopes: Iterable[str], settings: Settings) -> None:
    from citewell.server.capabilities.tool_selection import load_manifest

    entries = load_manifest()["tools"]
    toolsets = sorted({entry["toolset"] for entry in entries})
    known = {"tool:*", _ADMIN_SCOPE, *settings[ServerSettings].required_scopes}
    known |= {f"tool:{entry['name']}" for entry in entries}
    known |= {f"toolset:{toolset}" for toolset in toolsets}
    for scope in scopes:
        if scope not in known:
            raise InvalidInput(
                f"--scope {scope[:80]} allows nothing. Write tool:* or tool:NAME (`citewell tools` "
                f"lists the names), toolset: and one of {', '.join(toolsets)}, or {_ADMIN_SCOPE}."
            )


async def _create_user_token(
    settings: Settings, owner: Owner, name: str, scopes: list[str] | None, lifetime: float | None
) -> CreatedToken:
    async with aclosing(StateStore(settings)) as state:
        made = await state.tokens.create_token(
            str(owner), name=name, scopes=scopes or None, lifetime=lifetime
        )
        await record_command_event(
            state,
            AuditEventType.TOKEN_CREATED,
            owner=owner,
            metadata={"credential_id": made.record.id, "scopes": scopes or None},
        )
        return made


async def _print_user_tokens(
    settings: Settings, user: str | None, tenant: str | None
) -> tuple[ApiTokenRecord, ...]:
    if not has_stored_state(settings):
        return ()
    async with aclosing(StateStore(settings)) as state:
        records = await state.tokens.list_tokens()
    return tuple(
        record
        for record in records
        if (owner := Owner.parse_text(record.owner))
        and user in {None, owner.user}
        and tenant in {None, owner.tenant}
    )


async def _revoke_user_token(settings: Settings, token_id: str) -> None:
    is_revoked = False
    if has_stored_state(settings):
        async with aclosing(StateStore(settings)) as state:
            is_revoked = await state.tokens.revoke_token(token_id)
            if is_revoked:
                await record_command_event(
                    state, AuditEventType.TOKEN_REVOKED, metadata={"credential_id": token_id}
                )
    if not is_revoked:
        raise NotFound(
            "No token has this id, or it was revoked already; `citewell users token list` shows them."
        )


def _print_created_token(made: CreatedToken, settings: Settings, *, as_json: bool) -> int:
    if as_json:
        screen.print_json(made.record.to_json() | {"token": made.secret_text})
        return exit_codes.OK
    screen.print_text(made.secret_text, unwrapped=True)
    screen.print_text(
        f"For {made.record.owner}; {_describe_end(made.record)}. It is not kept and not shown again. "
        "Clients send it as `Authorization: Bearer <token>`."
    )
    if not settings[ServerSettings].api_tokens:
        screen.print_text(
            "Set CITEWELL_API_TOKENS=true for the server; without it tokens are not accepted.",
            style="yellow",
        )
    return exit_codes.OK


def _print_token_list(records: tuple[ApiTokenRecord, ...], *, as_json: bool) -> int:
    if as_json:
        screen.print_json({"tokens": [record.to_json() for record in records]})
    elif not records:
        screen.print_text("No tokens. `citewell users token create --user NAME` makes one.")
    else:
        rows = [
            (
                record.id,
                record.owner,
                record.name or "-",
                "every tool" if record.scopes is None else " ".join(record.scopes),
                _describe_end(record),
            )
            for record in records
        ]
        screen.print_table(("ID", "OWNER", "NAME", "MAY CALL", "UNTIL"), rows)
    return exit_codes.OK if records else exit_codes.NOTHING_FOUND


def _describe_end(record: ApiTokenRecord) -> str:
    if record.revoked is not None:
        return f"revoked {format_utc_time(record.revoked)}"
    return "no end" if record.expires is None else f"until {format_utc_time(record.expires)}"


SUBCOMMANDS = {
    "token": manage_tokens,
    "list": list_users,
    "show": show_user,
    "export": export_user,
    "erase": erase_user,
    "erasures": list_erasures,
}
