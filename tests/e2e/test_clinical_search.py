"""An assistant searches clinical trials, over a real server."""

from __future__ import annotations

import pytest

from tests.e2e.clients import body
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires


@requires("clinical_search.trial", "clinical_search.answer")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_trials_are_found_without_a_key(transport: str, environ: Environ) -> None:
    result = call(environ, "clinical_search", {"condition": "insomnia"}, transport)

    answer = body(result)
    assert (answer["provider"], answer["query"]) == ("clinicaltrials", "insomnia")
    assert answer["resultCount"] == len(answer["trials"]) == answer["totalResults"] == 2
    assert answer["trials"][0] == {
        "nctId": "NCT09000001",
        "title": "Melatonin for sleep onset insomnia",
        "url": "https://clinicaltrials.gov/study/NCT09000001",
        "source": "clinicaltrials",
        "status": "COMPLETED",
        "phases": ["PHASE3"],
        "conditions": ["insomnia"],
        "interventions": ["Melatonin"],
        "sponsor": "Example University",
        "startDate": "2024-03",
        "enrollment": 120,
        "hasResults": True,
    }
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "clinicaltrials"


@requires("clinical_search.status", "clinical_search.phase")
@pytest.mark.parametrize(
    ("narrowing", "found"),
    [
        ({"status": "RECRUITING"}, ["NCT09000002"]),
        ({"phase": "PHASE3"}, ["NCT09000001"]),
        ({"with_results": True}, ["NCT09000001"]),
        ({"query": "light"}, ["NCT09000002"]),
    ],
)
def test_every_facet_narrows_the_search(
    narrowing: dict[str, object], found: list[str], environ: Environ
) -> None:
    answer = body(call(environ, "clinical_search", {"condition": "insomnia"} | narrowing))

    assert [trial["nctId"] for trial in answer["trials"]] == found


@requires("clinical_search.paging")
def test_the_token_of_an_answer_leads_to_the_next_page(environ: Environ) -> None:
    first = body(call(environ, "clinical_search", {"sponsor": "Example", "num_results": 2}))
    more = {"sponsor": "Example", "num_results": 2, "page_token": first["nextPageToken"]}

    second = body(call(environ, "clinical_search", more))

    assert [trial["nctId"] for trial in second["trials"]] == ["NCT09000003"]
    assert "nextPageToken" not in second


@requires("clinical_search.query")
def test_a_search_for_nothing_is_refused(environ: Environ) -> None:
    result = call(environ, "clinical_search", {"status": "COMPLETED"})

    assert error_of(result)["kind"] == "validation"
    assert "query, condition, intervention and sponsor" in result.content[0].text


@requires("clinical_search.bad_request")
def test_a_refused_request_says_what_the_registry_said(environ: Environ) -> None:
    result = call(environ, "clinical_search", {"query": "sleep", "status": "WITHHELD"})

    assert "Unknown status: WITHHELD" in result.content[0].text


@requires("clinical_search.answer")
def test_a_search_that_the_registry_answers_with_404_found_nothing(
    environ: Environ, world: World
) -> None:
    world.fail("clinicaltrials", Fault(status=404, body="Not found"), times=ALWAYS)

    answer = body(call(environ, "clinical_search", {"query": "zebra"}))

    assert (answer["trials"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"] == "no_match"


def test_no_trial_gives_hints_with_the_filters(environ: Environ) -> None:
    answer = body(call(environ, "clinical_search", {"query": "zebra", "phase": "PHASE4"}))

    assert (answer["trials"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["reason"] == "filters_too_restrictive"
    assert answer["hints"]["filtersApplied"] == ["phase"]


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_registry_that_misbehaves_is_an_error_and_never_an_empty_answer(
    kind: str, environ: Environ, world: World
) -> None:
    world.fail("clinicaltrials", MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ, "clinical_search", {"query": "sleep"})

    assert error_of(result)["provider"] == "clinicaltrials"


@requires("provider.tool_names")
def test_an_unknown_registry_is_refused_with_those_there_are(environ: Environ) -> None:
    result = call(environ, "clinical_search", {"query": "sleep", "provider": "nowhere"})

    assert error_of(result)["kind"] == "validation"
    assert "Supported: clinicaltrials." in result.content[0].text


@requires("scrape_page.clinical_study")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_page_of_a_found_trial_reads_as_its_record(transport: str, environ: Environ) -> None:
    trial = body(call(environ, "clinical_search", {"query": "melatonin"}))["trials"][0]

    page = body(call(environ, "scrape_page", {"url": trial["url"]}, transport))

    assert page["contentType"] == "clinicaltrials"
    assert page["citation"]["metadata"]["title"] == trial["title"]
    assert "| Melatonin | 58 | 21.5 (19.0 to 24.0) |" in page["content"]
