from __future__ import annotations

from tests.command_runs import Run
from tests.internet.faults import Fault
from tests.internet.world import World

QUESTION = "How do heat pumps work in winter?"


def test_an_answer_is_printed_with_what_its_pages_say(run: Run) -> None:
    ran = run("answer", QUESTION)

    assert ran.code == 0
    assert ran.out.startswith("- Values of 3 to 4 are usual over a season.")
    assert "1. How a heat pump heats a house" in ran.out
    assert "2024-10-08 · supports the answer" in ran.out
    assert "No model wrote this answer" in " ".join(ran.out.split())
    assert "from local" in ran.out.splitlines()[-1]


def test_a_page_that_could_not_be_read_and_the_cost_are_shown(run: Run) -> None:
    ran = run("answer", QUESTION, "--provider", "exa", EXA_API_KEY="k")

    shown = " ".join(ran.out.split())
    assert "not checked: Not found" in shown
    assert "Not supported: Sales of wooden teapots rose by 87 percent on Thursday." in shown
    assert "It cost $0.0050 (an estimate)." in shown


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("answer", QUESTION, "--json")

    assert ran.json()["provider"] == "local"
    assert ran.json()["citations"][0]["relation"] == "supports"


def test_no_answer_is_exit_code_1(run: Run) -> None:
    assert run("answer", "Who discovered penicillin?").code == 1


def test_a_paid_call_is_listed_with_the_jobs(run: Run) -> None:
    run("answer", QUESTION, EXA_API_KEY="k")

    ran = run("jobs", "--json")

    [row] = ran.json()["jobs"]
    assert (row["query"], row["status"], row["costCents"]) == (QUESTION, "completed", 1)
    shown = run("jobs", "show", row["id"])
    assert "exa: completed" in shown.out


def test_a_lost_call_is_reconciled_with_what_was_charged(run: Run, world: World) -> None:
    world.fail("exa", Fault(status=500, body="oops"))
    lost = run("answer", QUESTION, EXA_API_KEY="k")
    [row] = run("jobs", "--json").json()["jobs"]

    mended = run("jobs", "reconcile", row["id"], "report:exa", "--cost", "0")

    assert lost.code == 3
    assert f"citewell jobs reconcile {row['id']} report:exa" in " ".join(lost.err.split())
    assert row["costCents"] == 1
    assert mended.code == 0
    assert run("jobs", "--json").json()["jobs"][0]["costCents"] == 0
