"""A backup taken while others write, restored on either engine."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ResearchClaim, ResearchFindings
from citewell.jobs.durable_job import JobOrder
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_backup import back_up_state, restore_state
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_rows import StoredSession
from citewell.sessions.session_store import SessionChange
from citewell.store.failures import StoreError, WrongMasterKey
from citewell.store.settings import StoreSettings
from tests.contract.states import ENGINES, Kept, kept

KEY = "0c" * 32


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return engine(request.param, tmp_path / "data")


def engine(name: Any, folder: Any) -> Kept:
    return kept(name, folder).with_settings(master_key=KEY)


async def fill(state: StateStore) -> None:
    for number in range(5):
        await state.sessions.create_session("someone", str(number), b"head", [b"one", b"two"])
    texts = [f"document {number} about lighthouses" for number in range(20)]
    await state.library.store_documents(
        "someone",
        [LibraryDocument(card=DocumentCard(id=text, tags=("t",)), text=text) for text in texts],
    )
    await state.ledger.post_credit("someone", 10**10 + 1, note="a note")
    research = JobOrder(
        kind="research", args={"q": 1}, cap=10**9, thread="t", title="T", question="Why blink?"
    )
    await state.jobs.create_job("someone", "a job", research)
    claim = ResearchClaim(
        id="c", content="Lighthouses blink", confidence=0.5, confidence_level="low"
    )
    found = ResearchFindings(query="q", synthesis="s", synthesis_by="extractive", claims=(claim,))
    await state.research.store_findings("someone", "a job", found)


async def content(state: StateStore) -> Any:
    heads = sorted((head.id, head.body) for head in await state.sessions.list_heads("someone"))
    session = await state.sessions.load_session("someone", "3")
    matches = await state.library.search_library("someone", "document 7")
    library = matches[0].card.id, await state.library.count_stored_documents("someone")
    research = (
        await state.jobs.require_job_view("someone", "a job"),
        await state.jobs.list_stored_events("someone", "a job"),
        await state.ledger.load_balance("someone"),
        await state.ledger.list_transactions("someone"),
        await state.threads.list_messages("someone", "t"),
        await state.research.search_stored_claims("someone", query="lighthouse"),
    )
    return heads, session.steps, library, research


@pytest.mark.parametrize("target", sorted(ENGINES))
def test_a_backup_of_one_engine_restores_on_the_other(
    store: Kept, target: Any, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"

    async def take(state: StateStore) -> Any:
        await fill(state)
        return await back_up_state(state, copy), await content(state)

    copied, before = store.run(take)
    other = engine(target, tmp_path / "other")

    async def put_back(state: StateStore) -> Any:
        await restore_state(state, copy)
        after = await content(state)
        change = SessionChange(body=b"more", appended=(b"three",))
        await state.sessions.edit_session("someone", "3", lambda _: change)
        await state.library.store_documents(
            "someone", [LibraryDocument(card=DocumentCard(id="new"), text="new words")]
        )
        return after, [one.card.id for one in await state.library.search_library("someone", "new")]

    after, found = other.run(put_back)

    assert copied.counts == {"sessions": 5, "steps": 10, "documents": 20, "jobs": 1}
    assert after == before
    assert found == ["new"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_backup_is_consistent_while_others_write(store: Kept, tmp_path: Path) -> None:
    """Each change writes a head and two steps together; a copy holds all three or none."""

    async def scenario(state: StateStore) -> None:
        await state.sessions.create_session("someone", "id", b"0")
        done = asyncio.Event()

        async def write() -> None:
            while not done.is_set():
                await state.sessions.edit_session(
                    "someone",
                    "id",
                    lambda held: SessionChange(
                        body=str(len(held.steps) + 2).encode(), appended=(b"a", b"b")
                    ),
                )

        writer = asyncio.create_task(write())
        for number in range(5):
            await back_up_state(state, tmp_path / f"{number}.db")
        done.set()
        await writer

    store.run(scenario)

    for number in range(5):
        copy = engine("sqlite", tmp_path / f"copy {number}")

        async def restored(state: StateStore, number: int = number) -> StoredSession:
            await restore_state(state, tmp_path / f"{number}.db")
            return await state.sessions.load_session("someone", "id")

        session = copy.run(restored)
        assert session.head.body == str(len(session.steps)).encode()


def test_a_state_that_is_not_empty_is_replaced_only_by_force(store: Kept, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"

    async def scenario(state: StateStore) -> None:
        await fill(state)
        await back_up_state(state, copy)
        await state.sessions.create_session("someone", "later", b"head")
        with pytest.raises(InvalidInput, match="--force"):
            await restore_state(state, copy)
        with pytest.raises(InvalidInput, match="--force"):
            await back_up_state(state, copy)
        await restore_state(state, copy, force=True)

    store.run(scenario)

    assert len(store.run(content)[0]) == 5
    if store.name == "sqlite":
        assert (store.settings[StoreSettings].data_path / "state.db.replaced-1").exists()


def test_a_backup_under_another_key_is_refused_and_nothing_changes(
    store: Kept, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"
    other = engine("sqlite", tmp_path / "other").with_settings(master_key="0d" * 32)
    other.run(fill)
    other.run(lambda state: back_up_state(state, copy))

    async def scenario(state: StateStore) -> Any:
        await fill(state)
        with pytest.raises(WrongMasterKey):
            await restore_state(state, copy, force=True)
        return await content(state)

    assert len(store.run(scenario)[0]) == 5


@pytest.mark.parametrize("how", ["text", "cut", "foreign", "newer"])
def test_what_is_no_sound_backup_is_refused_and_nothing_changes(
    store: Kept, tmp_path: Path, how: str
) -> None:
    copy = tmp_path / "backup.db"

    async def scenario(state: StateStore) -> Any:
        await fill(state)
        await back_up_state(state, copy)
        spoil(copy, how)
        with pytest.raises(StoreError):
            await restore_state(state, copy, force=True)
        return await content(state)

    assert len(store.run(scenario)[0]) == 5


def spoil(path: Any, how: Any) -> None:
    if how == "text":
        path.write_text("not a database")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        link = sqlite3.connect(path)
        sql = "DROP TABLE dek" if how == "foreign" else "UPDATE schema_version SET version = 99"
        link.execute(sql)
        link.commit()
        link.close()


def test_a_target_that_cannot_be_written_is_said(store: Kept, tmp_path: Path) -> None:
    async def scenario(state: StateStore) -> None:
        await fill(state)
        with pytest.raises(StoreError):
            await back_up_state(state, tmp_path / "data" / "state.key" / "x.db")

    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "state.key").write_text("a file, not a folder")
    store.run(scenario)
