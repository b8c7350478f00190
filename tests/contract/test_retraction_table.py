"""What the offline table of retractions promises on either engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import pytest

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.values.paper import NoticeKind
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.http.file_downloads import FileDownloader
from citewell.server.state.state_backup import back_up_state, restore_state
from citewell.server.state.state_store import StateStore
from citewell.trust.retraction_import import ImportOutcome, RetractionImport
from citewell.trust.retraction_table import RetractionEntry, SqlRetractionTable
from tests import retractions as file
from tests.contract.states import ENGINES, Kept

T = TypeVar("T")


@pytest.fixture(params=sorted(ENGINES))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return Kept(request.param, Settings(data_dir=tmp_path / "data", **ENGINES[request.param]()))


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    path = tmp_path / "retraction_watch.csv"
    path.write_bytes(file.sample())
    return path


def table(state: StateStore, kept: Kept) -> SqlRetractionTable:
    return SqlRetractionTable(state.database, clock=kept.clock)


def run(kept: Kept, scenario: Callable[[SqlRetractionTable], Awaitable[T]]) -> T:
    return kept.run(lambda state: scenario(table(state, kept)))


async def silent(*_: Any) -> None: ...


async def load(rows: SqlRetractionTable, path: Path, **options: Any) -> ImportOutcome:
    downloads = FileDownloader(Guard(GuardRules()), Settings())
    importing = RetractionImport(rows, downloads, today=lambda: date(2026, 11, 15))
    return await importing.import_table(str(path), report=silent, **options)


async def counted(rows: SqlRetractionTable) -> list[tuple[int, int]]:
    query = "SELECT edition, COUNT(*) FROM retraction GROUP BY edition ORDER BY edition"
    return [(row[0], row[1]) for row in await rows._database.select_rows(query)]


def test_before_the_first_import_there_is_nothing(kept: Kept) -> None:
    async def scenario(rows: SqlRetractionTable) -> Any:
        return await rows.load_edition(), await rows.find_notices(doi=file.RETRACTED)

    assert run(kept, scenario) == (None, ())


def test_an_import_is_found_by_doi_and_by_pubmed_number(kept: Kept, csv_file: Path) -> None:
    async def scenario(rows: SqlRetractionTable) -> Any:
        await load(rows, csv_file)
        return (
            await rows.find_notices(doi=file.RETRACTED.upper()),
            await rows.find_notices(pmid=file.BY_NUMBER),
            await rows.find_notices(doi="10.5555/unheard.of", pmid="1"),
        )

    by_doi, by_number, unknown = run(kept, scenario)

    (event,) = by_doi
    assert (event.kind, event.date, event.notice_doi, event.source) == (
        NoticeKind.RETRACTION,
        "2024-01-15",
        "10.5555/notice",
        "offline-table",
    )
    assert event.reasons == ("Falsification/Fabrication of Data", "Misconduct")
    assert [one.kind for one in by_number] == [NoticeKind.RETRACTION]
    assert unknown == ()


def test_all_notices_about_a_work_come_the_oldest_first(kept: Kept, csv_file: Path) -> None:
    async def scenario(rows: SqlRetractionTable) -> Any:
        await load(rows, csv_file)
        return await rows.find_notices(doi=file.REINSTATED)

    assert [(one.kind.value, one.date) for one in run(kept, scenario)] == [
        ("retraction", "2019-02-01"),
        ("reinstatement", "2021-03-01"),
    ]


def test_the_edition_outlives_its_process_and_says_how_old_it_is(
    kept: Kept, csv_file: Path
) -> None:
    run(kept, lambda rows: load(rows, csv_file))
    kept.clock.now += 86400

    edition = run(kept, lambda rows: rows.load_edition())

    assert edition is not None
    assert (edition.rows, edition.skipped, edition.newest_notice_date) == (9, 1, "2024-01-15")
    assert edition.imported_at == kept.clock.now - 86400
    assert edition.origin == str(csv_file)


def test_a_new_edition_replaces_the_old_one_and_says_what_changed(
    kept: Kept, csv_file: Path
) -> None:
    async def scenario(rows: SqlRetractionTable) -> Any:
        await load(rows, csv_file)
        newer = [file.row(10, nature="Expression of concern"), file.row(99, "10.5555/new")]
        csv_file.write_bytes(file.document(newer))
        return await load(rows, csv_file, force=True), await counted(rows)

    done, left = run(kept, scenario)

    assert (done.change.added, done.change.removed, done.change.changed) == (1, 8, 1)
    assert (done.before.rows, done.edition.rows) == (9, 2)
    assert left == [(2, 2)]


@pytest.mark.parametrize("damage", ["cut", "html", "empty", "shrunk"])
def test_an_import_that_fails_loses_nothing(kept: Kept, csv_file: Path, damage: str) -> None:
    content = {
        "cut": file.sample()[:-60],
        "html": b"<html>Sign in</html>",
        "empty": file.document([]),
        "shrunk": file.document([file.row(1)]),
    }[damage]

    async def scenario(rows: SqlRetractionTable) -> Any:
        first = await load(rows, csv_file)
        csv_file.write_bytes(content)
        with pytest.raises(InvalidInput):
            await load(rows, csv_file)
        return first.edition, await rows.load_edition(), await counted(rows)

    before, after, left = run(kept, scenario)

    assert before == after
    assert left == [(1, 9)]


def test_an_import_that_is_cancelled_leaves_the_table_as_it_was(
    kept: Kept, csv_file: Path, tmp_path: Path
) -> None:
    long = tmp_path / "long.csv"
    long.write_bytes(file.document(file.many(3000)))

    async def scenario(rows: SqlRetractionTable) -> Any:
        await load(rows, csv_file)
        seen = asyncio.Event()

        async def report(*_: Any) -> None:
            seen.set()
            await asyncio.sleep(0)

        importing = RetractionImport(
            rows, FileDownloader(Guard(GuardRules()), Settings()), today=date.today
        )
        task = asyncio.create_task(importing.import_table(str(long), report=report))
        await asyncio.wait_for(seen.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await rows.load_edition(), await counted(rows)

    edition, left = run(kept, scenario)

    assert edition.rows == 9
    assert left == [(1, 9)]


def test_what_a_killed_import_left_is_invisible_and_swept_by_the_next(
    kept: Kept, csv_file: Path
) -> None:
    async def scenario(rows: SqlRetractionTable) -> Any:
        await load(rows, csv_file)
        number = await rows.begin_edition("killed")
        entry = RetractionEntry(record_id="1", kind=NoticeKind.RETRACTION, doi="10.5555/ghost")
        await rows.add_entries(number, [entry])
        ghost = await rows.find_notices(doi="10.5555/ghost")
        await load(rows, csv_file)
        return ghost, await counted(rows)

    ghost, left = run(kept, scenario)

    assert ghost == ()
    assert left == [(3, 9)]


def test_of_two_imports_at_once_the_older_gives_way(kept: Kept) -> None:
    entry = RetractionEntry(record_id="1", kind=NoticeKind.RETRACTION, doi="10.5555/x")

    async def scenario(rows: SqlRetractionTable) -> Any:
        older, newer = await rows.begin_edition("a"), await rows.begin_edition("b")
        for number in (older, newer):
            await rows.add_entries(number, [entry])
        await rows.finish_edition(newer, newest_notice_date="2026-01-01", skipped=0)
        with pytest.raises(InvalidInput):
            await rows.finish_edition(older, newest_notice_date="2025-01-01", skipped=0)
        return await rows.load_edition()

    assert run(kept, scenario).origin == "b"


def test_a_record_that_is_listed_twice_counts_once(kept: Kept, csv_file: Path) -> None:
    csv_file.write_bytes(file.document([file.row(1), file.row(1, nature="Correction")]))

    async def scenario(rows: SqlRetractionTable) -> Any:
        done = await load(rows, csv_file)
        return done.edition.rows, await rows.find_notices(doi=file.RETRACTED)

    rows, events = run(kept, scenario)

    assert (rows, [one.kind for one in events]) == (1, [NoticeKind.CORRECTION])


def test_a_backup_carries_the_table(kept: Kept, csv_file: Path, tmp_path: Path) -> None:
    async def scenario(state: StateStore) -> Any:
        rows = table(state, kept)
        await load(rows, csv_file)
        await back_up_state(state, tmp_path / "copy.db")
        await rows.abandon_edition(1)
        await restore_state(state, tmp_path / "copy.db", force=True)
        return await rows.find_notices(doi=file.RETRACTED)

    assert [one.kind for one in kept.run(scenario)] == [NoticeKind.RETRACTION]
