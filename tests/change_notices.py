"""Tells of a change as a store does that makes one."""

from __future__ import annotations

from citewell.server.state.state_store import StateStore


async def publish_change(state: StateStore, topic: str, key: str) -> None:
    """Tell everybody who watches, in this process and in others."""
    state.notices.notify_here(topic, key)
    if notice := state.notices.build_notice(topic, key):
        await state.database.execute_batch(list(notice))
