from __future__ import annotations

from tests.command_runs import Run


def test_trials_are_listed_with_their_facts_in_words(run: Run) -> None:
    ran = run("trials", "--condition", "insomnia", "--status", "completed")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "1. Melatonin for sleep onset insomnia"
    assert lines[1] == "https://clinicaltrials.gov/study/NCT09000001"
    assert lines[2].startswith(
        "NCT09000001 · completed · phase 3 · start 2024-03 · 120 participants"
    )
    assert lines[-1] == "1 result from clinicaltrials"


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("trials", "melatonin", "--json")

    assert ran.json()["trials"][0]["nctId"] == "NCT09000001"
    assert ran.json()["_meta"]["routing"]["provider_used"] == "clinicaltrials"


def test_no_trial_found_is_exit_code_1(run: Run) -> None:
    assert run("trials", "zebra").code == 1
