"""An assistant searches patents, over a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet import patents
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("skipped_pauses")

KEYS = {
    "searchapi": {"SEARCHAPI_API_KEY": "k"},
    "epo": {"EPO_OPS_CONSUMER_KEY": "k", "EPO_OPS_CONSUMER_SECRET": "s"},
    "lens": {"LENS_API_TOKEN": "t"},
    "uspto": {"USPTO_API_KEY": "k"},
}
WALL = Fault(
    status=200,
    headers={"content-type": "text/html"},
    body="<html><body>Our systems have detected unusual traffic.</body></html>",
)


@pytest.fixture(autouse=True)
def indexed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Web searches find the pages under the name of their host."""
    monkeypatch.setattr(world, "named", True)
    world.add(*patents.list_pages())


def numbers(answer: dict[str, Any]) -> list[str]:
    return [patent["number"] for patent in answer["patents"]]


@requires("patent_search.patent", "patent_search.answer", "patent_search.ladder")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_patents_are_found_without_a_key(transport: str, environ: Environ) -> None:
    result = call(environ, "patent_search", {"query": "float stilling well"}, transport)

    answer = body(result)
    assert (answer["source"], answer["searchType"]) == ("web_discovery", "prior_art")
    assert answer["query"] == "float stilling well"
    assert answer["resultCount"] == len(answer["patents"])
    assert answer["patents"][0] == {
        "title": "Float gauge for tidal basins",
        "number": "US11000001B2",
        "url": "https://patents.google.com/patent/US11000001B2/en",
        "abstract": "A float in a stilling well drives an encoder.",
        "assignee": "Example Instruments Inc",
        "inventor": "Erika Muster",
        "filed": "2016-03-10",
        "granted": "2021-05-11",
        "pdf": "https://patentimages.example.org/US11000001B2.pdf",
        "office": "US",
        "kindCode": "B2",
        "kind": "granted patent, after a published application",
        "familyId": "60000001",
        "alsoPublishedAs": ["US20170200001A1"],
    }
    assert answer["searchUrl"].startswith("https://patents.google.com/?q=float+stilling+well")
    assert "web search" in " ".join(answer["notes"])
    assert answer["trust"] == "untrusted-external-content"


@requires("patent_search.search_type")
@pytest.mark.parametrize(
    "written", ["US 11,000,001 B2", "us11000001b2", "US-11000001-B2", "U.S. Patent No. 11,000,001"]
)
def test_a_number_is_looked_up_whatever_its_form(
    written: str, environ: Environ, world: World
) -> None:
    asked = {"query": written, "search_type": "specific"}

    answer = body(call(environ, "patent_search", asked))

    assert numbers(answer) == ["US11000001B2"]
    assert not world.calls["searxng"]


def test_a_number_without_its_kind_says_which_publication_was_found(environ: Environ) -> None:
    answer = body(call(environ, "patent_search", {"query": "WO 2019/123456"}))

    assert numbers(answer) == ["WO2019123456A1"]
    assert answer["notes"] == ["WO2019123456 has no kind code; WO2019123456A1 was found."]


def test_a_number_that_nobody_has_says_what_was_tried(environ: Environ) -> None:
    answer = body(call(environ, "patent_search", {"query": "EP9999999", "search_type": "specific"}))

    assert answer["resultCount"] == 0
    assert answer["hints"]["reason"] == "no_match"
    assert "EP9999999B1, EP9999999A1" in " ".join(answer["hints"]["details"])


def test_the_number_of_a_filing_is_searched_as_words_and_said_so(environ: Environ) -> None:
    answer = body(call(environ, "patent_search", {"query": "PCT/US2019/012345"}))

    assert "number of a filing" in " ".join(answer["hints"]["details"])


def test_a_landscape_shows_every_assignee_first_and_counts_them(environ: Environ) -> None:
    asked = {"query": "stilling well", "search_type": "landscape", "num_results": 3}

    answer = body(call(environ, "patent_search", asked))

    owners = [patent["assignee"].split()[1] for patent in answer["patents"]]
    assert len(set(owners)) == 3
    assert answer["assigneeClusters"]["Example Instruments"] == 2


@requires(
    "patent_search.patent_office",
    "patent_search.assignee",
    "patent_search.inventor",
    "patent_search.cpc_code",
    "patent_search.years",
)
@pytest.mark.parametrize("provider", ["", "searchapi", "epo", "lens"])
@pytest.mark.parametrize(
    ("narrowing", "found"),
    [
        ({"patent_office": "EP"}, {"EP3400002B1"}),
        ({"assignee": "Example Instruments LLC"}, {"US11000001B2", "WO2019123456A1"}),
        ({"inventor": "E. Muster"}, {"US11000001B2", "WO2019123456A1"}),
        ({"cpc_code": "B08B"}, {"WO2019123456A1"}),
        ({"year_from": 2017}, {"EP3400002B1", "WO2019123456A1"}),
        ({"year_to": 2016, "patent_office": "JP"}, {"JP2018005099A"}),
    ],
)
def test_every_filter_narrows_the_search(
    narrowing: dict[str, Any], found: set[str], provider: str, environ: Environ
) -> None:
    if provider and "inventor" in narrowing:
        narrowing = {"inventor": "Erika Muster"}  # the databases' own indexes know no initials
    asked = {"query": "gauge", "num_results": 10} | narrowing
    named = {"provider": provider} if provider else {}

    answer = body(call(environ | KEYS.get(provider, {}), "patent_search", asked | named))

    shown = {
        one
        for patent in answer["patents"]
        for one in [patent["number"], *patent.get("alsoPublishedAs", [])]
    }
    assert found <= shown
    assert shown <= found | {"US20170200001A1"}
    assert {row["filter"] for row in answer["filters"]} == set(narrowing)


@requires("patent_search.query")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "Give query, assignee or inventor."),
        ({"query": " ", "patent_office": "US"}, "Give query, assignee or inventor."),
        ({"query": "x", "year_from": 2020, "year_to": 2010}, "year_from (2020) is after"),
        ({"query": "x", "cpc_code": "nonsense"}, "not a class of the CPC"),
        ({"query": "x", "patent_office": "XX"}, "patent_office"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_what_to_do(
    asked: dict[str, Any], said: str, environ: Environ, world: World
) -> None:
    result = call(environ, "patent_search", asked)

    assert error_of(result)["kind"] == "validation"
    assert said in result.content[0].text
    assert not world.calls["searxng"]


def test_an_assignee_alone_is_enough(environ: Environ) -> None:
    answer = body(call(environ, "patent_search", {"assignee": "Example Sensors"}))

    assert numbers(answer) == ["EP3400002B1"]


@requires("patent_search.num_results", "patent_search.provider")
@pytest.mark.parametrize("provider", KEYS)
def test_a_named_provider_answers_alone_and_never_more_than_asked(
    provider: str, environ: Environ, world: World
) -> None:
    asked = {"query": "float gauge", "num_results": 1, "provider": provider}

    answer = body(call(environ | KEYS[provider], "patent_search", asked))

    assert answer["source"] == provider
    assert numbers(answer)[0].startswith("US11000001")
    assert len(answer["patents"]) == 1
    assert not world.calls["googlepatents"]


def test_a_named_provider_that_finds_nothing_is_not_replaced(
    environ: Environ, world: World
) -> None:
    asked = {"query": "gauge", "provider": "uspto", "patent_office": "EP"}

    answer = body(call(environ | KEYS["uspto"], "patent_search", asked))

    assert (answer["source"], answer["resultCount"]) == ("uspto", 0)
    assert "no patents of the office EP" in " ".join(answer["hints"]["details"])
    assert not world.calls["searxng"]


def test_a_web_provider_can_be_named(environ: Environ, world: World) -> None:
    asked = {"query": "radar gauge", "provider": "duckduckgo"}

    answer = body(call(environ, "patent_search", asked))

    assert answer["source"] == "duckduckgo"
    assert "EP3400002B1" in numbers(answer)
    assert not world.calls["searxng"]


def test_an_unknown_provider_is_refused_with_each_name_once(environ: Environ) -> None:
    result = call(environ, "patent_search", {"query": "x", "provider": "nowhere"})

    said = result.content[0].text.partition("Supported: ")[2].partition(".")[0].split(", ")
    assert error_of(result)["kind"] == "validation"
    assert said[:4] == ["searchapi", "epo", "lens", "uspto"]
    assert "duckduckgo" in said
    assert len(said) == len(set(said))
    assert "clinicaltrials" not in said


def test_a_provider_without_its_key_says_which_setting_is_missing(environ: Environ) -> None:
    result = call(environ, "patent_search", {"query": "x", "provider": "epo"})

    assert "EPO_OPS_CONSUMER_KEY" in result.content[0].text


def test_databases_are_asked_in_turn_when_one_fails(environ: Environ, world: World) -> None:
    keys = KEYS["searchapi"] | KEYS["epo"]
    world.fail("searchapi", Fault(status=500, body="oops"), times=ALWAYS)

    result = call(environ | keys, "patent_search", {"query": "gauge"})

    assert body(result)["source"] == "epo"
    assert body(result)["notes"] == ["searchapi could not answer."]
    assert result.meta["routing"]["fallback"] is True


def test_the_users_order_goes_first(environ: Environ, world: World) -> None:
    routed = KEYS["searchapi"] | KEYS["lens"] | {"SEARCH_ROUTING": '{"patents": ["lens"]}'}

    answer = body(call(environ | routed, "patent_search", {"query": "gauge", "num_results": 3}))

    assert answer["source"] == "lens"
    assert not world.calls["searchapi"]


def test_the_same_publication_of_two_databases_is_one(environ: Environ) -> None:
    keys = KEYS["epo"] | KEYS["uspto"] | {"SEARCH_THIN_THRESHOLD": "3"}

    answer = body(call(environ | keys, "patent_search", {"query": "float gauge"}))

    [patent] = answer["patents"]
    assert (patent["number"], patent["status"]) == ("US11000001B2", "Patented Case")
    assert patent["abstract"]


def test_pages_behind_a_wall_leave_title_and_snippet(environ: Environ, world: World) -> None:
    world.fail("googlepatents", WALL, times=ALWAYS)

    answer = body(call(environ, "patent_search", {"query": "radar gauge drift"}))

    assert answer["patents"][0]["title"] == "Radar gauge with drift correction"
    assert answer["patents"][0]["number"] == "EP3400002B1"
    assert "filed" not in answer["patents"][0]
    assert "could not be read" in " ".join(answer["notes"])


def test_a_number_whose_page_is_behind_a_wall_is_found_by_its_snippet(
    environ: Environ, world: World
) -> None:
    world.fail("googlepatents", WALL, times=ALWAYS)

    answer = body(call(environ, "patent_search", {"query": "EP3400002B1"}))

    assert numbers(answer) == ["EP3400002B1"]
    assert "could not be read" in " ".join(answer["notes"])


def test_a_number_that_nobody_could_look_up_is_an_error(environ: Environ, world: World) -> None:
    world.fail("googlepatents", WALL, times=ALWAYS)

    result = call(environ, "patent_search", {"query": "EP1000000B1"})

    assert error_of(result)["provider"] == "googlepatents"


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
@pytest.mark.parametrize("provider", KEYS)
def test_a_database_that_misbehaves_is_an_error_and_never_an_empty_answer(
    kind: str, provider: str, environ: Environ, world: World
) -> None:
    world.fail(provider, MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ | KEYS[provider], "patent_search", {"query": "x", "provider": provider})

    assert error_of(result)["provider"] == provider


def test_a_page_is_asked_for_once(environ: Environ, world: World) -> None:
    for written in ("US11000001B2", "US 11,000,001 B2"):
        call(environ, "patent_search", {"query": written})

    assert world.calls["googlepatents"] == 1


def test_nothing_found_gives_hints_with_the_filters(environ: Environ) -> None:
    answer = body(call(environ, "patent_search", {"query": "zebra", "patent_office": "KR"}))

    assert (answer["patents"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"] == "filters_too_restrictive"
    assert answer["hints"]["filtersApplied"] == ["patent_office"]
    assert "EPO_OPS_CONSUMER_KEY" in " ".join(answer["hints"]["details"])
    assert "try-different-provider: googlepatents" not in answer["hints"]["suggestedActions"]


def test_a_title_that_is_nearly_right_is_found_by_its_words(environ: Environ) -> None:
    asked = {"query": "Radar gauge drift correction", "search_type": "specific"}

    answer = body(call(environ, "patent_search", asked))

    assert numbers(answer)[0] == "EP3400002B1"
    assert "exactly this title" in " ".join(answer["notes"])


def test_reading_pages_one_by_one_is_reported(environ: Environ) -> None:
    heard: list[str | None] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async def talk() -> None:
        async with connected("memory", environ | {"CITEWELL_TOOLSETS": "domains"}) as client:
            await client.call_tool(
                "patent_search", {"query": "radar gauge"}, progress_callback=listen
            )

    asyncio.run(talk())

    assert heard[0] == "searching the web"
    assert "reading EP3400002B1" in heard


def test_what_is_found_is_recorded_in_the_session(environ: Environ) -> None:
    step = {"searchStep": "look", "stepNumber": 1, "nextStepNeeded": True}
    session = body(call(environ, "sequential_search", step))["sessionId"]

    call(environ, "patent_search", {"query": "US11000001B2", "sessionId": session})

    kept = str(body(call(environ, "get_research_session", {"sessionId": session})))
    assert "https://patents.google.com/patent/US11000001B2/en" in kept
    assert "Float gauge for tidal basins" in kept
