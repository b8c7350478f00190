"""What the session store promises on either engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from citewell.core.errors import SessionNotFound
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_rows import StoredSession
from citewell.sessions.session_store import SessionChange
from citewell.store.failures import WriteContended
from tests.contract.states import Kept
from tests.requirements import requires


def adding(step: bytes) -> Callable[[StoredSession], SessionChange]:
    return lambda session: SessionChange(body=session.head.body + b"+", appended=(step,))


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"x" * 3000, "日本語 🧪".encode(), b"\x00\xff" * 600_000]
)
def test_a_session_comes_back_as_it_was_written(store: Kept, body: Any) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", body, [body, b"second"])
        return await state.sessions.load_session("someone", "id")

    session = store.run(scenario)

    assert session.head.body == body
    assert session.steps == (body, b"second")
    assert (session.head.version, session.head.steps) == (1, 2)


@requires("session.restart")
def test_a_session_outlives_the_process_that_began_it(store: Kept) -> None:
    async def begin(state: StateStore) -> None:
        await state.sessions.create_session("someone", "id", b"head", [b"one"])
        await state.sessions.edit_session("someone", "id", adding(b"two"))

    store.run(begin)
    session = store.run(lambda state: state.sessions.load_session("someone", "id"))

    assert (session.head.body, session.steps) == (b"head+", (b"one", b"two"))


def test_a_step_can_be_written_anew(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"head", [b"one", b"two"])
        change = SessionChange(
            body=b"revised", appended=(b"three",), replaced={1: b"one, superseded"}
        )
        await state.sessions.edit_session("someone", "id", lambda _: change)
        return await state.sessions.load_session("someone", "id")

    session = store.run(scenario)

    assert session.head.body == b"revised"
    assert session.steps == (b"one, superseded", b"two", b"three")


@pytest.mark.parametrize(
    "odd", ["", "a\x00b", "\ud800", "' OR 1=1 --", "../../etc/passwd", "k" * 10_000, "İ🧪"]
)
def test_any_text_can_be_an_id_or_an_owner(store: Kept, odd: str) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session(odd, odd, b"mine")
        with pytest.raises(SessionNotFound):
            await state.sessions.load_session("someone", odd)
        with pytest.raises(SessionNotFound):
            await state.sessions.load_session(odd, odd + "x")
        return await state.sessions.load_session(odd, odd), await state.sessions.list_heads(odd)

    session, heads = store.run(scenario)

    assert session.head.id == odd
    assert heads == (session.head,)


@requires("session.owner")
@pytest.mark.parametrize("verb", ["load", "edit", "append", "delete"])
def test_a_session_of_another_owner_cannot_be_told_from_an_unknown_one(
    store: Kept, verb: str
) -> None:
    async def act(state: StateStore, session_id: Any) -> Any:
        verbs: dict[str, Callable[[], Awaitable[object]]] = {
            "load": lambda: state.sessions.load_session("other", session_id),
            "edit": lambda: state.sessions.edit_session("other", session_id, adding(b"x")),
            "append": lambda: state.sessions.append_step(
                "other", session_id, b"x", body=b"", version=1
            ),
            "delete": lambda: state.sessions.delete_session("other", session_id),
        }
        with pytest.raises(SessionNotFound) as caught:
            await verbs[verb]()
        return caught.value.build_error_block(), caught.value.message

    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "theirs", b"head", [b"one"])
        await state.sessions.create_session("other", "mine", b"head")
        told = await act(state, "theirs"), await act(state, "nobody's")
        return told, await state.sessions.load_session("someone", "theirs")

    (theirs, unknown), untouched = store.run(scenario)

    assert theirs == unknown
    assert untouched.steps == (b"one",)


def test_owners_list_their_own_sessions_only(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for owner, session_id in (("a", "1"), ("b", "2"), ("a", "3")):
            store.clock.now += 1
            await state.sessions.create_session(owner, session_id, b"head")
        listed = [await state.sessions.list_heads(owner) for owner in ("a", "b", "c")]
        return [[head.id for head in heads] for heads in listed]

    assert store.run(scenario) == [["3", "1"], ["2"], []]


@requires("session.time_to_live")
def test_the_time_to_live_begins_again_with_every_access(store: Kept) -> None:
    hours = 3600

    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "used", b"head")
        await state.sessions.create_session("someone", "unused", b"head")
        store.clock.now += 3.9 * hours
        await state.sessions.load_session("someone", "used")
        store.clock.now += 3.9 * hours
        await state.sessions.edit_session("someone", "used", adding(b"one"))
        store.clock.now += 3.9 * hours
        alive = await state.sessions.load_session("someone", "used")
        with pytest.raises(SessionNotFound):
            await state.sessions.load_session("someone", "unused")
        swept = await state.sessions.delete_expired(), await state.sessions.delete_expired()
        return alive.steps, swept, [head.id for head in await state.sessions.list_heads("someone")]

    assert store.run(scenario) == ((b"one",), (1, 0), ["used"])


def test_an_expired_session_can_neither_be_changed_nor_listed(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"head")
        store.clock.now += 4 * 3600
        with pytest.raises(SessionNotFound):
            await state.sessions.edit_session("someone", "id", adding(b"late"))
        with pytest.raises(SessionNotFound):
            await state.sessions.delete_session("someone", "id")
        assert await state.sessions.list_heads("someone") == ()
        return await state.sessions.create_session("someone", "id", b"again")

    assert store.run(scenario).head.version == 1


@requires("session.limit")
def test_beyond_the_bound_the_least_recently_used_makes_room(store: Kept) -> None:
    small = store.with_settings(session_max=3)

    async def scenario(state: StateStore) -> Any:
        for number in range(3):
            small.clock.now += 1
            await state.sessions.create_session("someone", str(number), b"head", [b"one"])
        await state.sessions.create_session("other", "x", b"head")
        small.clock.now += 1
        await state.sessions.load_session("someone", "0")
        small.clock.now += 1
        await state.sessions.create_session("someone", "new", b"head")
        return {head.id for head in await state.sessions.list_heads("someone")}, len(
            await state.sessions.list_heads("other")
        )

    assert small.run(scenario) == ({"0", "2", "new"}, 1)


def test_a_session_is_begun_once(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"first")
        with pytest.raises(WriteContended):
            await state.sessions.create_session("someone", "id", b"second")
        return (await state.sessions.load_session("someone", "id")).head.body

    assert store.run(scenario) == b"first"


def test_a_deleted_session_is_gone_with_its_steps(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"head", [b"one"])
        await state.sessions.delete_session("someone", "id")
        with pytest.raises(SessionNotFound):
            await state.sessions.delete_session("someone", "id")
        return await state.database.select_rows("SELECT COUNT(*) FROM session_step")

    assert store.run(scenario) == [(0,)]


def test_a_stale_append_is_refused(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"head")
        head = await state.sessions.append_step("someone", "id", b"one", body=b"1", version=1)
        with pytest.raises(WriteContended):
            await state.sessions.append_step("someone", "id", b"other", body=b"x", version=1)
        await state.sessions.append_step("someone", "id", b"two", body=b"2", version=head.version)
        return await state.sessions.load_session("someone", "id")

    session = store.run(scenario)

    assert (session.head.body, session.steps) == (b"2", (b"one", b"two"))


def test_writers_of_one_session_lose_nothing(store: Kept) -> None:
    async def scenario(first: StateStore) -> Any:
        async with store.opened() as second:
            await first.sessions.create_session("someone", "id", b"")
            writers = [
                state.sessions.edit_session("someone", "id", adding(f"{place} {number}".encode()))
                for number in range(25)
                for place, state in enumerate((first, second))
            ]
            await asyncio.gather(*writers)
            return await first.sessions.load_session("someone", "id")

    session = store.run(scenario)

    assert len(session.steps) == len(set(session.steps)) == 50
    assert session.head.body == b"+" * 50
    assert session.head.version == 51


def test_a_change_that_fails_changes_nothing(store: Kept) -> None:
    def fail(session: Any) -> SessionChange:
        raise ValueError("no")

    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("someone", "id", b"head")
        with pytest.raises(ValueError, match="no"):
            await state.sessions.edit_session("someone", "id", fail)
        await state.sessions.edit_session("someone", "id", adding(b"one"))
        return (await state.sessions.load_session("someone", "id")).steps

    assert store.run(scenario) == (b"one",)


def test_what_another_process_wrote_is_seen_at_once(store: Kept) -> None:
    async def scenario(first: StateStore) -> Any:
        async with store.opened() as second:
            await first.sessions.create_session("someone", "id", b"head")
            await second.sessions.edit_session("someone", "id", adding(b"theirs"))
            return await first.sessions.load_session("someone", "id")

    assert store.run(scenario).steps == (b"theirs",)
