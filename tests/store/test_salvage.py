"""A damaged state file: set aside, reported, and whatever still reads carried over."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import SessionNotFound
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_store import SessionChange
from citewell.store.failures import DatabaseDamaged, StoreError, StoreFull
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.store.sql.sqlite_file import SqliteFile

COUNT = 60


def play(folder: Any, scenario: Callable[[StateStore], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        state = StateStore(Settings(data_dir=folder, session_max=1000))
        try:
            return await scenario(state)
        finally:
            await state.aclose()

    return asyncio.run(run())


async def fill(state: StateStore) -> None:
    for number in range(COUNT):
        steps = [os.urandom(700) for _ in range(3)]
        await state.sessions.create_session("someone", str(number), b"head", steps)
    texts = [f"document about subject {number}" for number in range(30)]
    documents = [LibraryDocument(card=DocumentCard(id=text), text=text) for text in texts]
    await state.library.store_documents("someone", documents)


async def readable(state: StateStore) -> Any:
    found = 0
    for number in range(COUNT):
        try:
            session = await state.sessions.load_session("someone", str(number))
        except SessionNotFound:
            continue
        found += all(len(step) == 700 for step in session.steps) and len(session.steps) == 3
    return found


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    play(tmp_path, fill)
    with sqlite3.connect(tmp_path / "state.db") as link:
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    link.close()
    return tmp_path


def bite(folder: Any, start: Any, length: Any) -> None:
    with (folder / "state.db").open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * length)


def sqlite_file(state: StateStore) -> SqliteFile:
    assert isinstance(state.database, SqliteDatabase)
    return state.database.file


def pages(folder: Any) -> int:
    return (folder / "state.db").stat().st_size // 4096


def first_pages(folder: Any) -> int:
    """The pages at the beginning of the file: one for each table and index, also those with keys."""
    with sqlite3.connect(folder / "state.db") as link:
        ((count,),) = link.execute("SELECT COUNT(*) FROM sqlite_master WHERE rootpage > 0")
    link.close()
    return int(count)


@pytest.mark.parametrize("where", [0.5, 0.7, 0.9])
def test_a_ruined_page_costs_only_what_was_on_it(
    filled: Path, where: float, caplog: pytest.LogCaptureFixture
) -> None:
    roots = first_pages(filled)
    bite(filled, (roots + int((pages(filled) - roots) * where)) * 4096, 2 * 4096)
    before = (filled / "state.db").read_bytes()

    async def scenario(state: StateStore) -> Any:
        async with asyncio.timeout(30):
            # Whichever statement meets the ruined page first has it carried over.
            first = await readable(state)
            sqlite_file(state).recover_damaged()
            return first, await readable(state)

    with caplog.at_level(logging.WARNING):
        _, kept = play(filled, scenario)

    assert kept >= COUNT - 10
    assert (filled / "state.db.damaged-1").read_bytes() == before
    assert "set aside as state.db.damaged-1" in caplog.text


def test_a_lost_header_loses_nothing(filled: Path) -> None:
    bite(filled, 0, 4096)

    async def scenario(state: StateStore) -> Any:
        found = await state.library.search_library("someone", "subject 7")
        return await readable(state), found[0].card.id, sqlite_file(state).reports

    kept, best, reports = play(filled, scenario)

    assert kept == COUNT
    assert best == "document about subject 7"
    assert "readable rows were copied" in reports[0]
    assert (filled / "state.db.damaged-1").exists()


def test_what_was_carried_over_can_be_written_to_and_found_again(filled: Path) -> None:
    bite(filled, 0, 100)

    async def go_on(state: StateStore) -> None:
        change = SessionChange(body=b"more", appended=(b"x" * 700,))
        await state.sessions.edit_session("someone", "5", lambda _: change)
        text = "a newer subject"
        await state.library.store_documents(
            "someone", [LibraryDocument(card=DocumentCard(id=text), text=text)]
        )

    play(filled, go_on)

    async def reread(state: StateStore) -> Any:
        session = await state.sessions.load_session("someone", "5")
        return len(session.steps), [
            match.card.id for match in await state.library.search_library("someone", "newer")
        ]

    assert play(filled, reread) == (4, ["a newer subject"])
    assert not list(filled.glob("*.damaged-2"))


def test_a_file_beyond_mending_is_left_as_it_is(filled: Path) -> None:
    size = (filled / "state.db").stat().st_size
    bite(filled, 0, size)
    ruined = (filled / "state.db").read_bytes()

    async def scenario(state: StateStore) -> None:
        for _ in range(2):
            with pytest.raises(DatabaseDamaged, match="backup"):
                await state.sessions.list_heads("someone")

    play(filled, scenario)

    assert (filled / "state.db").read_bytes() == ruined
    assert not list(filled.glob("*.damaged-*"))


def test_another_process_moves_on_to_the_mended_file(filled: Path) -> None:
    async def scenario(first: StateStore) -> Any:
        second = StateStore(Settings(data_dir=filled, session_max=1000))
        try:
            await first.sessions.create_session("someone", "early", b"head")
            await second.sessions.load_session("someone", "early")
            file = sqlite_file(second)
            file._set_aside_damaged()
            await first.sessions.create_session("someone", "late", b"head")
            return (await second.sessions.load_session("someone", "late")).head.id
        finally:
            await second.aclose()

    assert play(filled, scenario) == "late"
    assert play(filled, readable) == COUNT


def test_a_newer_schema_is_refused_and_left_alone(filled: Path) -> None:
    link = sqlite3.connect(filled / "state.db")
    link.execute("UPDATE schema_version SET version = 999")
    link.execute("UPDATE schema_contract SET number = 999")
    link.commit()
    link.close()

    async def scenario(state: StateStore) -> None:
        with pytest.raises(StoreError, match="newer Citewell"):
            await state.sessions.list_heads("someone")

    play(filled, scenario)

    assert not list(filled.glob("*.damaged-*"))


def test_a_full_disk_is_said_and_loses_nothing(filled: Path) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.list_heads("someone")
        ((count,),) = await state.database.select_rows("PRAGMA page_count")
        await state.database.execute_batch([SqlStatement(sql=f"PRAGMA max_page_count = {count}")])
        refused = []
        for number in range(40):
            try:
                await state.sessions.create_session("someone", f"new {number}", b"x" * 9000)
            except StoreFull as error:
                refused.append(error)
        return len(refused), await readable(state)

    refused, kept = play(filled, scenario)

    assert refused > 0
    assert kept == COUNT


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="another idea of rights")
def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """In a process without the rights of root, where there are any."""
    folder = tmp_path / "data"
    folder.mkdir()
    code = f"""
import asyncio, os
from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.server.state.state_store import StateStore
async def begin(folder):
    state = StateStore(Settings(data_dir=folder, master_key="0a" * 32))
    try:
        await state.sessions.create_session("someone", "id", b"head")
    finally:
        await state.aclose()
asyncio.run(begin({str(tmp_path / "warm")!r}))  # loads every library while it may be read
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    asyncio.run(begin({str(folder)!r}))
except CitewellError as error:
    print(error.kind, error.message)
"""
    folder.chmod(0o555)
    for parent in folder.parents:
        if (
            parent.stat().st_uid == os.getuid()
            and parent != parent.parent
            and "pytest" in str(parent)
        ):
            parent.chmod(0o755)

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=30,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )

    assert done.stdout.startswith("config "), done.stderr
    assert "cannot be written" in done.stdout
