from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.command_runs import Ran, Run
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World

QUESTION = "How do lithium-ion batteries age?"


@pytest.fixture
def asked(run: Run) -> Ran:
    return run("research", QUESTION, "--tier", "xs")


def the_job(run: Run) -> str:
    jobs: list[dict[str, str]] = run("jobs", "--json").json()["jobs"]
    return jobs[0]["id"]


def test_a_report_is_printed_and_its_progress_told_beside_it(asked: Ran) -> None:
    assert asked.code == 0
    assert asked.out.startswith(f"# {QUESTION}\n\n## Answer\n\n- ")
    assert "[src_1]" in asked.out
    assert "local completed" in asked.err
    assert "pages read" in asked.err


def test_the_report_comes_again_in_every_format(run: Run, asked: Ran, tmp_path: Path) -> None:
    job = the_job(run)

    texts = {form: run("report", job, "--format", form).out for form in ("md", "json", "bibtex")}
    written = run("report", job, "--format", "html", "--out", str(tmp_path / "r.html"))

    assert texts["md"].strip() == asked.out.strip()
    assert json.loads(texts["json"])["claims"]
    assert texts["bibtex"].startswith("@misc{")
    assert written.code == 0
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_a_terminal_shows_the_report_formatted(
    run: Run, asked: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = the_job(run)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    shown = run("report", job).out
    as_data = run("report", job, "--format", "json").out

    assert QUESTION in shown
    assert "[src_1]" in shown
    assert "## Answer" not in shown
    assert json.loads(as_data)["claims"]


def test_jobs_are_listed_and_shown(run: Run, asked: Ran) -> None:
    job = the_job(run)

    assert QUESTION in run("jobs").out
    assert f"{job}: completed" in run("jobs", "show", job).out


def test_an_erased_job_is_gone_with_its_claims(run: Run, asked: Ran) -> None:
    job = the_job(run)

    assert run("jobs", "erase", job).code == 0

    assert run("report", job).code == 1
    assert run("jobs", "--json").json() == {"jobs": []}
    assert run("jobs", "erase", job).code == 1


def test_wrong_words_are_named(run: Run) -> None:
    for words in (
        ("research", "x", "--tier", "huge"),
        ("research", "x", "--mode", "slow"),
        ("research", "   "),
        ("research", "x", "--format", "pdf"),
        ("jobs", "frobnicate"),
        ("jobs", "show"),
        ("credits", "add"),
        ("credits", "add", "--", "-5"),
        ("credits", "add", "lots"),
    ):
        ran = run(*words)
        assert ran.code == 2, words
        assert ran.err.startswith("citewell: "), words


def test_an_unconfigured_provider_says_what_to_set(run: Run) -> None:
    ran = run("research", "x", "--provider", "openai")

    assert ran.code == 2
    assert "OPENAI_API_KEY" in ran.err


def test_nobodys_job_has_no_report(run: Run) -> None:
    assert run("report", "nope").code == 1
    assert run("jobs", "cancel", "nope").code == 1


def test_a_job_that_finds_nothing_fails_with_its_reason(run: Run, world: World) -> None:
    for name in world.hosts():
        world.fail(name, Fault(status=503), times=ALWAYS)
    world.fail("pages", Fault(status=404), times=ALWAYS)

    ran = run("research", QUESTION, "--tier", "xxs")

    assert ran.code == 3
    assert "Nothing was found to report on." in ran.err


def test_credits_add_up(run: Run) -> None:
    assert "No budget is configured" in run("credits").out

    run("credits", "add", "2.50", "--note", "for tests")
    run("credits", "add", "$0.25")

    shown = run("credits", "--json").json()
    assert (shown["balanceCents"], shown["unlimited"]) == (275, False)
    assert [row["amountCents"] for row in shown["transactions"]] == [25, 250]


def test_a_detached_job_is_left_to_a_worker(run: Run) -> None:
    ran = run("research", QUESTION, "--tier", "xxs", "--detach")

    job = ran.out.strip()
    assert run("jobs", "watch", job).code == 0
    assert f"{job}: completed" in run("jobs", "show", job).out
