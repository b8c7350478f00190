from __future__ import annotations

from tests.command_runs import Run


def test_cases_are_listed_by_their_citation_with_their_facts(run: Run) -> None:
    ran = run("cases", "Palsgraf v. Long Island Railroad", "-j", "New York Court of Appeals")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "1. Palsgraf v. Long Island R.R. Co., 248 N.Y. 339, 162 N.E. 99 (1928)"
    assert lines[1].startswith("https://www.courtlistener.com/opinion/")
    assert lines[2].startswith("New York Court of Appeals · 1928-05-29 · cited 1,700 times")
    assert lines[-1] == "1 result from courtlistener"


def test_a_bare_docket_number_says_that_it_is_one(run: Run) -> None:
    ran = run("cases", "Miranda v. Arizona")

    assert "1966-06-13 · No. 759 · cited 60,000 times" in ran.out


def test_json_is_the_answer_of_legal_search(run: Run) -> None:
    ran = run("cases", "[2019] UKSC 41", "--json")

    assert ran.json()["cases"][0]["citations"] == ["[2019] UKSC 41"]
    assert ran.json()["_meta"]["routing"]["provider_used"] == "findcaselaw"


def test_no_case_found_is_exit_code_1(run: Run) -> None:
    assert run("cases", "zebra unicorn").code == 1
