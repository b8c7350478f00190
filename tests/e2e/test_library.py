"""The user's own documents beside the web: over the protocol, across owners, and through kill -9."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.state.state_store import StateStore
from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World

Environ = dict[str, str]
ME = Owner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "private papers"
    made.mkdir()
    (made / "notes.md").write_text(
        "# Sleep diary\n\nOn sleep and memory: the zebrafish slept badly, and forgot it all.\n"
    )
    return made


def cli(environ: Environ, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "citewell", *argv],
        env=_env(environ), capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip


def _env(environ: Environ) -> Environ:
    return environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}


def talk(environ: Environ, *steps: tuple[str, dict[str, Any]], path: str = "/mcp") -> list[Any]:
    async def run() -> list[Any]:
        async with connected("http", environ, path=path) as client:
            return [await client.call_tool(name, arguments) for name, arguments in steps]

    return asyncio.run(run())


def called(environ: Environ, *steps: tuple[Owner, str, dict[str, Any]]) -> list[Any]:
    """Calls by several owners to one server."""

    async def run() -> list[Any]:
        app = App(config.load_settings(environ))
        try:
            return [await app.call_tool(name, given, owner=owner) for owner, name, given in steps]
        finally:
            await app.aclose()

    return asyncio.run(run())


def test_the_connector_finds_own_documents_beside_the_web_and_fetches_them_whole(
    environ: Environ, folder: Path
) -> None:
    assert cli(environ, "library", "add", str(folder)).returncode == 0

    (found,) = talk(environ, ("search", {"query": "sleep and memory"}), path="/mcp/connector")
    results = body(found)["results"]
    own = [one for one in results if one["id"].startswith("library:")]
    (fetched,) = talk(environ, ("fetch", {"id": own[0]["id"]}), path="/mcp/connector")

    document = body(fetched)
    assert results[0] == own[0]
    assert len(results) > len(own) == 1
    assert "zebrafish" in document["text"]
    assert (document["id"], document["title"]) == (own[0]["id"], "Sleep diary")
    assert document["url"] == document["id"]
    assert str(folder) not in found.content[0].text + fetched.content[0].text


def test_a_page_in_the_library_and_on_the_web_is_listed_once_and_cited_by_its_address(
    environ: Environ, internet: Internet
) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")
    cli(environ, "library", "add", url)

    (found,) = talk(environ, ("search", {"query": "sleep and memory"}), path="/mcp/connector")

    (listed,) = [one for one in body(found)["results"] if one["url"] == url]
    assert listed["id"].startswith("library:")


def test_the_library_answers_when_the_web_does_not(
    environ: Environ, folder: Path, world: World
) -> None:
    cli(environ, "library", "add", str(folder))
    world.fail("duckduckgo", Fault(status=500), times=ALWAYS)
    alone = environ | {"SEARCH_ROUTING": "duckduckgo"}

    (found,) = talk(alone, ("search", {"query": "zebrafish memory"}), path="/mcp/connector")

    assert [one["title"] for one in body(found)["results"]] == ["Sleep diary"]


def test_a_search_names_the_library_and_reads_what_it_finds(
    environ: Environ, folder: Path, world: World
) -> None:
    cli(environ, "library", "add", str(folder))
    asked = {"query": "zebrafish", "provider": "library", "fetch_content": True}

    (found,) = talk(environ, ("web_search", asked))

    (result,) = body(found)["results"]
    assert "forgot it all" in result["content"]["markdown"]
    assert world.calls.total() == 0
    assert str(folder) not in found.content[0].text


def test_what_is_added_is_found_at_once(environ: Environ, folder: Path) -> None:
    asked = ("web_search", {"query": "zebrafish", "provider": "library"})

    async def run() -> tuple[Any, Any]:
        async with connected("http", environ) as client:
            before = await client.call_tool(*asked)
            await asyncio.to_thread(cli, environ, "library", "add", str(folder))
            return before, await client.call_tool(*asked)

    before, after = asyncio.run(run())

    assert before.is_error
    assert "citewell library add" in before.content[0].text
    assert body(after)["resultCount"] == 1


@pytest.mark.parametrize("routing", [{}, {"SEARCH_ROUTING": "library"}])
def test_owners_of_one_server_never_see_one_anothers_documents(
    environ: Environ, folder: Path, routing: Environ
) -> None:
    stranger = Owner(tenant="other", user="somebody")
    cli(environ, "library", "add", str(folder))
    name = cli(environ, "library", "export").stdout.split('"')[3]
    named = {"provider": "library"} if not routing else {}
    calls = (
        ("web_search", {"query": "zebrafish", **named}),
        ("search_and_scrape", {"query": "zebrafish", **named}),
        ("search", {"query": "zebrafish"}),
        ("scrape_page", {"url": name}),
        ("fetch", {"id": name}),
    )

    outcomes = called(
        environ | routing,
        *((owner, *call) for call in calls for owner in (ME, stranger, ME)),
    )

    texts = [str(outcome.body) + (outcome.text or "") for outcome in outcomes]
    shown = ["Sleep diary" in text for text in texts]
    assert shown == [True, False, True] * len(calls)


def test_pages_are_kept_for_whoever_had_them_read_when_that_is_wished(
    environ: Environ, internet: Internet
) -> None:
    stranger = Owner(tenant="other", user="somebody")
    read = ("scrape_page", {"url": internet.page("sleep.example.org", "sleep-and-memory")})
    asked = ("web_search", {"query": "sleep", "provider": "library"})
    keeping = environ | {"CITEWELL_LIBRARY_KEEP_PAGES": "true"}

    off = called(environ, (ME, *read), (ME, *asked))
    on = called(
        keeping,
        (ME, "scrape_page", read[1] | {"mode": "preview"}),
        (ME, *asked),
        (stranger, *asked),
    )

    assert "holds no documents" in off[1].text
    assert on[1].body["resultCount"] == 1
    assert "holds no documents" in on[2].text


def count(environ: Environ) -> int:
    async def run() -> int:
        state = StateStore(config.load_settings(environ))
        try:
            return await state.library.count_stored_documents(str(ME))
        finally:
            await state.aclose()

    return asyncio.run(run())


def test_a_run_killed_in_the_middle_is_taken_up_where_it_ended(
    environ: Environ, tmp_path: Path
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(1500):
        (many / f"{number:04}.txt").write_text(f"Document number {number}. " + "Some words. " * 200)
    command = [sys.executable, "-m", "citewell", "library", "add", str(many)]
    killed = subprocess.Popen(
        command, env=_env(environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 40
    while (done := count(environ)) == 0:
        assert killed.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.02)
    killed.kill()
    killed.wait(10)
    done = count(environ)

    again = cli(environ, "library", "add", str(many), "--json")

    report = json.loads(again.stdout)
    assert 0 < done < 1500
    assert (report["unchanged"], report["added"]) == (done, 1500 - done)
    assert count(environ) == 1500
