"""Show where the master key comes from, or replace it.

Servers may keep running. Keys are never printed.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.audit.audit_recorder import record_command_event
from citewell.audit.audit_segments import AuditEventType
from citewell.cli import exit_codes, screen
from citewell.cli.command_app import load_command_settings
from citewell.core.values.counted_words import pluralize

if TYPE_CHECKING:
    from citewell.server.state.state_store import StateStore

_DATA_KEY_COUNTS_SQL = (
    "SELECT COUNT(DISTINCT owner), COALESCE(MAX(generation), 0) FROM dek WHERE owner <> ''"
)


class KeyAction(StrEnum):
    SHOW = "show"
    ROTATE = "rotate"


def command(
    action: Annotated[
        KeyAction, typer.Argument(help="show: where the key comes from; rotate: replace it.")
    ] = KeyAction.SHOW,
    *,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Delete former keys after a rotation; older backups can then no longer be restored.",
        ),
    ] = False,
) -> int:
    for line in asyncio.run(_run_key_action(action, forget=forget)):
        screen.print_text(line)
    return exit_codes.OK


async def _run_key_action(action: KeyAction, *, forget: bool) -> list[str]:
    from citewell.server.state.state_store import StateStore

    async with aclosing(StateStore(load_command_settings())) as state:
        if action is KeyAction.SHOW:
            return await _describe_keys(state)
        return await _rotate_keys(state, forget=forget)


async def _describe_keys(state: StateStore) -> list[str]:
    await state.vault.check_master_key()
    ((owners, generation),) = await state.database.select_rows(_DATA_KEY_COUNTS_SQL)
    ((key_id, _),) = await state.database.select_rows("SELECT key_id, revision FROM master")
    return [
        f"Master key: {key_id}, from {state.master_key_source.location}",
        f"Data keys: {owners} {pluralize(owners, 'owner')}, newest generation {generation}",
    ]


async def _rotate_keys(state: StateStore, *, forget: bool) -> list[str]:
    """Add a new master key and rewrap the data keys. Running servers and old backups need the old key."""
    await state.vault.check_master_key()
    made = await asyncio.to_thread(state.master_key_source.add_new_key)
    rotation = await state.vault.rotate_keys()
    await record_command_event(
        state,
        AuditEventType.ADMIN_ACTION,
        metadata={"action": "keys rotate", "forgets": made and forget},
    )
    if made and forget:
        await asyncio.to_thread(state.master_key_source.drop_older_keys)
    lines = await _describe_keys(state)
    lines.append(
        f"Rewrapped {rotation.rewrapped} {pluralize(rotation.rewrapped, 'key')}; new data keys for {rotation.owners} {pluralize(rotation.owners, 'owner')}."
    )
    if not made:
        lines.append(
            "The master key comes from your settings: set a new one there and the old one as "
            "CITEWELL_MASTER_KEY_PREVIOUS on every server, then run this command again."
        )
    return lines
