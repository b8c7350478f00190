"""An assistant archives a source, audits a list, and reads a paper that was retracted, over a real server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import retractions
from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
URL = "https://www.example.org/reports/2024"


def call(environ: Environ, tool: str, arguments: dict[str, Any], transport: str = "memory") -> Any:
    async def talk() -> Any:
        async with connected(transport, environ | {"CITEWELL_TOOLSETS": "all"}) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(talk())


@requires("archive_source.answer")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_source_is_archived(transport: str, environ: Environ, world: World) -> None:
    shown = body(call(environ, "archive_source", {"url": URL}, transport))

    stamp = world.now.strftime("%Y%m%d%H%M%S")
    assert shown["snapshotUrl"].endswith(f"/archive/web/{stamp}/{URL}")
    assert shown["requestedUrl"] == URL
    assert shown["trust"] == "untrusted-external-content"
    assert shown["status"] in {"archived", "existing"}


@requires("archive_source.unavailable")
def test_a_refused_capture_is_an_answer_and_no_error(environ: Environ, world: World) -> None:
    world.state["saving"] = "refuse"

    shown = body(call(environ, "archive_source", {"url": URL}))

    assert (shown["status"], shown["captured"], shown["httpStatus"]) == ("unavailable", False, 403)
    assert "snapshotUrl" not in shown


@requires("archive_source.url")
@pytest.mark.parametrize("url", ["http://127.0.0.1/x", "http://localhost/", "file:///etc/passwd"])
def test_a_private_address_is_not_archived(environ: Environ, world: World, url: str) -> None:
    result = call(environ, "archive_source", {"url": url})

    block = json.loads(result.content[0].text.rpartition("\n\n")[2])["error"]
    assert (result.is_error, block["kind"]) == (True, "validation")
    assert world.calls["archive"] == 0


@requires("archive_source.annotations")
def test_archiving_is_a_tool_that_writes(environ: Environ) -> None:
    async def listed() -> dict[str, Any]:
        async with connected("memory", environ | {"CITEWELL_TOOLSETS": "trust"}) as client:
            return {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    tools = asyncio.run(listed())

    marks = tools["archive_source"]
    assert (marks.read_only_hint, marks.destructive_hint, marks.idempotent_hint) == (
        False,
        False,
        True,
    )
    assert marks.open_world_hint is False
    assert tools["verify_recommendation"].read_only_hint is True


@requires(
    "verify_recommendation.answer",
    "verify_recommendation.link",
    "verify_recommendation.conflict_of_interest",
    "verify_recommendation.flags",
)
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_list_is_audited(transport: str, environ: Environ, internet: Internet) -> None:
    live = internet.page("batteries.example.org", "sodium-ion")
    items = [
        {"title": "Acme Desk", "url": live, "authorBio": "Engineer at Acme"},
        {"title": "Zen Board", "url": internet.page("batteries.example.org", "no-such-page")},
    ]

    shown = body(call(environ, "verify_recommendation", {"recommendations": items}, transport))

    first, second = shown["recommendations"]
    assert (shown["itemCount"], "aggregateFlags" in shown) == (2, False)
    assert (first["linkLive"], first["httpStatus"]) == (True, 200)
    assert first["conflictOfInterest"]["entity"] == "Acme"
    assert (second["linkLive"], second["httpStatus"]) == (False, 404)
    assert "dead_link" in second["flags"]


@requires("verify_recommendation.corroboration")
def test_a_claim_brings_corroborating_searches(environ: Environ) -> None:
    arguments = {"recommendations": [{"title": "sodium-ion batteries"}], "claim": "are cheaper"}

    shown = body(call(environ, "verify_recommendation", arguments))

    assert shown["aggregateFlags"] in (
        ["no_independent_corroboration"],
        ["corroboration_unavailable"],
        [],
    )
    for search in shown["recommendations"][0].get("corroborationSearches", []):
        assert search["lens"] in {"news", "tech"}
        counts = (search["agreeCount"], search["disagreeCount"], search["silentCount"])
        assert sum(counts) == search["resultCount"]


@requires("verify_recommendation.recommendations")
@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"title": "x"}] * 101,
        [{"url": "https://example.org"}],
        [{"title": "x", "rank": 1}],
        [{"title": "x" * 3000}],
    ],
)
def test_a_list_that_cannot_be_audited_is_refused(environ: Environ, items: list[Any]) -> None:
    assert call(environ, "verify_recommendation", {"recommendations": items}).is_error


@requires("scrape_page.retraction_status", "scrape_page.detected_doi")
def test_a_page_says_that_its_paper_was_retracted_without_a_network(
    environ: Environ, internet: Internet, world: World, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(retractions.sample())
    subprocess.run(
        [sys.executable, "-m", "citewell", "data", "update", str(table)],
        env=environ, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    for name in ("crossref", "openalex", "europepmc", "pubmed"):
        world.fail(name, Fault(status=503, body="down"), times=ALWAYS)
    head = f'<meta name="citation_doi" content="{retractions.RETRACTED}"><meta name="citation_title" content="T">'
    text = "A paper about something, with a fair number of words in it. " * 40
    html = f"<html><head><title>T</title>{head}</head><body><article><p>{text}</p></article></body></html>"
    world.fail("/site/journal.example.org/1", Fault(status=200, body=html), times=ALWAYS)

    shown = body(call(environ, "scrape_page", {"url": internet.page("journal.example.org", "1")}))

    assert shown["detectedDoi"] == retractions.RETRACTED
    assert shown["retractionStatus"]["retracted"] is True
    assert shown["retractionStatus"]["source"] == "offline table of 2024-01-15"
    assert shown["retractionStatus"]["asOf"] == "2024-01-15"


@requires("scrape_page.mentioned_dois", "scrape_page.detected_doi_own")
def test_a_news_page_about_a_retracted_paper_is_cited_as_itself_everywhere(
    environ: Environ, internet: Internet, world: World
) -> None:
    text = "<p>Editors told us how they handle doubts about data, and what readers can do.</p>" * 20
    html = (
        "<html><head><title>How journals correct the record</title>"
        '<meta name="author" content="Grace Hopper"></head><body><article>'
        "<h1>How journals correct the record</h1><p>One was withdrawn: "
        '<a href="https://doi.org/10.1056/NEJMoa2007621">10.1056/NEJMoa2007621</a>.</p>'
        f"{text}</article></body></html>"
    )
    world.fail("/site/www.nejm.org/news", Fault(status=200, body=html), times=ALWAYS)
    url = internet.page("www.nejm.org", "news")
    step = {"searchStep": "s", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "g"}

    async def talk() -> list[dict[str, Any]]:
        async with connected("memory", environ | {"CITEWELL_TOOLSETS": "all"}) as client:
            begun = body(await client.call_tool("sequential_search", step))
            linked = {"sessionId": begun["sessionId"]}
            shown = body(await client.call_tool("scrape_page", {"url": url} | linked))
            listed = body(await client.call_tool("format_bibliography", {"style": "apa"} | linked))
            audited = body(await client.call_tool("audit_bibliography", linked))
            return [shown, listed, audited]

    shown, listed, audited = asyncio.run(talk())

    assert "detectedDoi" not in shown
    assert "retractionStatus" not in shown
    assert [(one["doi"], one["status"]) for one in shown["mentionedDois"]] == [
        ("10.1056/nejmoa2007621", "retracted")
    ]
    assert "This page mentions a retracted paper: 10.1056/nejmoa2007621." in shown["notes"]
    assert "nejmoa2007621" not in shown["citation"]["formatted"]["bibtex"].lower()
    assert url in listed["bibliography"]
    assert "doi.org" not in listed["bibliography"]
    assert audited["summary"]["retracted"] == 0
