from __future__ import annotations

import pytest

from citewell.core.errors import NotFound
from tests.command_runs import Run
from tests.internet import patents
from tests.internet.world import World
from tests.reading.site_answers import patents as patent_pages
from tests.reading.site_bench import page, read


@pytest.fixture(autouse=True)
def indexed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Web searches find the pages under the name of their host."""
    monkeypatch.setattr(world, "named", True)
    world.add(*patents.list_pages())


def test_a_patent_is_shown_with_its_facts_in_words(run: Run) -> None:
    ran = run("patents", "US 11,000,001 B2")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "1. Float gauge for tidal basins"
    assert lines[1] == "https://patents.google.com/patent/US11000001B2/en"
    facts = " ".join(lines[2:4])
    assert facts.startswith("US11000001B2 · granted patent, after a published application · filed")
    assert "Assignee: Example Instruments Inc" in lines
    assert "Also published as: US20170200001A1" in lines


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("patents", "radar", "--office", "ep", "--type", "prior-art", "--json")

    assert ran.json()["patents"][0]["number"] == "EP3400002B1"
    assert ran.json()["source"] == "web_discovery"


def test_a_landscape_lists_the_assignees(run: Run) -> None:
    ran = run("patents", "stilling well", "--type", "landscape")

    assert "By assignee: Example Instruments 2" in ran.out


def test_no_patent_found_is_exit_code_1(run: Run) -> None:
    assert run("patents", "zebra").code == 1


def test_an_unknown_office_is_wrong_usage(run: Run) -> None:
    ran = run("patents", "gauge", "--office", "XX")

    assert ran.code == 2
    assert "patent_office" in ran.err


def test_a_patent_has_its_facts_claims_and_text() -> None:
    found = page("https://patents.google.com/patent/US1234567B2/en", patent_pages())

    assert found.author == "Example Inventor"
    assert found.published == "2020-06-02"
    assert "- Original assignee: Example Company\n- Filed: 2018-01-05" in found.content
    assert "- Status: Active" in found.content
    assert "## Abstract\n\nA gauge for tides." in found.content
    assert "## Claims\n\n1. A gauge comprising a float." in found.content
    assert "## Description\n\nThe gauge has a float." in found.content


def test_a_patent_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read("https://patents.google.com/patent/US9999999B9/en", {})


def test_a_wall_in_place_of_a_patent_is_left_to_the_ladder() -> None:
    wall = {"patents.google.com/patent/US1234567B2/en": "<html><body>unusual traffic</body></html>"}

    assert read("https://patents.google.com/patent/US1234567B2/en", wall) is None
