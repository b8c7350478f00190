"""`citewell data`: the table comes in, says what changed, and survives what goes wrong."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from citewell.core import config
from citewell.core.values.paper import NoticeKind
from citewell.server.app import App
from citewell.server.commands import data
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck
from citewell.trust.retraction_table import RetractionEntry, SqlRetractionTable
from tests import retractions as file
from tests.command_runs import Run
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World

PLACE = "/site/data.example.org/retraction_watch.csv"


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    path = tmp_path / "retraction_watch.csv"
    path.write_bytes(file.sample())
    return path


def test_an_import_tells_what_it_found(run: Run, csv_file: Path) -> None:
    ran = run("data", "update", str(csv_file))

    assert ran.code == 0
    assert ran.out == (
        "9 notices up to 2024-01-15: 6 retraction, 1 reinstatement, 1 expression_of_concern,"
        " 1 correction.\n1 have neither a DOI nor a PMID and were skipped.\n"
    )


def test_a_second_import_tells_what_changed(run: Run, csv_file: Path) -> None:
    run("data", "update", str(csv_file))
    csv_file.write_bytes(file.sample() + file.row(20, "10.5555/new").encode())

    ran = run("data", "update", str(csv_file))

    assert (
        "1 new, 0 removed, 0 of another kind, compared with the table up to 2024-01-15." in ran.out
    )


def test_malformed_rows_are_listed_by_line(run: Run, csv_file: Path) -> None:
    csv_file.write_bytes(file.document([file.row(1), file.row("x"), file.row(2, nature="Odd")]))

    ran = run("data", "update", str(csv_file))

    assert ran.code == 0
    assert ran.out.splitlines()[-3:] == [
        "2 rows could not be read:",
        "  line 3: the record number is missing",
        "  line 4: unknown nature 'Odd'",
    ]


def test_status_says_how_old_the_table_is(run: Run, csv_file: Path) -> None:
    empty = run("data", "status")
    run("data", "update", str(csv_file))
    ran = run("data", "status")
    facts = run("data", "status", "--json").json()

    assert (empty.code, ran.code) == (1, 0)
    assert "citewell data update" in empty.out
    assert "newest notice  2024-01-15" in ran.out
    assert "(0 days ago)" in ran.out
    assert (facts["rows"], facts["skipped"], facts["date"]) == (9, 1, "2024-01-15")


def test_the_report_comes_as_json(run: Run, csv_file: Path) -> None:
    ran = run("data", "update", str(csv_file), "--json").json()

    assert (ran["rows"], ran["withoutIdentifier"], ran["malformed"]) == (9, 1, 0)
    assert ran["kinds"]["reinstatement"] == 1
    assert ran["change"] is None


def test_the_table_comes_from_the_address_in_the_settings(
    run: Run, internet: Internet, world: World
) -> None:
    world.fail(
        PLACE,
        Fault(status=200, body=file.document([file.row(1), file.row(2)]).decode()),
        times=ALWAYS,
    )

    ran = run("data", "update", RETRACTION_WATCH_URL=internet.url + PLACE)

    assert (ran.code, ran.out.split(":")[0]) == (0, "2 notices up to 2024-01-15")


@pytest.mark.parametrize("status", [404, 500, 429])
def test_an_address_that_fails_changes_nothing(
    run: Run, internet: Internet, world: World, csv_file: Path, status: int
) -> None:
    run("data", "update", str(csv_file))
    world.fail(PLACE, Fault(status=status, body="no"), times=ALWAYS)

    ran = run("data", "update", internet.url + PLACE)

    assert ran.code in {1, 3}
    assert run("data", "status", "--json").json()["rows"] == 9


def test_a_file_that_is_not_there_or_not_whole_is_refused(run: Run, csv_file: Path) -> None:
    absent = run("data", "update", str(csv_file.parent / "absent.csv"))
    csv_file.write_bytes(file.sample()[:-70])
    cut = run("data", "update", str(csv_file))

    assert (absent.code, cut.code) == (2, 2)
    assert "cannot be read" in absent.err
    assert "incomplete" in cut.err


def test_a_much_smaller_file_needs_force(run: Run, csv_file: Path) -> None:
    run("data", "update", str(csv_file))
    csv_file.write_bytes(file.document([file.row(1)]))

    refused = run("data", "update", str(csv_file))
    forced = run("data", "update", str(csv_file), "--force")

    assert (refused.code, forced.code) == (2, 0)
    assert "--force" in refused.err


@pytest.mark.parametrize(
    ("days", "state", "change"),
    [
        (None, "ok", "citewell data update (optional)"),
        (1, "ok", ""),
        (90, "warning", "citewell data update"),
    ],
)
def test_the_doctor_says_whether_there_is_a_table_and_how_old(
    environ: dict[str, str], csv_file: Path, days: int | None, state: str, change: str
) -> None:
    async def examined() -> InstallationCheck:
        app = App(config.load_settings(environ))
        try:
            if days is not None:
                past = SqlRetractionTable(
                    app.open_state().database, clock=lambda: time.time() - 86400 * days
                )
                number = await past.begin_edition("x")
                await past.add_entries(
                    number,
                    [RetractionEntry(record_id="1", kind=NoticeKind.RETRACTION, doi="10.5555/x")],
                )
                await past.finish_edition(number, newest_notice_date="2026-01-01", skipped=0)
            return await data.check_retraction_table(app)
        finally:
            await app.aclose()

    found = asyncio.run(examined())

    assert (found.name, found.state, found.change) == ("retraction table", state, change)


def test_the_help_names_both_verbs(run: Run) -> None:
    ran = run("data", "--help")

    assert "update" in ran.out
    assert "status" in ran.out
