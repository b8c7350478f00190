"""A library with a marked document, and everything that left the machine while research ran."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.library.library_documents import build_address_id, build_file_id
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.app import App
from tests.e2e.deep import PATIENCE, QUESTION
from tests.internet.world import World

MARKER = "quixotrand"  # in no page of the loopback web
PATH = f"/srv/papers/{MARKER}-ageing.md"
LINK = f"https://intranet.example.org/{MARKER}/ageing"
REMOTE_HOST = "models.example.org"  # a name that tests resolve to the loopback web
TEXT = (
    f"# {MARKER.capitalize()} memo on lithium-ion grid batteries\n\n"
    f"Lithium-ion grid batteries age fastest at the {MARKER} depot, where cells reach 48 degrees.\n"
    f"At {MARKER} the lithium-ion grid batteries age by lithium plating in winter.\n\n"
    f"## {MARKER.capitalize()} evidence\n\n"
    f"A study of {MARKER} cells shows that grid batteries age with charge cycles and heat.\n"
)


def marked_documents() -> list[LibraryDocument]:
    """A file and a saved page, both marked in title, address and text."""
    title = f"{MARKER.capitalize()}: how grid batteries age"
    file = DocumentCard(
        id=build_file_id(Path(PATH)), title=title, kind="markdown", extra={"path": PATH}
    )
    page = DocumentCard(
        id=build_address_id(LINK), title=title, url=LINK, site="intranet.example.org", kind="html"
    )
    other = TEXT.replace("48 degrees", "51 degrees").replace("winter", "spring")
    return [LibraryDocument(card=file, text=TEXT), LibraryDocument(card=page, text=other)]


@contextlib.asynccontextmanager
async def library_app(environ: dict[str, str]) -> AsyncIterator[App]:
    """A server whose only owner has the marked documents."""
    app = App(config.load_settings(environ))
    try:
        await app.open_state().library.store_documents(str(Owner()), marked_documents())
        yield app
    finally:
        await app.aclose()


async def call(app: App, tool: str, **arguments: Any) -> dict[str, Any]:
    outcome = await app.call_tool(tool, arguments, owner=Owner())
    assert not outcome.is_error, outcome.text
    assert isinstance(outcome.body, dict)
    return outcome.body


async def refused(app: App, tool: str, **arguments: Any) -> str:
    """The text of a refused call."""
    outcome = await app.call_tool(tool, arguments, owner=Owner())
    assert outcome.is_error, outcome.body
    return str(outcome.text)


async def finish(app: App, job: str) -> dict[str, Any]:
    """The results of a job once it has ended; empty if it failed."""
    for _ in range(PATIENCE):
        told = await call(app, "research_status", jobId=job, wait_seconds=10)
        if told["status"] == "completed":
            return await call(app, "get_results", jobId=job, includeClaimsJson=True)
        if told["status"] == "failed":
            return {"jobId": job, "error": told["error"]}
    raise AssertionError(told)


async def research(app: App, query: str = QUESTION, **arguments: Any) -> dict[str, Any]:
    begun = await call(app, "research", query=query, **arguments)
    return await finish(app, begun["jobId"])


async def follow_up(app: App, job: str, **arguments: Any) -> dict[str, Any]:
    begun = await call(app, "follow_up", jobId=job, **arguments)
    return await finish(app, begun["jobId"])


def outgoing(world: World, *, beside: Iterable[str] = ()) -> dict[str, list[str]]:
    """Every request that left, by whom it reached, as readable text; without those named."""
    return {
        name: [
            unquote_plus(
                f"{one.path}?{one.query_string} {one.headers} "
                + one.body.decode("utf-8", "replace").encode().decode("unicode_escape", "replace")
            ).lower()
            for one in asked
        ]
        for name, asked in world.requests.items()
        if name not in beside
    }


def leaks(world: World, *, beside: Iterable[str] = ()) -> dict[str, str]:
    """The first request of each receiver that carries the marker."""
    sent = outgoing(world, beside=beside)
    return {
        name: found[0][:400]
        for name, texts in sent.items()
        if (found := [text for text in texts if MARKER in text])
    }


def resolve_remote_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the name of the remote model server lead to the loopback web."""
    known = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **more: Any) -> Any:
        return known("127.0.0.1" if host == REMOTE_HOST else host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
