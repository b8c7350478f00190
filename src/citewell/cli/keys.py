"""`citewell keys`: where the master key comes from, and how it is changed."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import settings

if TYPE_CHECKING:
    from citewell.store.state import State

_COUNTS = "SELECT COUNT(DISTINCT owner), COALESCE(MAX(generation), 0) FROM dek WHERE owner <> ''"


class Action(StrEnum):
    SHOW = "show"
    ROTATE = "rotate"


def command(
    action: Annotated[
        Action, typer.Argument(help="show: where the key is; rotate: change it.")
    ] = Action.SHOW,
    *,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Drop former keys after a rotation: backups from before cannot be restored then.",
        ),
    ] = False,
) -> int:
    """Show where the master key comes from, or change it while servers run; no key is ever printed."""
    for line in asyncio.run(_acted(action, forget=forget)):
        screen.say(line)
    return exits.OK


async def _acted(action: Action, *, forget: bool) -> list[str]:
    from citewell.store.state import open_state

    state = open_state(settings())
    try:
        if action is Action.SHOW:
            return await _shown(state)
        return await _rotated(state, forget=forget)
    finally:
        await state.aclose()


async def _shown(state: State) -> list[str]:
    await state.vault.check()
    ((owners, generation),) = await state.database.fetch(_COUNTS)
    ((key_id, _),) = await state.database.fetch("SELECT key_id, revision FROM master")
    return [
        f"Master key: {key_id}, from {state.masters.where}",
        f"Data keys: {owners} owners, newest generation {generation}",
    ]


async def _rotated(state: State, *, forget: bool) -> list[str]:
    """The new key stands before the old one, which servers that run and old backups still need."""
    await state.vault.check()
    made = await asyncio.to_thread(state.masters.renew)
    rotation = await state.vault.rotate()
    if made and forget:
        await asyncio.to_thread(state.masters.settle)
    lines = await _shown(state)
    lines.append(
        f"Rewrapped {rotation.rewrapped} keys; new data keys for {rotation.owners} owners."
    )
    if not made:
        lines.append(
            "The master key is yours to change: set the new one in its place and the old one as "
            "CITEWELL_MASTER_KEY_PREVIOUS on every server, then run this again."
        )
    return lines
