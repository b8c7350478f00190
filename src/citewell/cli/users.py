"""`citewell users`: makes, lists and revokes API tokens; lists, exports and erases users."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings
from citewell.cli.running.command_audit import record_command_event
from citewell.cli.running.shared_options import JsonOption
from citewell.cli.subjects.user_data import USER_DATA_COMMANDS
from citewell.cli.terminal import screen
from citewell.errors import InvalidInput, NotFound
from citewell.model.audit_event import AuditEventType
from citewell.server.http.auth.caller_names import MAX_NAME_CHARS, is_usable_name
from citewell.store.people.record_times import format_utc_time
from citewell.store.state_store import has_stored_state, open_state_store
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.config import Settings
    from citewell.store.people.token_store import ApiTokenRecord, CreatedToken

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
        lifetime = _choose_lifetime(days)
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
    from citewell.server.manifest import load_manifest

    entries = load_manifest()["tools"]
    toolsets = sorted({entry["toolset"] for entry in entries})
    known = {"tool:*", _ADMIN_SCOPE, *settings.required_scopes}
    known |= {f"tool:{entry['name']}" for entry in entries} | {f"toolset:{one}" for one in toolsets}
    for one in scopes:
        if one not in known:
            raise InvalidInput(
                f"--scope {one[:80]} allows nothing. Write tool:* or tool:NAME (`citewell tools` "
                f"lists the names), toolset: and one of {', '.join(toolsets)}, or {_ADMIN_SCOPE}."
            )


def _choose_lifetime(days: float) -> float | None:
    """Seconds; None for ever."""
    if not math.isfinite(days) or not 0 <= days <= MAX_LIFETIME_DAYS:
        raise InvalidInput(f"--days must be between 0 (never expires) and {MAX_LIFETIME_DAYS:.0f}.")
    return days * _DAY_SECONDS or None


async def _create_user_token(
    settings: Settings, owner: Owner, name: str, scopes: list[str] | None, lifetime: float | None
) -> CreatedToken:
    state = open_state_store(settings)
    try:
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
    finally:
        await state.aclose()


async def _print_user_tokens(
    settings: Settings, user: str | None, tenant: str | None
) -> tuple[ApiTokenRecord, ...]:
    if not has_stored_state(settings):
        return ()
    state = open_state_store(settings)
    try:
        found = await state.tokens.list_tokens()
    finally:
        await state.aclose()
    return tuple(
        record
        for record in found
        if (owner := Owner.parse_text(record.owner))
        and user in {None, owner.user}
        and tenant in {None, owner.tenant}
    )


async def _revoke_user_token(settings: Settings, token_id: str) -> None:
    is_revoked = False
    if has_stored_state(settings):
        state = open_state_store(settings)
        try:
            is_revoked = await state.tokens.revoke_token(token_id)
            if is_revoked:
                await record_command_event(
                    state, AuditEventType.TOKEN_REVOKED, metadata={"credential_id": token_id}
                )
        finally:
            await state.aclose()
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
    if not settings.api_tokens:
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


SUBCOMMANDS = {"token": manage_tokens, **USER_DATA_COMMANDS}
