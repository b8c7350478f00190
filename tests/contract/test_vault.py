"""What encryption at rest promises on either engine: nothing plain, no damage, keys that change."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import Misconfigured, SessionNotFound
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_rows import StoredSession
from citewell.sessions.session_store import SessionChange
from citewell.store.failures import WrongMasterKey
from citewell.store.settings import StoreSettings
from citewell.store.sql.database import SqlStatement
from tests.contract.states import Kept
from tests.requirements import requires

MARKER = "plantedmarkerxyzzy"
OLD, NEW = "0a" * 32, "0b" * 32


def document(text: str) -> LibraryDocument:
    card = DocumentCard(id=f"id {text}", title=text, site=f"{text}.example.org", tags=(text,))
    return LibraryDocument(card=card, text=f"about {text} and more")


def adding(step: bytes) -> Callable[[StoredSession], SessionChange]:
    return lambda session: SessionChange(body=session.head.body, appended=(step,))


@requires("session.encrypted")
def test_nothing_that_was_written_can_be_read_from_the_disk(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        marker = MARKER.encode()
        await state.sessions.create_session(MARKER, MARKER, marker, [marker])
        await state.sessions.edit_session(MARKER, MARKER, adding(marker * 100))
        await state.library.store_documents(MARKER, [document(MARKER)])
        found = await state.library.search_library(MARKER, MARKER)
        return [match.card.title for match in found]

    found = store.run(scenario)

    assert found == [MARKER]
    bytes_kept = store.on_disk()
    assert len(bytes_kept) > 10_000
    assert MARKER.encode() not in bytes_kept


def test_a_wrong_key_is_refused_without_damage(store: Kept) -> None:
    right = store.with_settings(master_key=OLD)
    wrong = store.with_settings(master_key=NEW)
    right.run(lambda state: state.sessions.create_session("someone", "id", b"head"))

    async def scenario(state: StateStore) -> None:
        with pytest.raises(WrongMasterKey, match="nothing was changed"):
            await state.sessions.load_session("someone", "id")
        with pytest.raises(WrongMasterKey):
            await state.sessions.create_session("other", "id", b"head")

    wrong.run(scenario)

    async def unharmed(state: StateStore) -> Any:
        await state.vault.check_master_key()
        rows = await state.database.select_rows("SELECT COUNT(*) FROM dek")
        return rows, (await state.sessions.load_session("someone", "id")).head.body

    assert right.run(unharmed) == ([(3,)], b"head")


@pytest.mark.parametrize("bad", ["", "0a", "zz" * 32])
def test_what_is_no_key_is_said_without_repeating_it(store: Kept, bad: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        store.with_settings(master_key=bad or "?").run(
            lambda state: state.sessions.list_heads("someone")
        )

    assert "CITEWELL_MASTER_KEY" in caught.value.message
    assert not bad or bad not in caught.value.message


def test_the_key_file_is_made_for_its_owner_alone(store: Kept) -> None:
    store.run(lambda state: state.sessions.create_session("someone", "id", b"head"))
    path = store.settings[StoreSettings].data_path / "state.key"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_can_come_from_a_file_with_previous_ones_below(store: Kept, tmp_path: Path) -> None:
    path = tmp_path / "mounted"
    path.write_text(f"{OLD}\n")
    mounted = store.with_settings(master_key_file=path)
    mounted.run(lambda state: state.sessions.create_session("someone", "id", b"head"))

    path.write_text(f"{NEW}\n{OLD}\n")

    async def rotated(state: StateStore) -> None:
        assert not state.master_key_source.add_new_key()
        await state.vault.rotate_keys()

    mounted.run(rotated)
    path.write_text(f"{NEW}\n")
    assert (
        mounted.run(lambda state: state.sessions.load_session("someone", "id")).head.body == b"head"
    )


def test_after_rotation_only_the_new_key_opens(store: Kept) -> None:
    old = store.with_settings(master_key=OLD)
    both = store.with_settings(master_key=NEW, master_key_previous=OLD)
    new = store.with_settings(master_key=NEW)
    old.run(lambda state: state.sessions.create_session("someone", "id", b"head", [b"one"]))

    rotation = both.run(lambda state: state.vault.rotate_keys())

    assert (rotation.owners, rotation.rewrapped) == (1, 3)
    assert new.run(lambda state: state.sessions.load_session("someone", "id")).steps == (b"one",)
    with pytest.raises(WrongMasterKey):
        old.run(lambda state: state.sessions.load_session("someone", "id"))


def test_a_key_that_is_replaced_while_it_is_looked_up_is_looked_up_again(store: Kept) -> None:
    replaced: list[str] = []

    async def rotate() -> None:
        async with store.opened() as operator:
            assert operator.master_key_source.add_new_key()
            await operator.vault.rotate_keys()
            operator.master_key_source.drop_older_keys()

    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session("before", "id", b"head")
        await rotate()  # the keys that this server remembers are older now
        select = state.database.select_rows

        async def select_before_rotation(sql: str, *given: Any, **more: Any) -> Any:
            found = await select(sql, *given, **more)
            if "FROM master" in sql and not replaced:
                replaced.append(sql)
                await rotate()
            return found

        state.database.select_rows = select_before_rotation  # type: ignore[method-assign]
        await state.sessions.create_session("after", "id", b"head")
        return await state.sessions.load_session("after", "id")

    assert store.run(scenario) is not None
    assert replaced


def test_rotation_works_while_serving(store: Kept) -> None:
    """Two servers go on reading and writing, for old owners and new ones, as the keys change."""

    async def serve(state: StateStore, name: Any, done: Any) -> Any:
        owners = 0
        while not done.is_set() or owners < 5:
            owner = f"{name} {owners}"
            await state.sessions.create_session(owner, "id", b"head")
            await state.sessions.edit_session(owner, "id", adding(b"one"))
            await state.sessions.edit_session("before", name, adding(b"more"))
            await state.library.store_documents("before", [document(f"{name} {owners}")])
            owners += 1
        return [f"{name} {number}" for number in range(owners)]

    async def rotate(done: Any) -> None:
        for _ in range(3):
            async with store.opened() as operator:
                assert operator.master_key_source.add_new_key()
                await operator.vault.rotate_keys()
                operator.master_key_source.drop_older_keys()
        done.set()

    async def scenario(first: StateStore) -> Any:
        for name in "ab":
            await first.sessions.create_session("before", name, b"head")
        done = asyncio.Event()
        async with store.opened() as second:
            *served, _ = await asyncio.gather(
                serve(first, "a", done), serve(second, "b", done), rotate(done)
            )
        return served

    served = store.run(scenario)

    async def reread(state: StateStore) -> Any:
        for owner in [*served[0], *served[1]]:
            assert (await state.sessions.load_session(owner, "id")).steps == (b"one",)
        lengths = [len((await state.sessions.load_session("before", name)).steps) for name in "ab"]
        return lengths, await state.library.count_stored_documents("before")

    lengths, documents = store.run(reread)
    assert lengths == [len(served[0]), len(served[1])]
    assert documents == sum(lengths)
    assert len((store.settings[StoreSettings].data_path / "state.key").read_text().split()) == 1


def test_erasing_an_owner_leaves_nothing_of_it_and_all_of_others(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for owner in ("gone", "stays"):
            await state.sessions.create_session(owner, "id", b"head", [b"one"])
            await state.library.store_documents(owner, [document("subject")])
        await state.erase_owner("gone")
        with pytest.raises(SessionNotFound):
            await state.sessions.load_session("gone", "id")
        left = [
            (await state.database.select_rows(f"SELECT COUNT(*) FROM {table}"))[0][0]
            for table in ("session", "session_step", "document")
        ]
        keys = await state.database.select_rows("SELECT COUNT(DISTINCT owner) FROM dek")
        return left, keys, await state.library.search_library("gone", "subject")

    left, keys, found = store.run(scenario)

    assert left == [1, 1, 1]
    assert keys == [(2,)]
    assert found == ()


def test_a_server_that_still_holds_erased_keys_writes_nothing_under_them(store: Kept) -> None:
    async def scenario(first: StateStore) -> Any:
        async with store.opened() as second:
            await first.sessions.create_session("someone", "id", b"head")
            await second.sessions.load_session("someone", "id")
            await first.erase_owner("someone")
            with pytest.raises(SessionNotFound):
                await second.sessions.edit_session("someone", "id", adding(b"late"))
            await second.sessions.create_session("someone", "new", b"afresh")
            await second.library.store_documents("someone", [document("afresh")])
        return (await first.sessions.load_session("someone", "new")).head.body

    assert store.run(scenario) == b"afresh"


@pytest.mark.parametrize("table", ["session", "session_step"])
def test_an_altered_row_is_noticed_and_the_others_stay_readable(store: Kept, table: str) -> None:
    async def scenario(state: StateStore) -> Any:
        for session_id in ("a", "b"):
            await state.sessions.create_session("someone", session_id, b"head", [b"one"])
        rows = await state.database.select_rows(f"SELECT body FROM {table}")
        swap = f"UPDATE {table} SET body = :new WHERE body = :old"
        params = {"old": rows[0][0], "new": rows[1][0]}
        await state.database.execute_batch([SqlStatement(sql=swap, params=params)])
        return state

    store.run(scenario)

    async def reread(state: StateStore) -> Any:
        answers = await asyncio.gather(
            *(state.sessions.load_session("someone", one) for one in ("a", "b")),
            return_exceptions=True,
        )
        return sorted(type(answer).__name__ for answer in answers), len(
            await state.sessions.list_heads("someone")
        )

    kinds, listed = store.run(reread)
    assert kinds == ["DecryptionFailed", "StoredSession"]
    assert listed == (1 if table == "session" else 2)
