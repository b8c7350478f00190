"""What the session store promises on either engine."""

from __future__ import annotations

import asyncio

import pytest

from citewell.errors import SessionNotFound
from citewell.store.failures import Contended
from citewell.store.sessions import Change
from tests.contract.states import ENGINES, kept


@pytest.fixture(params=sorted(ENGINES))
def store(request, tmp_path):
    return kept(request.param, tmp_path)


def adding(step: bytes):
    return lambda session: Change(body=session.head.body + b"+", appended=(step,))


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"x" * 3000, "日本語 🧪".encode(), b"\x00\xff" * 600_000]
)
def test_a_session_comes_back_as_it_was_written(store, body):
    async def scenario(state):
        await state.sessions.create("someone", "id", body, [body, b"second"])
        return await state.sessions.load("someone", "id")

    session = store.run(scenario)

    assert session.head.body == body
    assert session.steps == (body, b"second")
    assert (session.head.version, session.head.steps) == (1, 2)


def test_a_session_outlives_the_process_that_began_it(store):
    async def begin(state):
        await state.sessions.create("someone", "id", b"head", [b"one"])
        await state.sessions.edit("someone", "id", adding(b"two"))

    store.run(begin)
    session = store.run(lambda state: state.sessions.load("someone", "id"))

    assert (session.head.body, session.steps) == (b"head+", (b"one", b"two"))


def test_a_step_can_be_written_anew(store):
    async def scenario(state):
        await state.sessions.create("someone", "id", b"head", [b"one", b"two"])
        change = Change(body=b"revised", appended=(b"three",), replaced={1: b"one, superseded"})
        await state.sessions.edit("someone", "id", lambda _: change)
        return await state.sessions.load("someone", "id")

    session = store.run(scenario)

    assert session.head.body == b"revised"
    assert session.steps == (b"one, superseded", b"two", b"three")


@pytest.mark.parametrize(
    "odd", ["", "a\x00b", "\ud800", "' OR 1=1 --", "../../etc/passwd", "k" * 10_000, "İ🧪"]
)
def test_any_text_can_be_an_id_or_an_owner(store, odd):
    async def scenario(state):
        await state.sessions.create(odd, odd, b"mine")
        with pytest.raises(SessionNotFound):
            await state.sessions.load("someone", odd)
        with pytest.raises(SessionNotFound):
            await state.sessions.load(odd, odd + "x")
        return await state.sessions.load(odd, odd), await state.sessions.heads(odd)

    session, heads = store.run(scenario)

    assert session.head.id == odd
    assert heads == (session.head,)


@pytest.mark.parametrize("verb", ["load", "edit", "append", "delete"])
def test_a_session_of_another_owner_cannot_be_told_from_an_unknown_one(store, verb):
    async def act(state, session_id):
        verbs = {
            "load": lambda: state.sessions.load("other", session_id),
            "edit": lambda: state.sessions.edit("other", session_id, adding(b"x")),
            "append": lambda: state.sessions.append_step(
                "other", session_id, b"x", body=b"", version=1
            ),
            "delete": lambda: state.sessions.delete("other", session_id),
        }
        with pytest.raises(SessionNotFound) as caught:
            await verbs[verb]()
        return caught.value.block(), caught.value.message

    async def scenario(state):
        await state.sessions.create("someone", "theirs", b"head", [b"one"])
        await state.sessions.create("other", "mine", b"head")
        told = await act(state, "theirs"), await act(state, "nobody's")
        return told, await state.sessions.load("someone", "theirs")

    (theirs, unknown), untouched = store.run(scenario)

    assert theirs == unknown
    assert untouched.steps == (b"one",)


def test_owners_list_their_own_sessions_only(store):
    async def scenario(state):
        for owner, session_id in (("a", "1"), ("b", "2"), ("a", "3")):
            store.clock.now += 1
            await state.sessions.create(owner, session_id, b"head")
        listed = [await state.sessions.heads(owner) for owner in ("a", "b", "c")]
        return [[head.id for head in heads] for heads in listed]

    assert store.run(scenario) == [["3", "1"], ["2"], []]


def test_the_time_to_live_begins_again_with_every_access(store):
    hours = 3600

    async def scenario(state):
        await state.sessions.create("someone", "used", b"head")
        await state.sessions.create("someone", "unused", b"head")
        store.clock.now += 3.9 * hours
        await state.sessions.load("someone", "used")
        store.clock.now += 3.9 * hours
        await state.sessions.edit("someone", "used", adding(b"one"))
        store.clock.now += 3.9 * hours
        alive = await state.sessions.load("someone", "used")
        with pytest.raises(SessionNotFound):
            await state.sessions.load("someone", "unused")
        swept = await state.sessions.sweep(), await state.sessions.sweep()
        return alive.steps, swept, [head.id for head in await state.sessions.heads("someone")]

    assert store.run(scenario) == ((b"one",), (1, 0), ["used"])


def test_an_expired_session_can_neither_be_changed_nor_listed(store):
    async def scenario(state):
        await state.sessions.create("someone", "id", b"head")
        store.clock.now += 4 * 3600
        with pytest.raises(SessionNotFound):
            await state.sessions.edit("someone", "id", adding(b"late"))
        with pytest.raises(SessionNotFound):
            await state.sessions.delete("someone", "id")
        assert await state.sessions.heads("someone") == ()
        return await state.sessions.create("someone", "id", b"again")

    assert store.run(scenario).head.version == 1


def test_beyond_the_bound_the_least_recently_used_makes_room(store):
    small = store.with_settings(session_max=3)

    async def scenario(state):
        for number in range(3):
            small.clock.now += 1
            await state.sessions.create("someone", str(number), b"head", [b"one"])
        await state.sessions.create("other", "x", b"head")
        small.clock.now += 1
        await state.sessions.load("someone", "0")
        small.clock.now += 1
        await state.sessions.create("someone", "new", b"head")
        return {head.id for head in await state.sessions.heads("someone")}, len(
            await state.sessions.heads("other")
        )

    assert small.run(scenario) == ({"0", "2", "new"}, 1)


def test_a_session_is_begun_once(store):
    async def scenario(state):
        await state.sessions.create("someone", "id", b"first")
        with pytest.raises(Contended):
            await state.sessions.create("someone", "id", b"second")
        return (await state.sessions.load("someone", "id")).head.body

    assert store.run(scenario) == b"first"


def test_a_deleted_session_is_gone_with_its_steps(store):
    async def scenario(state):
        await state.sessions.create("someone", "id", b"head", [b"one"])
        await state.sessions.delete("someone", "id")
        with pytest.raises(SessionNotFound):
            await state.sessions.delete("someone", "id")
        return await state.database.fetch("SELECT COUNT(*) FROM session_step")

    assert store.run(scenario) == [(0,)]


def test_a_stale_append_is_refused(store):
    async def scenario(state):
        await state.sessions.create("someone", "id", b"head")
        head = await state.sessions.append_step("someone", "id", b"one", body=b"1", version=1)
        with pytest.raises(Contended):
            await state.sessions.append_step("someone", "id", b"other", body=b"x", version=1)
        await state.sessions.append_step("someone", "id", b"two", body=b"2", version=head.version)
        return await state.sessions.load("someone", "id")

    session = store.run(scenario)

    assert (session.head.body, session.steps) == (b"2", (b"one", b"two"))


def test_writers_of_one_session_lose_nothing(store):
    async def scenario(first):
        async with store.opened() as second:
            await first.sessions.create("someone", "id", b"")
            writers = [
                state.sessions.edit("someone", "id", adding(f"{place} {number}".encode()))
                for number in range(25)
                for place, state in enumerate((first, second))
            ]
            await asyncio.gather(*writers)
            return await first.sessions.load("someone", "id")

    session = store.run(scenario)

    assert len(session.steps) == len(set(session.steps)) == 50
    assert session.head.body == b"+" * 50
    assert session.head.version == 51


def test_a_change_that_fails_changes_nothing(store):
    def fail(session):
        raise ValueError("no")

    async def scenario(state):
        await state.sessions.create("someone", "id", b"head")
        with pytest.raises(ValueError, match="no"):
            await state.sessions.edit("someone", "id", fail)
        await state.sessions.edit("someone", "id", adding(b"one"))
        return (await state.sessions.load("someone", "id")).steps

    assert store.run(scenario) == (b"one",)


def test_what_another_process_wrote_is_seen_at_once(store):
    async def scenario(first):
        async with store.opened() as second:
            await first.sessions.create("someone", "id", b"head")
            await second.sessions.edit("someone", "id", adding(b"theirs"))
            return await first.sessions.load("someone", "id")

    assert store.run(scenario).steps == (b"theirs",)
