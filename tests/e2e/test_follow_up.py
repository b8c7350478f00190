"""A follow-up knows its thread: its subject, and what was quoted before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.e2e.deep import ask, deep, ended, researched
from tests.internet.serve import Internet

FIRST = "How do I get rid of rust on a cast-iron pan?"
SECOND = "And can it go in the dishwasher?"


def list_answer_lines(report: str) -> list[str]:
    """The quotations of the Answer."""
    answer = report.partition("## Answer")[2].partition("\n## ")[0]
    return [line for line in answer.splitlines() if "[src_" in line]


@pytest.fixture(scope="module")
def told(loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Three jobs of one thread: a question, one that points back to it, and the first once more."""
    loopback_web.world.reset()
    folder = tmp_path_factory.mktemp("thread")
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }

    async def run() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            first = await researched(client, FIRST, budgetTier="XXS")
            found = {"first": await ask(client, "get_results", jobId=first["jobId"])}
            for name, query in (("second", SECOND), ("again", FIRST)):
                begun = await ask(client, "follow_up", jobId=first["jobId"], customQuery=query)
                await ended(client, begun["jobId"])
                found[f"{name} begun"] = begun
                found[name] = await ask(client, "get_results", jobId=begun["jobId"])
            return found

    found = asyncio.run(run())
    loopback_web.world.reset()
    return found


def test_a_question_that_points_back_is_researched_with_its_subject(told: dict[str, Any]) -> None:
    lines = list_answer_lines(told["second"]["synthesis"])

    assert told["second begun"]["query"] == SECOND
    assert "cast-iron pan" in told["second begun"]["message"]
    assert any("iron" in line.lower() for line in lines[:2]), lines


def test_the_report_says_what_was_added_and_keeps_the_users_question_as_its_title(
    told: dict[str, Any],
) -> None:
    report = told["second"]["synthesis"]

    assert report.startswith(f"# {SECOND}\n")
    assert "Asked in this thread: read as" in report


def test_no_passage_is_quoted_twice_in_a_thread(told: dict[str, Any]) -> None:
    first = list_answer_lines(told["first"]["synthesis"])
    again = list_answer_lines(told["again"]["synthesis"])

    quoted = {line.partition(" [src_")[0].lstrip("- ") for line in first}
    assert first
    assert [line for line in again if line.partition(" [src_")[0].lstrip("- ") in quoted] == []


def test_the_report_says_how_many_passages_are_left_out_and_where_they_are(
    told: dict[str, Any],
) -> None:
    notes = told["again"]["notes"]

    assert any(
        "quoted earlier in this thread" in note and told["first"]["jobId"] in note for note in notes
    )
    assert "quoted earlier in this thread" in told["again"]["synthesis"]
