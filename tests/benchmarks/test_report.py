"""Sections measured by themselves take their place in what RESULTS.md already says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report import Goal, Section, document, merged


def section(title: str, body: str, *, met: bool = True) -> Section:
    goal = Goal(text=f"{title} is quick", measured=body, met=met)
    return Section(title=title, command="python -m benchmarks x", body=body, goals=(goal,))


OLD = document([section("First", "one"), section("Second", "two")], load=(1.0, 2.0))


def test_a_section_takes_the_place_of_its_elder() -> None:
    text = merged(OLD, [section("First", "three", met=False)], load=(3.0, 4.0))

    assert text.count("## First") == 1
    assert "\none\n" not in text
    assert "| First is quick | three | **missed** |" in text
    assert "| First is quick | one |" not in text
    assert "load average 3.0 before and 4.0 after" in text


def test_a_new_section_comes_last_and_the_others_stay() -> None:
    text = merged(OLD, [section("Third", "three")], load=(3.0, 4.0))

    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert titles == ["## Goals", "## First", "## Second", "## Third"]
    assert "| Second is quick | two | met |" in text
    assert "load average 1.0 before and 2.0 after" in text


def test_merging_twice_changes_no_more_than_once() -> None:
    once = merged(OLD, [section("Third", "three")], load=(3.0, 4.0))

    assert merged(once, [section("Third", "three")], load=(3.0, 4.0)) == once


def test_the_trust_goals_are_the_sums_of_their_tables() -> None:
    text = (Path(__file__).parents[2] / "benchmarks" / "RESULTS.md").read_text("utf-8")
    section = text.split("\n## Trust: ")[1].split("\n## ")[0]
    rows = section.split("| registries that fail, and how |")[1].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]

    asked, accused = (sum(int(row[at]) for row in cells) for at in (1, 2))

    told = f"{accused} of {asked} checks in {len(cells)} outages"
    assert f"| no genuine citation accused while registries are down | {told} |" in text
