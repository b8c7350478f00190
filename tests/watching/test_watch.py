"""`citewell watch` on the loopback web: what is told at once, what later, and in which forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from citewell.watching.watch_schedule import WatchSchedule
from tests.citations.test_citations import GOOD, REGISTRIES, RETRACTED
from tests.command_runs import Run
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World


@pytest.fixture
def refs(tmp_path: Path) -> Path:
    path = tmp_path / "refs.bib"
    path.write_text(GOOD, "utf-8")
    return path


def test_what_is_wrong_already_is_told_at_once_and_not_again(run: Run, refs: Path) -> None:
    refs.write_text(GOOD + RETRACTED, "utf-8")

    added = run("watch", "add", str(refs))
    again = run("watch", "check", "--all")

    assert added.code == 0
    assert "Watching 2 references" in added.out
    assert "retracted: “Ileal-lymphoid" in added.out
    assert (again.code, again.out) == (0, "Nothing changed.\n")


def test_what_is_added_to_the_file_is_watched_too(run: Run, refs: Path, tmp_path: Path) -> None:
    run("watch", "add", str(refs))
    refs.write_text(GOOD + RETRACTED, "utf-8")

    feed = tmp_path / "news.xml"
    checked = run("watch", "check", "--rss", str(feed), "--json")
    listed = run("watch", "list", "--json").json()

    (news,) = checked.json()
    assert checked.code == 1
    assert (news["kind"], news["doi"]) == ("retracted", "10.1016/s0140-6736(97)11096-0")
    assert len(ET.fromstring(feed.read_text("utf-8")).findall("channel/item")) == 1
    assert [watch["name"] for watch in listed] == [str(refs)]


def test_registries_in_trouble_are_no_news(run: Run, refs: Path, world: World) -> None:
    refs.write_text(GOOD + RETRACTED, "utf-8")
    run("watch", "add", str(refs))
    for name in REGISTRIES:
        world.fail(name, Fault(status=503), times=ALWAYS)

    assert run("watch", "check", "--all").code == 0


def test_a_saved_search_tells_nothing_as_long_as_nothing_is_new(run: Run) -> None:
    saved = run("watch", "search", "http caching", "--json").json()
    checked = run("watch", "check", saved["id"])

    assert saved["knownResults"] > 0
    assert (checked.code, checked.out) == (0, "Nothing changed.\n")


def test_what_is_removed_is_not_watched_any_more(run: Run, refs: Path) -> None:
    run("watch", "add", str(refs))

    removed = run("watch", "remove", "refs.bib")
    again = run("watch", "remove", "refs.bib")

    assert (removed.code, run("watch", "list").code) == (0, 1)
    assert (again.code, "Nothing is watched as refs.bib" in again.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", "missing.bib"), "missing.bib"),
        (("check", "nothing"), "Nothing is watched as nothing"),
        (("search", "   "), "query"),
    ],
)
def test_bad_input_is_told(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("watch", *arguments)

    assert ran.code in {1, 2}
    assert message in ran.err


def test_the_worker_checks_what_is_due(
    run: Run, refs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `citewell worker` keeps doing is one call of this."""
    run("watch", "add", str(refs), CITEWELL_WATCH_INTERVAL="0.001")
    seen: list[Any] = []
    inner = WatchSchedule.check_watch

    async def spy(self: WatchSchedule, record: Any) -> Any:
        seen.append(record.kind)
        return await inner(self, record)

    monkeypatch.setattr(WatchSchedule, "check_watch", spy)

    assert run("watch", "check").code == 0
    assert seen == ["references"]
