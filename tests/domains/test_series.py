from __future__ import annotations

import pytest

from tests.command_runs import Run


def test_series_are_listed_with_their_ids(run: Run) -> None:
    ran = run("series", "GDP growth")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[:3] == [
        "1. GDP growth (annual %)",
        "https://data.worldbank.org/indicator/NY.GDP.MKTP.KD.ZG",
        "NY.GDP.MKTP.KD.ZG",
    ]
    assert lines[-1] == "2 results from worldbank"


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("series", "--id", "UNRATE", "--json")

    assert ran.json()["mode"] == "observations"
    assert ran.json()["_meta"]["routing"]["provider_used"] == "fred"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["zebra"], 1), (["--id", "NY.NOPE.X"], 1), ([], 2), (["x", "--provider", "nope"], 2)],
)
def test_the_exit_code_says_how_it_went(arguments: list[str], code: int, run: Run) -> None:
    assert run("series", *arguments).code == code
