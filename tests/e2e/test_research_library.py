"""Research in the user's own files: where each source is opened, what it is, and where a quotation stands."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.server.app import App
from tests.e2e import private_documents as private
from tests.e2e.deep import deep
from tests.e2e.test_library import cli
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
LINK = "https://www.bbc.co.uk/news/harbour-seals"
SAVED = f"""<!doctype html><html lang="en"><head><title>Harbour seals and noise</title>
<link rel="canonical" href="{LINK}?utm_source=feed"><meta name="date" content="2017-01-23"></head><body><article>
<h1>Harbour seals and noise</h1><p>Boats disturb harbour seals on their resting places when they pass closer than 80 metres.
The wardens counted the seals on 140 days in two summers.</p><h2>At night</h2>
<p>At night harbour seals tolerate noise of boats better than by day, the wardens say in their report.</p>
</article></body></html>"""
NOTES = """# Seal notes

## Boats

Boats with electric engines disturb harbour seals less than boats with diesel engines do.
"""


@pytest.fixture
def found(environ: Environ, world: World, tmp_path: Path) -> dict[str, Any]:
    """The results of research in a saved page and a note, with the evidence of every claim."""
    folder = tmp_path / "my papers"
    folder.mkdir()
    (folder / "seals.html").write_text(SAVED)
    (folder / "notes.md").write_text(NOTES)
    assert cli(environ, "library", "add", str(folder)).returncode == 0
    world.reset()

    async def main() -> dict[str, Any]:
        app = App(config.load_settings(deep(environ, SEARCH_ROUTING="library")))
        try:
            told = await private.research(app, "How do boats disturb harbour seals?")
            rows = [
                await private.call(app, "get_claim_evidence", claimId=claim["id"])
                for claim in told["claims"]
            ]
            return told | {"evidence": [row for one in rows for row in one["evidence"]]}
        finally:
            await app.aclose()

    return asyncio.run(main()) | {"folder": str(folder), "requests": world.calls.total()}


@requires("get_claim_evidence.source_type")
def test_a_document_is_opened_at_its_link_or_its_file_and_named_by_its_kind(
    found: dict[str, Any],
) -> None:
    rows = {row["address"]: row for row in found["sourceRegistry"]}

    assert set(rows) == {LINK, f"{found['folder']}/notes.md"}
    assert rows[LINK]["type"] == "news"
    assert rows[f"{found['folder']}/notes.md"]["type"] == "file: markdown"
    assert all(row["isPrivate"] and row["url"].startswith("library:") for row in rows.values())
    assert found["requests"] == 0


def test_the_list_of_sources_says_what_to_open_and_leaves_no_gap(found: dict[str, Any]) -> None:
    listed = found["synthesis"].partition("## Sources")[2]

    assert LINK in listed
    assert f"{found['folder']}/notes.md" in listed
    assert "library:" not in listed
    assert not re.search(r"\(\s*,|,\s*\)|, ,", listed)


def test_evidence_says_under_which_headings_it_stands(found: dict[str, Any]) -> None:
    places = {row.get("place") for row in found["evidence"]}

    assert "Seal notes › Boats" in places
    assert {row["source"]["address"] for row in found["evidence"]} <= {
        LINK,
        f"{found['folder']}/notes.md",
    }


def test_a_command_names_the_scope(environ: Environ, world: World, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(NOTES)
    cli(environ, "library", "add", str(tmp_path / "notes.md"))
    asked = ("research", "How do boats disturb harbour seals?", "--scope")

    done, wrong = cli(environ, *asked, "library"), cli(environ, *asked, "moon")

    assert "electric engines" in done.stdout
    assert world.calls.total() == 0
    assert wrong.returncode == 2
    assert "web, library, both" in wrong.stderr
