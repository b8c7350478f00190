"""The store of MCP sessions: opened once, used from any process, passed messages, and ended for all."""

from __future__ import annotations

from typing import Any

from citewell.server.state.mcp_session_store import (
    SessionMessage,
    SharedSession,
    SqlMcpSessionStore,
)
from citewell.server.state.state_store import StateStore
from citewell.store.sql.database import SqlStatement
from tests.contract.states import Kept

OWNER, STRANGER = "acme/anna", "acme/otto"
SESSION = SharedSession(path="/mcp", client_id="app", opening='{"method":"initialize"}')


def open_second(state: StateStore, *, skew: float = 0.0) -> SqlMcpSessionStore:
    """The store as another process on the same database has it."""
    first = state.mcp_sessions
    return SqlMcpSessionStore(
        state.database,
        state.vault,
        state.notices,
        idle_seconds=first._idle_seconds,
        sender="another",
        clock=lambda: first._clock() + skew,
    )


async def hear_messages(store: SqlMcpSessionStore) -> tuple[SessionMessage, ...]:
    return await store.list_messages([await store.hash_session_name("s1")])


def test_a_session_is_used_by_another_process_and_by_nobody_else(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.mcp_sessions.open_session(OWNER, "s1", SESSION, holder="h")
        other = open_second(state)
        return await other.use_session(OWNER, "s1"), await other.use_session(STRANGER, "s1")

    found, foreign = store.run(scenario)

    assert found == SESSION
    assert foreign is None


def test_a_message_reaches_the_other_processes_once_it_is_the_owners(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.mcp_sessions.open_session(OWNER, "s1", SESSION, holder="h")
        other = open_second(state)
        await other.send_message(STRANGER, "s1", "forged")
        await other.close_session(STRANGER, "s1")
        await other.send_message(OWNER, "s1", "cancel")
        heard = await hear_messages(state.mcp_sessions)
        return heard, await hear_messages(other), await other.hash_session_name("s1")

    heard, own, name = store.run(scenario)

    assert [(one.session, one.content) for one in heard] == [(name, "cancel")]
    assert own == ()


def test_an_ended_session_is_gone_for_all_and_its_end_is_told(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.mcp_sessions.open_session(OWNER, "s1", SESSION, holder="h")
        other = open_second(state)
        ended = [await other.close_session(OWNER, "s1") for _ in range(2)]
        found = await state.mcp_sessions.use_session(OWNER, "s1")
        return ended, found, await hear_messages(state.mcp_sessions)

    ended, found, heard = store.run(scenario)

    assert ended == [True, False]
    assert found is None
    assert [one.content for one in heard] == [None]


def test_a_holder_with_too_many_sessions_has_no_room_while_they_are_in_use(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        first = state.mcp_sessions
        await first.open_session(OWNER, "s1", SESSION, holder="h")
        await first.open_session(OWNER, "s2", SESSION, holder="h")
        return (
            await first.make_room("h", 2),
            await first.make_room("h", 3),
            await first.make_room("x", 1),
        )

    assert store.run(scenario) == (False, True, True)


def test_the_oldest_session_of_a_holder_is_ended_when_it_is_not_in_use(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        first = state.mcp_sessions
        for name in ("s1", "s2"):
            await first.open_session(OWNER, name, SESSION, holder="h")
        await state.database.execute_batch([_age_session(await first.hash_session_name("s1"))])
        room = await first.make_room("h", 2)
        return room, await first.use_session(OWNER, "s1"), await first.use_session(OWNER, "s2")

    assert store.run(scenario) == (True, None, SESSION)


def test_a_clock_that_is_ten_minutes_off_ends_no_session_on_a_server(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        if state.database.dialect.name == "sqlite":
            return SESSION  # one machine, one clock
        await state.mcp_sessions.open_session(OWNER, "s1", SESSION, holder="h")
        await open_second(state, skew=7200).make_room("h", 1)
        return await open_second(state, skew=-7200).use_session(OWNER, "s1")

    assert store.run(scenario) == SESSION


def _age_session(name: str) -> SqlStatement:
    sql = "UPDATE mcp_session SET used = used - 600 WHERE id = :id"
    return SqlStatement(sql=sql, params={"id": name}, expected_rows=1)
