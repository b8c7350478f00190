from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citewell import providers
from tests.command_runs import Ran, Run
from tests.internet.apis.duckduckgo import CHALLENGE
from tests.internet.apis.searxng import behave
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World


def provider(ran: Ran, name: str) -> dict[str, Any]:
    return next(row for row in ran.json()["providers"] if row["name"] == name)


def check(ran: Ran, name: str) -> dict[str, Any]:
    return next(row for row in ran.json()["checks"] if row["name"] == name)


def test_a_keyless_provider_that_answers_works(run: Run) -> None:
    ran = run("doctor", "--json")

    assert ran.code == 0
    assert ran.json()["healthy"] is True
    assert provider(ran, "wikipedia")["state"] == "working"


def test_a_provider_without_its_key_names_the_line_to_set(run: Run) -> None:
    row = provider(run("doctor", "--json"), "brave")

    assert row["state"] == "not configured"
    assert row["change"].startswith("BRAVE_API_KEY=")


def test_a_key_is_not_spent_unless_asked_to(run: Run, world: World) -> None:
    ran = run("doctor", "--json", BRAVE_API_KEY="a-key")

    assert provider(ran, "brave")["state"] == "not tried"
    assert world.calls["brave"] == 0


def test_paid_tries_a_keyed_provider(run: Run, world: World) -> None:
    ran = run("doctor", "--json", "--paid", BRAVE_API_KEY="a-key")

    assert world.calls["brave"] == 1
    assert provider(ran, "brave")["state"] == "working"


def test_a_refused_key_names_the_setting_and_never_its_value(run: Run, world: World) -> None:
    world.fail("brave", Fault(status=401, body={"message": "no"}), times=ALWAYS)

    ran = run("doctor", "--json", "--paid", BRAVE_API_KEY="a-very-secret-key")

    assert provider(ran, "brave")["state"] == "failing"
    assert "BRAVE_API_KEY" in provider(ran, "brave")["change"]
    assert "a-very-secret-key" not in ran.out + ran.err


def test_a_429_is_rate_limited_with_its_delay(run: Run, world: World) -> None:
    world.fail("wikipedia", Fault(status=429, headers={"retry-after": "90"}), times=ALWAYS)

    row = provider(run("doctor", "--json"), "wikipedia")

    assert row["state"] == "rate limited"
    assert "Wait 90 s" in row["detail"]


def test_a_challenge_page_is_blocked(run: Run, world: World) -> None:
    world.fail("duckduckgo", Fault(status=202, body=CHALLENGE), times=ALWAYS)

    assert provider(run("doctor", "--json"), "duckduckgo")["state"] == "blocked"


def test_searxng_without_json_names_the_line_of_its_settings(run: Run, world: World) -> None:
    behave(world, json=False)

    row = provider(run("doctor", "--json"), "searxng")

    assert row["state"] == "working"
    assert row["change"] == "search: formats: [html, json]"


def test_searxng_without_json_and_page_does_not_work(run: Run, world: World) -> None:
    behave(world, json=False, page=False)

    row = provider(run("doctor", "--json"), "searxng")

    assert row["state"] == "blocked"
    assert row["change"] == "search: formats: [html, json]"


def test_offline_sends_nothing(run: Run, world: World) -> None:
    ran = run("doctor", "--offline", "--json")

    assert ran.code == 0
    assert world.calls.total() == 0
    assert provider(ran, "wikipedia")["state"] == "not tried"


@pytest.mark.usefixtures("skipped_pauses")
def test_it_exits_with_1_when_no_provider_works(run: Run, world: World) -> None:
    for name in providers.NAMES:
        world.fail(name, Fault(status=503), times=ALWAYS)

    ran = run("doctor", "--json")

    assert ran.code == 1
    assert ran.json()["healthy"] is False


def test_a_misspelt_setting_is_corrected(run: Run) -> None:
    row = check(run("doctor", "--offline", "--json", CITEWELL_TOOLSET="core"), "setting names")

    assert row["state"] == "warning"
    assert "CITEWELL_TOOLSETS" in row["change"]


def test_a_data_directory_that_cannot_be_made_is_a_warning(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    ran = run("doctor", "--offline", "--json", CITEWELL_DATA_DIR=str(tmp_path / "file" / "data"))

    assert ran.code == 0
    assert check(ran, "data directory")["state"] == "warning"
    assert check(ran, "cache")["state"] == "warning"


def test_the_cache_says_what_it_is_encrypted_with(run: Run) -> None:
    row = check(run("doctor", "--offline", "--json"), "cache")

    assert row["state"] == "ok"
    assert "key file" in row["detail"]


def test_routing_to_an_unknown_provider_fails_the_check(run: Run) -> None:
    ran = run("doctor", "--offline", "--json", SEARCH_PROVIDER="altavista")

    assert ran.code == 1
    assert check(ran, "routing")["state"] == "failed"
    assert "altavista" in check(ran, "routing")["detail"]


def test_the_configuration_file_that_was_read_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('search_provider = "wikipedia"\n')

    ran = run("doctor", "--offline", "--json", CITEWELL_CONFIG=str(path))

    assert check(ran, "configuration file")["detail"] == str(path)
    assert "wikipedia" in check(ran, "routing")["detail"].split(",")[0]


def test_people_get_tables_with_what_to_add(run: Run) -> None:
    ran = run("doctor")

    assert ran.out.splitlines()[0].split() == ["PROVIDER", "STATE", "DETAIL"]
    assert "OPTIONAL" in ran.out
    assert "BRAVE_API_KEY=" in ran.out


REGISTRIES = (
    "arxiv",
    "core",
    "crossref",
    "datacite",
    "doi",
    "europepmc",
    "openalex",
    "pubmed",
    "semanticscholar",
)


def test_every_keyless_registry_is_asked_once(run: Run, world: World) -> None:
    ran = run("doctor", "--json")

    states = {name: provider(ran, name)["state"] for name in REGISTRIES}
    assert set(states.values()) <= {"working", "answers, finds nothing"}, states
    assert [name for name in REGISTRIES if not world.calls[name]] == []


def test_the_finder_of_open_copies_is_asked_with_an_email(run: Run, world: World) -> None:
    row = provider(run("doctor", "--json", UNPAYWALL_EMAIL="a@example.org"), "unpaywall")

    assert row["state"] in {"working", "answers, finds nothing"}
    assert world.calls["unpaywall"] == 1


def test_a_registry_that_fails_is_named_but_leaves_the_web_searchable(
    run: Run, world: World
) -> None:
    world.fail("crossref", Fault(status=503), times=ALWAYS)

    ran = run("doctor", "--json")

    assert ran.code == 0
    assert provider(ran, "crossref")["state"] == "failing"


def test_research_that_costs_money_is_not_tried(run: Run, world: World) -> None:
    row = provider(run("doctor", "--json", "--paid", OPENAI_API_KEY="a-key"), "openai")

    assert row["state"] == "not tried"
    assert world.calls["openai"] == 0


@pytest.mark.parametrize(
    "name", ["CITEWELL_SITE_HACKERNEWS_BASE_URL", "CITEWELL_SITE_YOUTUBE_MOBILE_BASE_URL"]
)
def test_the_address_of_a_site_is_a_known_setting(name: str, run: Run) -> None:
    row = check(
        run("doctor", "--offline", "--json", **{name: "https://example.org"}), "setting names"
    )

    assert (row["state"], row["change"]) == ("ok", "")


def test_offline_creates_no_file(run: Run, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))

    ran = run("doctor", "--offline")

    assert ran.code == 0
    assert sorted(tmp_path.rglob("*")) == before


def test_offline_leaves_existing_data_as_it_is(run: Run, tmp_path: Path) -> None:
    run("search", "http caching")
    run("credits", "add", "1")
    before = sorted(tmp_path.rglob("*"))

    ran = run("doctor", "--offline", "--json")

    assert check(ran, "master key")["state"] == "ok"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_wrong_master_key_fails(run: Run) -> None:
    run("credits", "add", "1", CITEWELL_MASTER_KEY="11" * 32)

    ran = run("doctor", "--offline", "--json", CITEWELL_MASTER_KEY="22" * 32)

    row = check(ran, "master key")
    assert ran.code == 1
    assert row["state"] == "failed"
    assert "master key" in row["detail"]
    assert "CITEWELL_MASTER_KEY" in row["change"]
    assert "22" * 32 not in ran.out + ran.err


def test_a_master_key_file_that_is_gone_fails(run: Run, tmp_path: Path) -> None:
    run("credits", "add", "1")
    (tmp_path / "data" / "state.key").unlink()

    ran = run("doctor", "--offline", "--json")

    assert ran.code == 1
    assert check(ran, "master key")["state"] == "failed"
    assert not (tmp_path / "data" / "state.key").exists()


def test_an_emptied_store_fails(run: Run, tmp_path: Path) -> None:
    run("credits", "add", "1")
    for leftover in (tmp_path / "data").glob("state.db-*"):
        leftover.unlink()
    (tmp_path / "data" / "state.db").write_bytes(b"")

    ran = run("doctor", "--offline", "--json")

    assert ran.code == 1
    assert check(ran, "stored state")["state"] == "failed"
    assert "restore" in check(ran, "stored state")["change"]


def test_a_malformed_master_key_fails_before_anything_is_stored(run: Run) -> None:
    ran = run("doctor", "--offline", "--json", CITEWELL_MASTER_KEY="short")

    assert ran.code == 1
    assert check(ran, "master key")["state"] == "failed"
    assert "CITEWELL_MASTER_KEY" in check(ran, "master key")["detail"]


def tool(ran: Ran, name: str) -> dict[str, Any]:
    return next(row for row in ran.json()["tools"] if row["tool"] == name)


def test_every_search_tool_says_who_serves_it_and_what_a_key_would_add(run: Run) -> None:
    ran = run("doctor", "--json")

    assert tool(ran, "clinical_search")["served_by"] == ["clinicaltrials"]
    assert "brave (BRAVE_API_KEY)" in tool(ran, "web_search")["could_add"]


def test_a_registry_that_does_not_answer_is_named(run: Run, world: World) -> None:
    world.fail("clinicaltrials", Fault(status=500, body="oops"), times=ALWAYS)

    ran = run("doctor", "--json")

    assert provider(ran, "clinicaltrials")["state"] == "failing"
    assert tool(ran, "clinical_search")["failing"] == ["clinicaltrials (failing)"]


def test_what_may_cost_money_is_served_by_us_until_somebody_configures_a_provider(run: Run) -> None:
    without, keyed = run("doctor", "--json"), run("doctor", "--json", TAVILY_API_KEY="a-key")

    assert tool(without, "answer")["served_by"] == []
    assert "tavily (TAVILY_API_KEY)" in tool(without, "answer")["could_add"]
    assert tool(keyed, "answer")["served_by"] == ["tavily"]


def test_the_table_of_tools_is_printed(run: Run) -> None:
    ran = run("doctor")

    [row] = [line for line in ran.out.splitlines() if line.startswith("clinical_search")]
    assert "clinicaltrials" in row


@pytest.mark.parametrize("name", ["openlibrary", "rfceditor"])
def test_free_registries_are_tried_and_not_called_charged(run: Run, name: str) -> None:
    row = provider(run("doctor", "--json"), name)

    assert row["state"] == "working"


def test_only_what_is_charged_is_said_to_be(run: Run) -> None:
    sentences = [
        row for row in run("doctor", "--json").json()["providers"] if "charged" in row["detail"]
    ]

    assert sentences == []
