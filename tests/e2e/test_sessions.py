"""A research session over a real client: begun, continued, linked, recovered and exported."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.e2e.clients import body, connected
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
    assert shown["refinementQueries"][0] == "battery degradation ageing"
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
def test_a_session_is_exported_in_every_format(form: str, environ: Environ) -> None:
    results = talk(
        environ,
        ("sequential_search", STEP),
        lambda so_far: ("web_search", {"query": "battery ageing", "sessionId": session(so_far)}),
        lambda so_far: ("research_export", {"sessionId": session(so_far), "format": form}),
    )

    shown = body(results[2])
    document = shown["document"]
    assert (shown["stepCount"], shown["tenantId"]) == (1, "default")
    assert "find out why cells age" in json.dumps(document) or form == "bibtex"
    assert body(results[1])["urls"][0] in json.dumps(document)


@requires("format_bibliography.session_id")
def test_a_bibliography_is_made_of_a_sessions_sources(environ: Environ) -> None:
    results = talk(
        environ,
        ("sequential_search", STEP),
        lambda so_far: ("web_search", {"query": "battery ageing", "sessionId": session(so_far)}),
        lambda so_far: ("format_bibliography", {"sessionId": session(so_far), "style": "ris"}),
    )

    assert body(results[2])["entryCount"] == body(results[1])["resultCount"]
    assert body(results[2])["bibliography"].startswith("TY  - ELEC")


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
