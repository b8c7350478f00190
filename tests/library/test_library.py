from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_runs import Run
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.process  # documents are read by workers

SLEEP = ("sleep.example.org", "sleep-and-memory")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "notes.md").write_text("# Harbour lights\n\nThe keeper wrote about the beacon.\n")
    (made / "other.txt").write_text("Nothing of the sort.")
    return made


def test_adding_tells_what_became_of_everything(run: Run, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")

    first = run("library", "add", str(folder))
    (folder / "broken.pdf").unlink()
    second = run("library", "add", str(folder))

    assert first.code == 1
    assert first.out == "2 added, 0 changed, 0 unchanged, 1 not read.\n"
    assert "broken.pdf: " in first.err
    assert (second.code, second.out) == (0, "0 added, 0 changed, 2 unchanged.\n")


def test_adding_reports_as_json(run: Run, folder: Path) -> None:
    ran = run("library", "add", str(folder), "nowhere", "--limit", "1", "--json")

    assert ran.json() == {
        "added": 1,
        "replaced": 0,
        "unchanged": 0,
        "beyondLimit": 1,
        "problems": [
            {"source": "nowhere", "reason": "There is no such file or directory.", "failed": True}
        ],
    }


def test_a_page_is_added_through_the_reader(run: Run, internet: Internet) -> None:
    url = internet.page(*SLEEP)

    ran = run("library", "add", url, "--tag", "Sleep")

    listed = run("library", "list", "--json").json()
    assert ran.code == 0
    assert [(row["url"], row["tags"]) for row in listed] == [(url, ["sleep"])]


def test_an_address_on_a_private_network_is_refused(run: Run) -> None:
    ran = run("library", "add", "http://127.0.0.1:9/x", ALLOW_PRIVATE_IPS="false")

    assert ran.code == 1
    assert "127.0.0.1:9/x: " in ran.err


def test_the_list_shows_where_documents_are_from(run: Run, folder: Path) -> None:
    run("library", "add", str(folder), "--tag", "mine")

    ran = run("library", "list", "--type", "markdown")

    assert ran.code == 0
    assert ran.out.splitlines()[1].split()[1:] == [
        "Harbour", "lights", "markdown", "mine", str(folder / "notes.md"),
    ]  # fmt: skip
    assert ran.out.splitlines()[-1] == "1 document"


def test_an_empty_library_exits_with_1(run: Run) -> None:
    assert run("library", "list").code == 1
    assert run("library", "search", "anything").code == 1


def test_a_search_shows_title_place_and_snippet(run: Run, folder: Path) -> None:
    run("library", "add", str(folder))

    ran = run("library", "search", "beacons")

    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == "1. Harbour lights"
    assert lines[1].strip() == str(folder / "notes.md")
    assert "wrote about the beacon" in lines[3]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--tag", "mine"), 1),
        (("--tag", "other"), 0),
        (("--type", "markdown"), 1),
        (("--after", "2100-01-01"), 0),
        (("--site", "example.org"), 0),
    ],
)
def test_a_search_can_be_narrowed(
    run: Run, folder: Path, options: tuple[str, ...], expected: int
) -> None:
    run("library", "add", str(folder), "--tag", "mine")

    assert len(run("library", "search", "beacon", "--json", *options).json()) == expected


def test_a_day_that_is_none_is_wrong_usage(run: Run) -> None:
    ran = run("library", "search", "beacon", "--after", "2026-02-31")

    assert ran.code == 2
    assert "--after '2026-02-31' is not a date" in ran.err


def test_documents_are_removed_by_place_and_the_files_stay(run: Run, folder: Path) -> None:
    run("library", "add", str(folder))

    ran = run("library", "remove", str(folder / "notes.md"))

    assert (ran.code, ran.out) == (0, "1 document removed.\n")
    assert (folder / "notes.md").exists()
    assert [row["title"] for row in run("library", "list", "--json").json()] == ["other.txt"]


def test_files_that_are_gone_can_be_removed_together(run: Run, folder: Path) -> None:
    run("library", "add", str(folder))
    (folder / "other.txt").unlink()

    assert run("library", "remove", "--missing").out == "1 document removed.\n"
    assert run("library", "search", "beacon").code == 0


def test_everything_goes_only_when_it_is_asked_for(run: Run, folder: Path) -> None:
    run("library", "add", str(folder))

    refused = run("library", "remove")
    mixed = run("library", "remove", "--all", "--tag", "x")
    gone = run("library", "remove", "--all")

    assert (refused.code, mixed.code) == (2, 2)
    assert gone.out == "2 documents removed.\n"


def test_lines_of_json_go_to_the_screen_or_into_a_file(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    run("library", "add", str(folder))
    out = tmp_path / "library.jsonl"

    shown = run("library", "export", "--type", "markdown")
    written = run("library", "export", "--out", str(out))

    assert "beacon" in json.loads(shown.out)["text"]
    assert written.out == f"2 documents written to {out}.\n"
    assert len(out.read_text().splitlines()) == 2


def test_markdown_files_need_a_directory(run: Run, folder: Path, tmp_path: Path) -> None:
    run("library", "add", str(folder))

    refused = run("library", "export", "--format", "markdown")
    written = run("library", "export", "--format", "markdown", "--out", str(tmp_path / "out"))

    assert refused.code == 2
    assert written.code == 0
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_exporting_nothing_exits_with_1(run: Run) -> None:
    assert run("library", "export").code == 1


def test_another_owners_library_is_another_library(run: Run, folder: Path) -> None:
    run("library", "add", str(folder), "--owner", "acme/someone")

    assert run("library", "list").code == 1
    assert run("library", "search", "beacon", "--owner", "acme/someone").code == 0


@requires("people.local_user")
def test_the_local_user_is_the_owner_of_what_commands_keep(run: Run, folder: Path) -> None:
    run("library", "add", str(folder), STDIO_USER_ID="ann")

    named = run("search", "beacon", "--provider", "library", "--json", STDIO_USER_ID="ann")

    assert [row["title"] for row in named.json()["results"]] == ["Harbour lights"]
    assert run("library", "list", "--owner", "default/ann", STDIO_USER_ID="ben").code == 0
    assert run("library", "list", STDIO_USER_ID="ben").code == 1


def test_a_search_with_the_library_as_provider_asks_nobody_else(
    run: Run, folder: Path, world: World
) -> None:
    run("library", "add", str(folder))

    ran = run("search", "beacon", "--provider", "library", "--json")

    (result,) = ran.json()["results"]
    assert result["title"] == "Harbour lights"
    assert result["url"].startswith("library:")
    assert str(folder) not in ran.out
    assert world.calls.total() == 0
