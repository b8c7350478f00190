"""What encryption at rest promises on either engine: nothing plain, no damage, keys that change."""

from __future__ import annotations

import asyncio
import stat

import pytest

from citewell.errors import Misconfigured, SessionNotFound
from citewell.store.failures import WrongKey
from citewell.store.library_rows import Card, Document
from citewell.store.sessions import Change
from citewell.store.sql import Statement
from tests.contract.states import ENGINES, kept

MARKER = "plantedmarkerxyzzy"
OLD, NEW = "0a" * 32, "0b" * 32


@pytest.fixture(params=sorted(ENGINES))
def store(request, tmp_path):
    return kept(request.param, tmp_path)


def document(text: str) -> Document:
    card = Card(id=f"id {text}", title=text, site=f"{text}.example.org", tags=(text,))
    return Document(card=card, text=f"about {text} and more")


def adding(step: bytes):
    return lambda session: Change(body=session.head.body, appended=(step,))


def test_nothing_that_was_written_can_be_read_from_the_disk(store):
    async def scenario(state):
        marker = MARKER.encode()
        await state.sessions.create(MARKER, MARKER, marker, [marker])
        await state.sessions.edit(MARKER, MARKER, adding(marker * 100))
        await state.library.put(MARKER, [document(MARKER)])
        found = await state.library.search(MARKER, MARKER)
        return [match.card.title for match in found]

    found = store.run(scenario)

    assert found == [MARKER]
    bytes_kept = store.on_disk()
    assert len(bytes_kept) > 10_000
    assert MARKER.encode() not in bytes_kept


def test_a_wrong_key_is_refused_without_damage(store):
    right = store.with_settings(master_key=OLD)
    wrong = store.with_settings(master_key=NEW)
    right.run(lambda state: state.sessions.create("someone", "id", b"head"))

    async def scenario(state):
        with pytest.raises(WrongKey, match="nothing was changed"):
            await state.sessions.load("someone", "id")
        with pytest.raises(WrongKey):
            await state.sessions.create("other", "id", b"head")

    wrong.run(scenario)

    async def unharmed(state):
        await state.vault.check()
        rows = await state.database.fetch("SELECT COUNT(*) FROM dek")
        return rows, (await state.sessions.load("someone", "id")).head.body

    assert right.run(unharmed) == ([(3,)], b"head")


@pytest.mark.parametrize("bad", ["", "0a", "zz" * 32])
def test_what_is_no_key_is_said_without_repeating_it(store, bad):
    with pytest.raises(Misconfigured) as caught:
        store.with_settings(master_key=bad or "?").run(
            lambda state: state.sessions.heads("someone")
        )

    assert "CITEWELL_MASTER_KEY" in caught.value.message
    assert not bad or bad not in caught.value.message


def test_the_key_file_is_made_for_its_owner_alone(store):
    store.run(lambda state: state.sessions.create("someone", "id", b"head"))
    path = store.settings.data_path / "state.key"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_can_come_from_a_file_with_previous_ones_below(store, tmp_path):
    path = tmp_path / "mounted"
    path.write_text(f"{OLD}\n")
    mounted = store.with_settings(master_key_file=path)
    mounted.run(lambda state: state.sessions.create("someone", "id", b"head"))

    path.write_text(f"{NEW}\n{OLD}\n")

    async def rotated(state):
        assert not state.masters.renew()
        await state.vault.rotate()

    mounted.run(rotated)
    path.write_text(f"{NEW}\n")
    assert mounted.run(lambda state: state.sessions.load("someone", "id")).head.body == b"head"


def test_after_rotation_only_the_new_key_opens(store):
    old = store.with_settings(master_key=OLD)
    both = store.with_settings(master_key=NEW, master_key_previous=OLD)
    new = store.with_settings(master_key=NEW)
    old.run(lambda state: state.sessions.create("someone", "id", b"head", [b"one"]))

    rotation = both.run(lambda state: state.vault.rotate())

    assert (rotation.owners, rotation.rewrapped) == (1, 3)
    assert new.run(lambda state: state.sessions.load("someone", "id")).steps == (b"one",)
    with pytest.raises(WrongKey):
        old.run(lambda state: state.sessions.load("someone", "id"))


def test_rotation_works_while_serving(store):
    """Two servers go on reading and writing, for old owners and new ones, as the keys change."""

    async def serve(state, name, done):
        owners = 0
        while not done.is_set() or owners < 5:
            owner = f"{name} {owners}"
            await state.sessions.create(owner, "id", b"head")
            await state.sessions.edit(owner, "id", adding(b"one"))
            await state.sessions.edit("before", name, adding(b"more"))
            await state.library.put("before", [document(f"{name} {owners}")])
            owners += 1
        return [f"{name} {number}" for number in range(owners)]

    async def rotate(done):
        for _ in range(3):
            async with store.opened() as operator:
                assert operator.masters.renew()
                await operator.vault.rotate()
                operator.masters.settle()
        done.set()

    async def scenario(first):
        for name in "ab":
            await first.sessions.create("before", name, b"head")
        done = asyncio.Event()
        async with store.opened() as second:
            *served, _ = await asyncio.gather(
                serve(first, "a", done), serve(second, "b", done), rotate(done)
            )
        return served

    served = store.run(scenario)

    async def reread(state):
        for owner in [*served[0], *served[1]]:
            assert (await state.sessions.load(owner, "id")).steps == (b"one",)
        lengths = [len((await state.sessions.load("before", name)).steps) for name in "ab"]
        return lengths, await state.library.count("before")

    lengths, documents = store.run(reread)
    assert lengths == [len(served[0]), len(served[1])]
    assert documents == sum(lengths)
    assert len((store.settings.data_path / "state.key").read_text().split()) == 1


def test_erasing_an_owner_leaves_nothing_of_it_and_all_of_others(store):
    async def scenario(state):
        for owner in ("gone", "stays"):
            await state.sessions.create(owner, "id", b"head", [b"one"])
            await state.library.put(owner, [document("subject")])
        await state.erase("gone")
        with pytest.raises(SessionNotFound):
            await state.sessions.load("gone", "id")
        left = [
            (await state.database.fetch(f"SELECT COUNT(*) FROM {table}"))[0][0]
            for table in ("session", "session_step", "document")
        ]
        keys = await state.database.fetch("SELECT COUNT(DISTINCT owner) FROM dek")
        return left, keys, await state.library.search("gone", "subject")

    left, keys, found = store.run(scenario)

    assert left == [1, 1, 1]
    assert keys == [(2,)]
    assert found == ()


def test_a_server_that_still_holds_erased_keys_writes_nothing_under_them(store):
    async def scenario(first):
        async with store.opened() as second:
            await first.sessions.create("someone", "id", b"head")
            await second.sessions.load("someone", "id")
            await first.erase("someone")
            with pytest.raises(SessionNotFound):
                await second.sessions.edit("someone", "id", adding(b"late"))
            await second.sessions.create("someone", "new", b"afresh")
            await second.library.put("someone", [document("afresh")])
        return (await first.sessions.load("someone", "new")).head.body

    assert store.run(scenario) == b"afresh"


@pytest.mark.parametrize("table", ["session", "session_step"])
def test_an_altered_row_is_noticed_and_the_others_stay_readable(store, table):
    async def scenario(state):
        for session_id in ("a", "b"):
            await state.sessions.create("someone", session_id, b"head", [b"one"])
        rows = await state.database.fetch(f"SELECT body FROM {table}")
        swap = f"UPDATE {table} SET body = :new WHERE body = :old"
        params = {"old": rows[0][0], "new": rows[1][0]}
        await state.database.execute([Statement(sql=swap, params=params)])
        return state

    store.run(scenario)

    async def reread(state):
        answers = await asyncio.gather(
            *(state.sessions.load("someone", one) for one in ("a", "b")), return_exceptions=True
        )
        return sorted(type(answer).__name__ for answer in answers), len(
            await state.sessions.heads("someone")
        )

    kinds, listed = store.run(reread)
    assert kinds == ["Session", "Unreadable"]
    assert listed == (1 if table == "session" else 2)
