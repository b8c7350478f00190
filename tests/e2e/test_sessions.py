"""A research session over a real client: begun, continued, linked, recovered and exported."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.serve import Internet
from tests.internet.world import Page, World
from tests.requirements import requires

Environ = dict[str, str]
STEP = {
    "searchStep": "find out why cells age",
    "stepNumber": 1,
    "nextStepNeeded": True,
    "researchGoal": "ageing",
}


def talk(environ: Environ, *calls: Any, transport: str = "memory") -> list[Any]:
    """Call tools in turn; a callable gets the results so far and gives the next call."""

    async def run() -> list[Any]:
        results: list[Any] = []
        wide = environ | {"CITEWELL_TOOLSETS": "all"}
        async with connected(transport, wide) as client:
            for call in calls:
                name, arguments = call(results) if callable(call) else call
                results.append(await client.call_tool(name, arguments))
        return results

    return asyncio.run(run())


def session(results: list[Any]) -> str:
    return str(body(results[0])["sessionId"])


@requires("web_search.session_id", "session.restart", "session.linked")
def test_what_other_tools_find_is_linked_and_survives_a_restart(environ: Environ) -> None:
    begun = talk(
        environ,
        ("sequential_search", STEP),
        lambda so_far: ("web_search", {"query": "battery ageing", "sessionId": session(so_far)}),
    )

    (recovered,) = talk(environ, ("get_research_session", {"sessionId": session(begun)}))

    shown = body(recovered)
    assert shown["researchGoal"] == "ageing"
    assert [source["url"] for source in shown["sources"]] == body(begun[1])["urls"]
    assert shown["providerStats"]["searxng"]["successes"] == 1
    assert begun[1].meta["session"] == {"linked": True}


@requires(
    "sequential_search.thorough",
    "sequential_search.refinement_results",
    "get_research_session.found_in_step",
)
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_thorough_work_searches_for_what_is_missing(transport: str, environ: Environ) -> None:
    (result,) = talk(
        environ,
        ("sequential_search", STEP | {"depth": "thorough", "knowledgeGap": "battery degradation"}),
        transport=transport,
    )

    shown = body(result)
    assert shown["coverage"]["gaps"] == ["no sources recorded yet"]
    assert shown["refinementQueries"][0] == "ageing battery degradation"
    assert shown["refinementResults"][0]["resultCount"] > 0
    assert shown["sources"][0]["foundInStep"] == 1


@requires(
    "sequential_search.session_id",
    "sequential_search.step_number",
    "sequential_search.revision",
    "sequential_search.confidence",
    "defect.step_number",
)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (STEP | {"stepNumber": 2}, "no sessionId was given"),
        (STEP | {"stepNumber": -1}, "stepNumber"),
        (STEP | {"stepNumber": 0}, "stepNumber"),
        (STEP | {"isRevision": True}, "revisesStep"),
        (STEP | {"confidence": "total"}, "confidence"),
        (STEP | {"sessionId": "lost", "stepNumber": 2}, "Session not found or expired"),
    ],
)
def test_a_step_that_cannot_be_recorded_says_why(
    arguments: dict[str, Any], words: str, environ: Environ
) -> None:
    (result,) = talk(environ, ("sequential_search", arguments))

    assert result.is_error
    assert words in result.content[0].text


@requires("research_export.format")
@pytest.mark.parametrize("form", ["markdown", "json", "html", "bibtex"])
def test_a_session_is_exported_in_every_format(
    form: str, environ: Environ, internet: Internet
) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")
    results = talk(
        environ,
        ("sequential_search", STEP),
        lambda so_far: ("scrape_page", {"url": url, "sessionId": session(so_far)}),
        lambda so_far: ("research_export", {"sessionId": session(so_far), "format": form}),
    )

    shown = body(results[2])
    document = shown["document"]
    assert (shown["stepCount"], shown["tenantId"]) == (1, "default")
    assert "find out why cells age" in json.dumps(document) or form == "bibtex"
    assert body(results[1])["url"] in json.dumps(document)


@requires("format_bibliography.session_id", "format_bibliography.stage", "session.stage")
def test_a_bibliography_is_made_of_the_sources_that_were_read(environ: Environ) -> None:
    def in_session(name: str, **arguments: Any) -> Any:
        return lambda so_far: (name, arguments | {"sessionId": session(so_far)})

    def read_first(so_far: list[Any]) -> Any:
        return "scrape_page", {"url": body(so_far[1])["urls"][0], "sessionId": session(so_far)}

    _, listing, unread, page, default, everything, recovered = talk(
        environ,
        ("sequential_search", STEP),
        in_session("web_search", query="battery ageing"),
        in_session("format_bibliography", style="ris"),
        read_first,
        in_session("format_bibliography", style="ris"),
        in_session("format_bibliography", style="ris", stage="listed"),
        in_session("get_research_session"),
    )

    assert body(unread)["entryCount"] == 0
    assert body(unread)["note"].startswith("No source of this session was read yet; 5 are only")
    assert body(default)["entryCount"] == 1
    assert "4 of 5 sources" in body(default)["note"]
    assert body(everything)["entryCount"] == body(listing)["resultCount"] == 5
    assert "note" not in body(everything)
    stages = [source["stage"] for source in body(recovered)["sources"]]
    assert stages == ["cited", *["listed"] * 4]
    assert body(recovered)["sources"][0]["url"] == body(page)["url"]


WALRUS = Page(
    host="shore.example.net",
    path="walrus-naps",
    title="How the walrus naps",
    markdown="# How the walrus naps\n\n"
    + "A walrus naps at sea with its throat full of air. " * 60,
    site="Shore Notes",
    author="Ada Example",
    published=datetime(2024, 3, 1, tzinfo=UTC),
)
READERS: dict[str, Any] = {
    "scrape_page": lambda url: {"url": url},
    "web_search": lambda url: {"query": "walrus naps", "fetch_content": True},
    "search_and_scrape": lambda url: {"query": "walrus naps", "include_sources": False},
}


@requires("session.best_facts", "session.cached_sources", "session.reported_sources")
@pytest.mark.parametrize("reader", sorted(READERS))
def test_reading_a_listed_page_upgrades_its_record(
    reader: str, environ: Environ, internet: Internet, world: World
) -> None:
    world.add(WALRUS)
    url = internet.page(WALRUS.host, WALRUS.path)
    search = ("web_search", {"query": "walrus naps"})

    def in_session(call: Any, place: int = 0) -> Any:
        return lambda so_far: (call[0], call[1] | {"sessionId": body(so_far[place])["sessionId"]})

    read = (reader, READERS[reader](url))
    results = talk(
        environ,
        ("sequential_search", STEP),
        in_session(search),
        in_session(("get_research_session", {})),
        in_session(read),
        in_session(("get_research_session", {})),
        ("sequential_search", STEP),
        in_session(read, 5),  # from the cache, for another session
        in_session(("get_research_session", {}), 5),
    )

    def find_source(place: int) -> dict[str, Any]:
        rows = {row["url"]: row for row in body(results[place])["sources"]}
        return dict(rows[url])

    before, after, cached = find_source(2), find_source(4), find_source(7)
    assert (before["stage"], before.get("author")) == ("listed", None)
    facts = {
        "stage": "read",
        "title": "How the walrus naps",
        "author": "Ada Example",
        "site": "Shore Notes",
        "date": "2024-03-01T00:00:00+00:00",
    }
    assert {name: after[name] for name in facts} == facts
    assert {name: cached[name] for name in facts} == facts


@requires("session.lost_in_body")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_an_answer_says_that_its_session_is_lost(transport: str, environ: Environ) -> None:
    search = ("web_search", {"query": "battery ageing", "sessionId": "lost"})

    fresh, cached = talk(environ, search, search, transport=transport)

    for result in (fresh, cached):
        assert "unknown or has expired" in body(result)["sessionWarning"]
        assert body(result)["resultCount"] == 5
        assert "unknown or has expired" in result.content[0].text
        assert result.meta["session"]["linked"] is False


def test_the_command_line_lists_shows_and_exports(environ: Environ) -> None:
    begun = talk(environ, ("sequential_search", STEP))

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "citewell", "sessions", *words],
            env=environ, capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
        return done.stdout

    assert session(begun) in run("list")
    assert "find out why cells age" in run("show", session(begun))
    assert json.loads(run("export", session(begun), "--format", "json"))["sessionId"] == session(
        begun
    )
