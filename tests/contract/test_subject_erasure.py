"""Erasing one owner on either engine: nothing stays readable, no file keeps a key, a crash loses nothing."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from citewell.core.values.research import ResearchClaim, ResearchFindings
from citewell.jobs.durable_job import JobOrder
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.people.subject_erasure import purge_leftover_files
from citewell.server.state.state_backup import back_up_state, restore_state
from citewell.server.state.state_store import StateStore
from citewell.store.master_keys import build_master_keyring
from citewell.store.settings import StoreSettings
from citewell.store.sql.database import SqlStatement
from tests.contract.states import ENGINES, Kept, kept
from tests.requirements import requires
from tests.services import postgres_or_skip

GONE, STAYS = "tenant/gone", "tenant/stays"
KEY = "0d" * 32


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return kept(request.param, tmp_path / "data").with_settings(master_key=KEY)


async def fill(state: StateStore, owner: str) -> None:
    await state.sessions.create_session(owner, "id", b'"head"', [b'"one"', b'"two"'])
    card = DocumentCard(id="document", title="Lighthouses")
    await state.library.store_documents(owner, [LibraryDocument(card=card, text="They blink.")])
    await state.ledger.post_credit(owner, 10**9, note="a note")
    job, thread = f"job of {owner}", f"thread of {owner}"
    order = JobOrder(kind="research", args={}, thread=thread, title="T", question="Why blink?")
    await state.jobs.create_job(owner, job, order)
    claim = ResearchClaim(id="c", content="They blink", confidence=0.5, confidence_level="low")
    found = ResearchFindings(query="q", synthesis="s", synthesis_by="extractive", claims=(claim,))
    await state.research.store_findings(owner, job, found)


async def content(state: StateStore, owner: str) -> list[int]:
    claims = await state.research.search_stored_claims(owner, query="blink")
    return [
        len(await state.sessions.list_heads(owner)),
        len(await state.library.search_library(owner, "lighthouses")),
        len(await state.ledger.list_transactions(owner)),
        len(await state.jobs.list_owner_jobs(owner)),
        len(await state.threads.list_stored_threads(owner)),
        claims.total,
    ]


async def wrapped_keys(state: StateStore, owner: str) -> list[bytes]:
    tag = await state.vault.hash_owner_tag(owner)
    found = await state.database.select_rows(
        "SELECT wrapped FROM dek WHERE owner = :owner", {"owner": tag}
    )
    return [row[0] for row in found]


def data_files(store: Kept) -> bytes:
    """Every byte of the data files and logs; of PostgreSQL without its own log, which it recycles."""
    if store.name == "sqlite":
        return store.on_disk()
    postgres = postgres_or_skip()
    database = (store.settings[StoreSettings].database_url or "").split("/")[3].partition("?")[0]
    postgres.ask("CHECKPOINT", database=database)
    sql = "SELECT oid FROM pg_database WHERE datname = current_database()"
    folder = postgres.folder / "data/base" / postgres.ask(sql, database=database).strip()
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


@requires("admin.erasure")
def test_every_table_with_an_owner_is_erased_or_kept_for_a_reason(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        if store.name == "sqlite":
            tables = await state.database.select_rows(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
            columns = {
                name: await state.database.select_rows(f"PRAGMA table_info({name})")
                for (name,) in tables
            }
            owned = {name for name, rows in columns.items() if "owner" in {row[1] for row in rows}}
            return owned, state.list_owner_tables()
        found = await state.database.select_rows(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND column_name = 'owner'"
        )
        return {name for (name,) in found}, state.list_owner_tables()

    found, declared = store.run(scenario)

    owned = [table for table in declared if not table.parent]
    assert found == {table.name for table in owned}
    assert {table.name for table in owned if table.kept_because} == {"audit_waiting", "erasure"}


@requires("admin.erasure")
def test_no_row_and_no_key_of_the_owner_stays_and_all_of_others_does(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for owner in (GONE, STAYS):
            await fill(state, owner)
        before, keys = await content(state, STAYS), await wrapped_keys(state, GONE)
        kept_keys = await wrapped_keys(state, STAYS)
        erasure = await state.erase_owner(GONE)
        erased = [table.name for table in state.list_owner_tables() if table.is_erased]
        left = [
            (await state.database.select_rows(
                f"SELECT COUNT(*) FROM {table} WHERE owner = :owner", {"owner": erasure.tag}
            ))[0][0]
            for table in erased
        ]  # fmt: skip
        after = [await content(state, owner) for owner in (STAYS, GONE)]
        return before, after, left, keys, kept_keys, erasure, await state.vault.list_owner_names()

    before, after, left, keys, kept_keys, erasure, names = store.run(scenario)

    assert before == [1] * 6
    assert after == [before, [0] * 6]
    assert set(left) == {0}
    assert names == [STAYS]
    assert erasure.deleted["sessions"] == erasure.deleted["claims"] == 1
    assert erasure.deleted["session_steps"] == 2
    files = data_files(store)
    assert [key for key in keys if key in files] == []
    assert [key for key in kept_keys if key not in files] == []


@requires("admin.erasure")
def test_keys_of_many_erased_owners_leave_no_copy_in_the_files(store: Kept) -> None:
    """Rows move within their table when neighbours go, and may leave copies behind."""

    async def scenario(state: StateStore) -> Any:
        owners = [f"tenant/{number}" for number in range(60)]
        for owner in owners:
            await state.vault.ensure_keychain(owner)
        gone = []
        for owner in owners[5:55]:
            gone += await wrapped_keys(state, owner)
            batch = await state.vault.build_key_erasure(owner)
            await state.database.erase_rows(batch, scrubbed=("dek",))
        return gone

    gone = store.run(scenario)

    files = data_files(store)
    assert len(gone) == 100
    assert [key for key in gone if key in files] == []


@requires("admin.erasure_resumes")
def test_an_erasure_that_was_broken_off_is_completed_by_the_next(store: Kept) -> None:
    async def broken(state: StateStore) -> Any:
        await fill(state, GONE)
        tag = await state.vault.hash_owner_tag(GONE)
        begun = await state.erasures.begin_erasure(tag)
        await state.library.clear_library(GONE)
        return begun.id

    async def resumed(state: StateStore) -> Any:
        erasure = await state.erase_owner(GONE)
        await state.erasures.finish_erasure(erasure.id, {"deleted": dict(erasure.deleted)})
        return erasure.id, await state.erasures.list_erasures(), await content(state, GONE)

    begun = store.run(broken)
    resumed_id, records, left = store.run(resumed)

    assert resumed_id == begun
    assert [(one.id, one.finished is not None) for one in records] == [(begun, True)]
    assert records[0].keychain
    assert left == [0] * 6


@requires("admin.erasure")
def test_a_document_that_cannot_be_decrypted_does_not_stop_an_erasure(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for owner in (GONE, STAYS):
            await fill(state, owner)
        tag = await state.vault.hash_owner_tag(GONE)
        damage = SqlStatement(
            sql="UPDATE document SET head = :head WHERE owner = :owner",
            params={"owner": tag, "head": b"damaged beyond repair " * 3},
        )
        await state.database.execute_batch([damage])
        await state.erase_owner(GONE)
        rows = await state.database.select_rows("SELECT COUNT(*) FROM document")
        return rows, await content(state, STAYS)

    rows, left = store.run(scenario)

    assert rows == [(1,)]
    assert left == [1] * 6


@requires("admin.erasure_backups")
def test_a_backup_from_before_does_not_bring_an_erased_owner_back(
    store: Kept, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"

    async def scenario(state: StateStore) -> Any:
        for owner in (GONE, STAYS):
            await fill(state, owner)
        keys = await wrapped_keys(state, GONE)
        await back_up_state(state, copy)
        await state.erase_owner(GONE)
        restored = await restore_state(state, copy, force=True)
        async with store.opened() as fresh:
            left = [await content(fresh, owner) for owner in (STAYS, GONE)]
            return restored.erased, left, keys, await fresh.erasures.list_erasures()

    erased, left, keys, records = store.run(scenario)

    assert erased == 1
    assert left == [[1] * 6, [0] * 6]
    assert len(records) == 1
    files = data_files(store)
    assert [key for key in keys if key in files] == []


@requires("admin.erasure_backups")
def test_on_another_machine_a_list_of_erasures_does_the_same(store: Kept, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    elsewhere = kept("sqlite", tmp_path / "elsewhere").with_settings(master_key=KEY)

    async def scenario(state: StateStore) -> Any:
        await fill(state, GONE)
        await back_up_state(state, copy)
        await state.erase_owner(GONE)
        return await state.erasures.list_erasures()

    records = store.run(scenario)

    async def restored(state: StateStore) -> Any:
        return (await restore_state(state, copy, erased=records)).erased

    assert elsewhere.run(restored) == 1
    assert elsewhere.run(lambda state: content(state, GONE)) == [0] * 6


@requires("admin.erasure_backups")
def test_whoever_came_back_after_an_erasure_is_in_a_later_backup(
    store: Kept, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"

    async def scenario(state: StateStore) -> Any:
        await fill(state, GONE)
        await state.erase_owner(GONE)
        await fill(state, GONE)
        await back_up_state(state, copy)
        restored = await restore_state(state, copy, force=True)
        async with store.opened() as fresh:
            return restored.erased, await content(fresh, GONE)

    assert store.run(scenario) == (0, [1] * 6)


@requires("admin.erasure")
def test_files_set_aside_lose_the_owners_keys(tmp_path: Path) -> None:
    store = kept("sqlite", tmp_path / "data").with_settings(master_key=KEY)
    folder, copy = tmp_path / "data", tmp_path / "backup.db"

    async def scenario(state: StateStore) -> Any:
        for owner in (GONE, STAYS):
            await fill(state, owner)
        keys = await wrapped_keys(state, GONE)
        await back_up_state(state, copy)
        await restore_state(state, copy, force=True)
        return keys

    keys = store.run(scenario)
    (folder / "state.db.damaged-1").write_bytes(b"junk" + keys[0])
    (folder / "cache.db.damaged-1").write_bytes(b"junk")

    async def erase(state: StateStore) -> Any:
        await state.erase_owner(GONE)
        ring = build_master_keyring(state.master_key_source)
        return await purge_leftover_files(store.settings, ring, GONE)

    summary = store.run(erase)

    assert (summary.purged, summary.deleted, summary.unreadable) == (1, 2, ())
    files = b"".join(path.read_bytes() for path in folder.iterdir())
    assert [key for key in keys if key in files] == []
    with sqlite3.connect(folder / "state.db.replaced-1") as link:
        assert link.execute("SELECT COUNT(DISTINCT owner) FROM dek").fetchone() == (2,)


@requires("admin.erasure")
def test_two_erasures_at_once_both_complete(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for owner in (GONE, STAYS):
            await fill(state, owner)
        async with store.opened() as other:
            await asyncio.gather(
                state.erase_owner(GONE), other.erase_owner(GONE), other.erase_owner(STAYS)
            )
        return await state.vault.list_owner_names()

    assert store.run(scenario) == []
