"""What sessions, bibliographies and checks answer with, key by key, in a conversation that many tests look at."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from mcp import Client

from tests.e2e.clients import body, connected
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
SESSION = "Session not found or expired. Sessions last 4 hours"
PAPER = {
    "url": "https://example.org/attention",
    "title": "Attention & memory",
    "author": "Vaswani, Ashish; Shazeer, Noam",
    "site": "Example Letters",
    "date": "2017-06-12",
    "doi": "https://doi.org/10.1000/XYZ.1",
}
NOTES = {"url": "https://example.org/notes", "title": "Notes", "date": "2020"}


def converse(environ: Environ, talk: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run a conversation with a server in this process that offers every tool."""

    async def run() -> Any:
        wide = environ | {"CITEWELL_PROFILE": "all", "CITEWELL_LINK_THRESHOLD": "10000000"}
        async with connected("memory", wide) as client:
            return await talk(client)

    return asyncio.run(run())


def call(environ: Environ, tool: str, **arguments: Any) -> Any:
    return converse(environ, lambda client: client.call_tool(tool, arguments))


def error(result: Any) -> tuple[str, dict[str, Any]]:
    assert result.is_error
    sentence, _, block = result.content[0].text.partition("\n\n")
    return sentence, json.loads(block)["error"]


def step(number: int, **more: Any) -> dict[str, Any]:
    return {"searchStep": f"step {number}", "stepNumber": number, "nextStepNeeded": True, **more}


async def hold_session(client: Client, internet: Internet) -> dict[str, Any]:
    """Five steps of one session with sources of every kind, and what can be asked of it afterwards."""
    told: dict[str, Any] = {}

    async def ask(name: str, tool: str, **arguments: Any) -> Any:
        told[name] = await client.call_tool(tool, arguments)
        return told[name]

    first = step(
        1,
        researchGoal="why cells age",
        reasoning="begin with reviews",
        confidence="high",
        rejectedApproaches=["vendor blogs"],
        knowledgeGap="cold climates",
        sessionSummary="so far, so good",
        totalStepsEstimate=5,
    )
    session = body(await ask("begun", "sequential_search", **first))["sessionId"]
    here = {"sessionId": session}
    page = internet.page("sleep.example.org", "sleep-and-memory")
    await ask("searched", "web_search", query="battery ageing", num_results=2, **here)
    await ask("read", "scrape_page", url=page, **here)
    await ask(
        "gathered", "search_and_scrape", query="http caching", num_results=1, provider="searxng", **here
    )  # fmt: skip
    await ask("graph", "citation_graph", paper="10.48550/arXiv.1706.03762", num_results=1, **here)
    await ask("branched", "sequential_search", **step(2, branchFromStep=1, branchId="cold", **here))
    await ask("revised", "sequential_search", **step(3, isRevision=True, revisesStep=2, **here))
    await ask("assisted", "sequential_search", **step(4, depth="standard", **here))
    last = step(5, responseMode="summary", **here) | {"nextStepNeeded": False}
    await ask("ended", "sequential_search", **last)
    await ask("recovered", "get_research_session", **here)
    await ask("one step", "get_research_session", stepId=1, **here)
    await ask("no step", "get_research_session", stepId=99, **here)
    await ask("markdown", "research_export", **here)
    await ask("again", "research_export", **here)
    await ask("json", "research_export", format="json", **here)
    await ask("links", "research_export", verify_links=True, **here)
    await ask("bibliography", "format_bibliography", style="bibtex", **here)
    await ask("audit", "audit_bibliography", **here)
    return told


@pytest.fixture(scope="module")
def told(loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answers of one session from its beginning to its audit."""
    loopback_web.world.reset()
    folder = tmp_path_factory.mktemp("session")
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }
    found: dict[str, Any] = converse(environ, lambda client: hold_session(client, loopback_web))
    loopback_web.world.reset()
    return found


@requires(
    "sequential_search.answer", "sequential_search.new_session", "sequential_search.full_mode"
)
def test_the_first_step_begins_a_session_with_an_id_of_its_own(told: dict[str, Any]) -> None:
    begun = body(told["begun"])

    assert uuid.UUID(begun["sessionId"]).version == 4
    assert (begun["responseMode"], begun["currentStep"], begun["isComplete"]) == ("full", 1, False)
    assert begun["startedAt"].endswith("Z")
    assert begun["trust"] == "untrusted-external-content"
    assert begun["steps"] == [
        {"stepNumber": 1, "oneLiner": "step 1", "branchId": "", "confidence": "high"}
    ]


@requires(
    "sequential_search.research_goal",
    "sequential_search.reasoning",
    "sequential_search.total_steps_estimate",
    "sequential_search.knowledge_gap",
    "sequential_search.confidence",
)
def test_what_a_step_says_is_kept_with_it(told: dict[str, Any]) -> None:
    later, kept = body(told["branched"]), body(told["one step"])["step"]

    assert (later["researchGoal"], later["totalStepsEstimate"]) == ("why cells age", 5)
    assert (kept["reasoning"], kept["confidence"]) == ("begin with reviews", "high")
    assert kept["rejectedApproaches"] == ["vendor blogs"]
    assert later["gaps"][0]["gap"] == "cold climates"
    assert later["gaps"][0]["foundInStep"] == 1


@requires("sequential_search.branch", "sequential_search.revision", "defect.session_summary")
def test_branches_and_revisions_are_shown(told: dict[str, Any]) -> None:
    recovered = body(told["recovered"])

    index = {row["stepNumber"]: row for row in recovered["stepIndex"]}
    assert index[2]["branchId"] == "cold"
    assert index[2]["supersededBy"] == 3
    assert body(told["revised"])["lastSteps"][-1]["revisesStep"] == 2
    assert body(told["branched"])["lastSteps"][-1]["branchFromStep"] == 1
    assert recovered["summary"] == "so far, so good"


@requires("sequential_search.depth", "sequential_search.coverage")
def test_coverage_is_told_only_where_help_was_asked_for(told: dict[str, Any]) -> None:
    quick, standard = body(told["begun"]), body(told["assisted"])

    assert not {"depth", "coverage", "refinementQueries", "refinementResults"} & set(quick)
    assert standard["depth"] == "standard"
    assert {"sourceCount", "uniqueDomains", "domainSpread", "sourceTypes", "gaps"} <= set(standard["coverage"])  # fmt: skip
    assert standard["refinementQueries"]
    assert "refinementResults" not in standard


@requires(
    "sequential_search.refinement_results",
    "sequential_search.thorough",
    "sequential_search.refinement_note",
)
def test_thorough_runs_three_of_the_suggested_searches(environ: Environ) -> None:
    async def talk(client: Client) -> Any:
        here: dict[str, Any] = {"researchGoal": "battery ageing"}
        for number, gap in enumerate(("cold climates", "field data", "price"), 1):
            begun = await client.call_tool(
                "sequential_search", step(number, knowledgeGap=gap, **here)
            )
            here = {"sessionId": body(begun)["sessionId"]}
        return await client.call_tool("sequential_search", step(4, depth="thorough", **here))

    shown = body(converse(environ, talk))

    assert len(shown["refinementQueries"]) > len(shown["refinementResults"]) == 3
    assert shown["refinementNote"]
    for row in shown["refinementResults"]:
        assert {"query", "resultCount", "results"} <= set(row)
        assert all({"title", "url", "snippet"} <= set(hit) for hit in row["results"])


@requires(
    "sequential_search.summary_mode",
    "sequential_search.completed_at",
    "sequential_search.next_step_needed",
    "sequential_search.session_summary",
    "sequential_search.last_steps",
)
def test_the_last_step_completes_the_session(told: dict[str, Any]) -> None:
    begun, ended = body(told["begun"]), body(told["ended"])

    assert "completedAt" not in begun
    assert (ended["isComplete"], ended["responseMode"]) == (True, "summary")
    assert ended["completedAt"]
    assert (ended["summary"], len(ended["stepIndex"])) == ("so far, so good", 5)
    assert "steps" not in ended
    assert [row["stepNumber"] for row in ended["lastSteps"]] == [3, 4, 5]


@requires("sequential_search.search_step", "sequential_search.step_number")
def test_the_answer_repeats_the_number_and_words_of_the_step(told: dict[str, Any]) -> None:
    revised = body(told["revised"])

    assert revised["currentStep"] == 3
    assert revised["lastSteps"][-1]["searchStep"] == "step 3"


@requires("get_research_session.answer", "get_research_session.provider_stats")
def test_a_session_is_recovered_with_all_that_leads_on(told: dict[str, Any]) -> None:
    recovered = body(told["recovered"])

    assert recovered["researchGoal"] == "why cells age"
    assert [row["stepNumber"] for row in recovered["stepIndex"]] == [1, 2, 3, 4, 5]
    assert [row["stepNumber"] for row in recovered["lastSteps"]] == [3, 4, 5]
    assert [row["gap"] for row in recovered["gaps"]] == ["cold climates"]
    assert recovered["sources"]
    assert recovered["trust"] == "untrusted-external-content"
    assert recovered["providerStats"]["searxng"]["successes"] >= 1
    assert "errorPatterns" not in recovered


@requires(
    "web_search.session_id",
    "scrape_page.session_id",
    "search_and_scrape.session_id",
    "citation_graph.session_id",
    "session.linked",
)
def test_every_tool_with_a_session_records_its_sources(told: dict[str, Any]) -> None:
    recorded = {row["url"] for row in body(told["recovered"])["sources"]}

    assert set(body(told["searched"])["urls"]) <= recorded
    assert body(told["read"])["url"] in recorded
    assert {row["url"] for row in body(told["gathered"])["sources"]} <= recorded
    assert {row["url"] for row in body(told["graph"])["citedBy"]} <= recorded


@requires("get_research_session.found_in_step")
def test_a_source_that_no_step_found_names_none(told: dict[str, Any]) -> None:
    sources = body(told["recovered"])["sources"]

    assert not any("foundInStep" in row for row in sources)


@requires("get_research_session.step_id", "get_research_session.unknown", "research_export.unknown")
def test_what_is_not_there_is_said_to_be_missing(told: dict[str, Any], environ: Environ) -> None:
    lost, block = error(told["no step"])
    gone = [
        error(call(environ, tool, sessionId="gone"))
        for tool in ("get_research_session", "research_export")
    ]

    assert "Step 99" in lost
    assert block["kind"] == "not_found"
    assert all(sentence.startswith(SESSION) for sentence, _ in gone)
    assert {found["kind"] for _, found in gone} == {"session_not_found"}


@requires("research_export.answer", "research_export.document", "research_export.markdown")
def test_an_export_tells_what_it_is_and_holds_the_research(told: dict[str, Any]) -> None:
    shown, whole = body(told["markdown"]), body(told["json"])["document"]

    keys = {"sessionId", "format", "researchGoal", "stepCount", "sourceCount", "startedAt", "exportedAt", "tenantId", "document", "trust"}  # fmt: skip
    assert keys <= set(shown)
    assert (shown["format"], shown["stepCount"]) == ("markdown", 5)
    text = shown["document"]
    for part in ("# why cells age", "### Step 1", "begin with reviews", "vendor blogs", "branch cold from step 1", "revises step 2", "## Open Questions", "cold climates", "## Sources", "1. [", "tenant default"):  # fmt: skip
        assert part in text
    assert isinstance(whole, dict)
    assert len(whole["steps"]) == 5


@requires("research_export.deterministic")
def test_two_exports_differ_in_their_time_alone(told: dict[str, Any]) -> None:
    first, second = body(told["markdown"]), body(told["again"])

    # The session may have been completed in the second of one of the exports.
    times = re.compile(f"{first['exportedAt']}|{second['exportedAt']}")
    assert times.sub("", first["document"]) == times.sub("", second["document"])


@requires("research_export.verify_links")
def test_links_are_checked_only_on_request(told: dict[str, Any]) -> None:
    plain, checked = body(told["markdown"])["document"], body(told["links"])["document"]

    assert "— live" in checked
    assert "— live" not in plain


@requires("research_export.session_id", "format_bibliography.one_of_two", "audit_bibliography.one_of_three")  # fmt: skip
@pytest.mark.parametrize("tool", ["research_export", "format_bibliography", "audit_bibliography"])
def test_a_call_that_says_nothing_is_refused(tool: str, environ: Environ) -> None:
    sentence, block = error(call(environ, tool))

    assert "sessionId" in sentence
    assert block["kind"] == "validation"


@requires("format_bibliography.session_id", "format_bibliography.answer")
def test_a_sessions_bibliography_names_its_session(told: dict[str, Any]) -> None:
    shown = body(told["bibliography"])

    assert shown["sessionId"] == body(told["begun"])["sessionId"]
    read = [row for row in body(told["recovered"])["sources"] if row["stage"] != "listed"]
    assert shown["entryCount"] == len(read) == 2
    assert shown["style"] == "bibtex"
    assert shown["trust"] == "untrusted-external-content"


@requires("audit_bibliography.session_id", "audit_bibliography.answer")
def test_a_sessions_sources_are_audited(told: dict[str, Any]) -> None:
    shown = body(told["audit"])

    assert shown["source"] == "session"
    assert shown["entryCount"] == len(shown["entries"]) == len(body(told["recovered"])["sources"])
    assert shown["checkedAt"].endswith("Z")


@pytest.mark.parametrize(
    ("step_name", "tool"),
    [
        pytest.param("gathered", "search_and_scrape", marks=requires("search_and_scrape.cache")),
        pytest.param("again", "research_export", marks=requires("research_export.cache")),
        pytest.param("recovered", "get_research_session", marks=requires("get_research_session.cache")),
        pytest.param("ended", "sequential_search", marks=requires("sequential_search.no_freshness")),
    ],
)  # fmt: skip
@requires("freshness.uncached")
def test_what_is_not_cached_shows_no_freshness(
    step_name: str, tool: str, told: dict[str, Any]
) -> None:
    assert not {"cached", "ageSeconds", "freshness"} & set(told[step_name].meta or {})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("format_bibliography", {"sources": [NOTES]}, marks=requires("format_bibliography.cache")),
        pytest.param("verify_citation", {"citation": "10.1000/invented.1"}, marks=requires("verify_citation.cache")),
        pytest.param("audit_bibliography", {"entries": [{"title": "Notes"}]}, marks=requires("audit_bibliography.cache")),
        pytest.param("archive_source", {"url": "https://www.example.org/x"}, marks=requires("archive_source.cache")),
    ],
)  # fmt: skip
def test_a_second_look_is_a_new_one(tool: str, arguments: dict[str, Any], environ: Environ) -> None:
    async def talk(client: Client) -> Any:
        await client.call_tool(tool, arguments)
        return await client.call_tool(tool, arguments)

    second = converse(environ, talk)

    assert body(second)
    assert "cached" not in (second.meta or {})


def bibliography(environ: Environ, style: str, *sources: dict[str, Any]) -> str:
    return str(
        body(call(environ, "format_bibliography", style=style, sources=list(sources)))[
            "bibliography"
        ]
    )


@requires("format_bibliography.order", "format_bibliography.reproducible")
@pytest.mark.parametrize("style", ["apa", "mla", "bibtex", "ris", "csl-json"])
def test_the_order_of_the_sources_changes_nothing(style: str, environ: Environ) -> None:
    sources = [PAPER, NOTES, {"url": "https://example.org/z", "title": "Ageing"}]

    forth = bibliography(environ, style, *sources)
    back = bibliography(environ, style, *reversed(sources))

    assert forth == back
    if style in {"apa", "mla"}:
        lines = [line.strip("“") for line in forth.split("\n\n")]
        assert lines == sorted(lines, key=str.casefold)


@requires("format_bibliography.bibtex_key", "format_bibliography.bibtex_escape", "format_bibliography.doi")  # fmt: skip
def test_bibtex_keys_tell_equal_works_apart(environ: Environ) -> None:
    twin = PAPER | {"url": "https://example.org/attention-2"}

    text = bibliography(environ, "bibtex", PAPER, twin)

    keys = [line.partition("{")[2].rstrip(",") for line in text.splitlines() if line.startswith("@")]  # fmt: skip
    assert all(key.startswith("vaswani2017attention") for key in keys)
    assert len(set(keys)) == 2
    assert r"Attention \& memory" in text
    assert "{10.1000/xyz.1}" in text.lower()


@requires("format_bibliography.ris_authors", "format_bibliography.ris_type")
def test_ris_has_a_line_for_each_author(environ: Environ) -> None:
    lines = bibliography(environ, "ris", PAPER).splitlines()

    assert lines[0] == "TY  - JOUR"
    assert [line for line in lines if line.startswith("AU")] == [
        "AU  - Vaswani, Ashish",
        "AU  - Shazeer, Noam",
    ]
    assert [line.lower() for line in lines if line.startswith("DO")] == ["do  - 10.1000/xyz.1"]
    assert f"UR  - {PAPER['url']}" in lines


@requires("format_bibliography.csl")
def test_csl_json_is_an_array_of_works(environ: Environ) -> None:
    rows = {
        row["title"]: row for row in json.loads(bibliography(environ, "csl-json", PAPER, NOTES))
    }

    paper, notes = rows["Attention & memory"], rows["Notes"]
    assert (paper["type"], notes["type"]) == ("article-journal", "webpage")
    assert paper["DOI"].lower() == "10.1000/xyz.1"
    assert paper["issued"]["date-parts"][0][0] == 2017
    assert (paper["container-title"], paper["URL"]) == ("Example Letters", PAPER["url"])
    assert len(paper["author"]) == 2
    assert paper["id"]


@requires("audit_bibliography.precedence")
def test_entries_go_before_a_document_and_a_document_before_a_session(environ: Environ) -> None:
    document = "@misc{a,\n title = {Notes on lanterns}\n}"

    both = body(
        call(
            environ,
            "audit_bibliography",
            entries=[{"title": "Harbour notes"}],
            bibliography=document,
            sessionId="gone",
        )
    )
    second = body(call(environ, "audit_bibliography", bibliography=document, sessionId="gone"))

    assert (both["source"], both["entries"][0]["title"]) == ("entries", "Harbour notes")
    assert second["source"] == "bibliography:bibtex"


@requires("audit_bibliography.bibliography", "audit_bibliography.format")
@pytest.mark.parametrize(
    ("form", "document"),
    [
        ("bibtex", "@misc{a,\n title = {Notes on lanterns}\n}"),
        ("ris", "TY  - ELEC\nTI  - Notes on lanterns\nER  - \n"),
        ("csl-json", '[{"id": "a", "type": "webpage", "title": "Notes on lanterns"}]'),
    ],
)
def test_a_document_is_recognised_by_its_form(form: str, document: str, environ: Environ) -> None:
    told = body(call(environ, "audit_bibliography", bibliography=document))
    named = body(call(environ, "audit_bibliography", bibliography=document, format=form))

    assert told["source"] == named["source"] == f"bibliography:{form}"
    assert told["entries"][0]["title"] == "Notes on lanterns"


@requires("audit_bibliography.entry", "audit_bibliography.summary", "audit_bibliography.entries")
def test_an_audited_entry_says_what_was_found(environ: Environ, internet: Internet) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")
    entry = {"title": "Notes", "url": url, "author": "A. B.", "site": "S", "date": "2020"}

    shown = body(call(environ, "audit_bibliography", entries=[entry]))

    [row] = shown["entries"]
    assert (row["index"], row["title"], row["url"]) == (1, "Notes", url)
    assert (row["exists"], row["linkLive"], row["httpStatus"], row["flags"]) == (True, True, 200, [])  # fmt: skip
    counts = {"total", "retracted", "deadLink", "notFound", "unchecked", "mischaracterized", "ok"}
    assert counts <= set(shown["summary"])


@requires("verify_citation.answer")
def test_a_verdict_says_what_was_asked_and_how_it_was_found_out(environ: Environ) -> None:
    shown = body(call(environ, "verify_citation", citation="10.1000/invented.2031.77"))

    assert shown["input"] == "10.1000/invented.2031.77"
    assert shown["inputType"] == "doi"
    assert shown["provenance"]
    assert shown["trust"] == "untrusted-external-content"


@requires("archive_source.answer", "archive_source.archived")
def test_a_capture_says_when_and_where(environ: Environ, world: World) -> None:
    url = "https://www.example.org/reports/2031"
    world.state["archive_time"] = datetime.now(UTC)  # the world began long before the call

    shown = body(call(environ, "archive_source", url=url))

    assert shown["requestedUrl"] == url
    assert (shown["status"], shown["captured"]) == ("archived", True)
    assert shown["snapshotUrl"].endswith(url)
    assert shown["archivedAt"].endswith("Z")
    assert shown["source"] == "web.archive.org Save Page Now"
    assert shown["provenance"]
