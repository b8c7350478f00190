from __future__ import annotations

from tests.command_runs import Run


def test_papers_are_listed_with_authors_year_and_address(run: Run) -> None:
    ran = run("papers", "statistical learning", "-n", "2")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0].startswith("1. ")
    assert lines[1].startswith("https://doi.org/10.")
    assert lines[2].endswith("via openalex")
    assert lines[-1] == "2 results from openalex"


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("papers", "statistical learning", "--newest", "--json")

    assert ran.json()["papers"][0]["doi"]


def test_years_that_exclude_each_other_are_wrong_usage(run: Run) -> None:
    assert run("papers", "x", "--year-from", "2020", "--year-to", "2010").code == 2
