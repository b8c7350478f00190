from __future__ import annotations

from dataclasses import replace

import pytest

from tests.command_runs import Run
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World, corpus


def test_results_are_numbered_with_title_address_date_and_snippet(
    run: Run, internet: Internet
) -> None:
    ran = run("search", "sleep and memory", "-n", "2")

    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == "1. How sleep strengthens memory"
    assert lines[1].strip() == internet.page("sleep.example.org", "sleep-and-memory")
    assert lines[2].strip().startswith("2025-02-18")
    assert lines[3].strip().startswith("Sleep after learning")
    assert any(line.startswith("2. ") for line in lines)
    assert not any(line.startswith("3. ") for line in lines)


def test_json_is_the_tools_own_answer_with_its_route(run: Run) -> None:
    ran = run("search", "sleep and memory", "--json")

    answer = ran.json()
    assert ran.code == 0
    assert answer["resultCount"] == len(answer["results"]) == 5
    assert answer["_meta"]["routing"]["provider_used"]


def test_a_second_search_is_served_from_the_cache(run: Run, world: World) -> None:
    run("search", "sleep and memory")
    before = world.calls.total()

    ran = run("search", "sleep and memory")

    assert world.calls.total() == before
    assert "cached" in ran.out.splitlines()[-1]


def test_one_provider_can_be_named(run: Run, world: World) -> None:
    ran = run("search", "sleep", "--provider", "wikipedia", "--json")

    assert ran.json()["_meta"]["routing"]["providers_attempted"] == ["wikipedia"]
    assert world.calls["duckduckgo"] == 0


def test_a_claim_shows_the_nearest_sentence(run: Run) -> None:
    ran = run("search", "sleep and memory", "-n", "1", "--claim", "sleep helps memory")

    assert "Closest to the claim: " in ran.out


def test_an_unknown_lens_is_a_usage_error_that_lists_the_lenses(run: Run) -> None:
    ran = run("search", "sleep", "--lens", "astrology")

    assert ran.code == 2
    assert "astrology" in ran.err
    assert "medical" in ran.err
    assert ran.out == ""


def test_a_count_out_of_bounds_is_refused_by_name(run: Run) -> None:
    ran = run("search", "sleep", "-n", "51")

    assert ran.code == 2
    assert "--num-results" in ran.err


def test_an_unconfigured_provider_names_the_setting_to_make(run: Run) -> None:
    ran = run("search", "sleep", "--provider", "brave")

    assert ran.code == 2
    assert "BRAVE_API_KEY" in ran.err
    assert "citewell doctor" in ran.err


def test_nothing_found_exits_with_1_and_says_why(run: Run) -> None:
    ran = run("search", "qqqzzzxxyy", "--provider", "wikipedia")

    assert ran.code == 1
    assert ran.out.startswith("Nothing found (no match).")


def test_a_failing_upstream_exits_with_3_and_advice(run: Run, world: World) -> None:
    world.fail("wikipedia", Fault(status=429, headers={"retry-after": "30"}), times=ALWAYS)

    ran = run("search", "sleep", "--provider", "wikipedia")

    assert ran.code == 3
    assert "Try again in 30 seconds" in ran.err


def test_an_error_is_json_too_when_json_is_asked_for(run: Run) -> None:
    ran = run("search", "sleep", "--lens", "astrology", "--json")

    error = ran.json()["error"]
    assert ran.code == 2
    assert error["kind"] == "validation"
    assert "astrology" in error["message"]


def test_a_results_title_cannot_drive_the_terminal(run: Run, world: World) -> None:
    page = corpus()[0]
    world.add(
        replace(page, path="evil", title="quixotic \x1b[2J\x9b31m title", markdown="quixotic words")
    )

    ran = run("search", "quixotic", "--provider", "wikipedia")

    assert "quixotic" in ran.out
    assert "\x1b" not in ran.out
    assert "\x9b" not in ran.out


def test_several_sites_are_searched_together(run: Run) -> None:
    ran = run(
        "search", "memory", "--site", "sleep.example.org", "--site", "news.example.com", "--json"
    )

    assert ran.code in {0, 1}
    reported = {row["filter"] for row in ran.json().get("filters", ())}
    assert "site" in reported


def test_no_audit_line_disturbs_a_person(run: Run) -> None:
    ran = run("search", "sleep", "--provider", "wikipedia")

    assert ran.code == 0
    assert ran.err == ""


@pytest.mark.parametrize(
    ("count", "explanation"),
    [("0", "must be 1 or more"), ("51", "must be 50 or less"), ("few", "must be a whole number")],
)
def test_a_wrong_number_of_results_is_told_in_plain_words(
    run: Run, count: str, explanation: str
) -> None:
    ran = run("search", "x", "-n", count)

    assert ran.code == 2
    assert "-n" in ran.err
    assert explanation in ran.err
    assert "citewell search --help" in ran.err
    assert "Input should" not in ran.err
