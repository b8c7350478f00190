"""The loopback web that the evaluation runs against, and servers of ours that look at it."""

from __future__ import annotations

import contextlib
import re
import socket
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from citewell.core import config
from citewell.net.network import Network
from citewell.net.upstream.upstream_client import Upstream
from citewell.server.app import App
from tests.internet import papers
from tests.internet.serve import Internet
from tests.internet.world import Page, World, corpus
from tests.trust import existence, places, shelf

REGISTRIES = ("crossref", "openalex", "datacite", "doi", "pubmed", "europepmc", "semanticscholar", "arxiv", "unpaywall", "core", "exa")  # fmt: skip
_PLACE = re.compile(r"\{(site|odd):([^{}]*)\}")


class Ground(World):
    """Knows every work of the evaluation, and a host on which no page is missing by its status."""

    def page(self, host: str, path: str) -> Page | None:
        found = super().page(host, path)
        if found is None and host == places.GONE:
            return self._softly.get(path.partition("/")[0])
        return found

    @property
    def _softly(self) -> Mapping[str, Page]:
        return {
            name: Page(
                host=places.GONE,
                path=name,
                title=page["title"],
                markdown=page["text"],
                language=page.get("language", "en"),
            )
            for side in places.soft_pages().values()
            for name, page in side.items()
        }


class Unpaced(Network):
    """Asks the doubles as fast as it can: their patience is endless, and the evaluation's is not."""

    def open_upstream(self, name: str, **options: Any) -> Upstream:
        return super().open_upstream(name, **options | {"per_second": None, "burst": 1000})


@contextlib.contextmanager
def standing() -> Iterator[Internet]:
    with Internet(Ground()) as internet:
        prepare(internet.world)
        yield internet


def prepare(world: World) -> None:
    """After every reset."""
    papers.add(world, *shelf.further(), *existence.ENDINGS)
    for side in shelf.PARTS:
        for name, source in places.sources(side).items():
            world.add(_source(name, source))


@contextlib.contextmanager
def withholding(world: World, dois: Iterable[str]) -> Iterator[None]:
    """Without these works in any registry."""
    before, gone = papers.of(world), set(dois)
    kept = (work for work in before.works if work.key not in gone)
    world.state["papers"] = papers.Register(kept)
    try:
        yield
    finally:
        world.state["papers"] = before


@contextlib.asynccontextmanager
async def serving(internet: Internet, environ: Mapping[str, str] = {}) -> AsyncIterator[App]:
    """A server with a memory of its own, which knows nothing of the real web."""
    with tempfile.TemporaryDirectory() as folder:
        home = {
            "HOME": folder,
            "CITEWELL_DATA_DIR": folder,
            "CITEWELL_CONFIG": f"{folder}/none.toml",
        }
        still = {"CITEWELL_STEALTH": "false", "CHROME_PATH": "disabled", "AUDIT_ENABLED": "false"}
        quick = {
            "CIRCUIT_RESET_TIMEOUT_SECONDS": "0.3"
        }  # a registry that refuses is asked again soon
        wide = {"CITEWELL_PROFILE": "all", "CITEWELL_ANSWER_LIMIT": "10000000"}
        settings = config.load_settings(
            internet.env() | home | still | wide | quick | dict(environ)
        )
        app = App(settings, network=Unpaced(settings))
        try:
            yield app
        finally:
            await app.aclose()


def addressed(text: str, internet: Internet) -> str:
    """With the addresses that this run of the web has."""

    def found(match: re.Match[str]) -> str:
        if match[1] == "odd":
            return internet.odd(match[2])
        host, _, path = match[2].partition("/")
        return internet.page(host, path)

    return _PLACE.sub(found, text)


def refusing() -> dict[str, str]:
    """Settings with which every registry is a port where nobody listens."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    env = {f"CITEWELL_{name.upper()}_BASE_URL": f"http://127.0.0.1:{port}" for name in REGISTRIES}
    return env | {"CITEWELL_ALLOW_PRIVATE_HOSTS": f"127.0.0.1:{port}"}


def _source(name: str, source: Mapping[str, Any]) -> Page:
    """A page long enough to say what it leaves out."""
    known = {f"{page.host}/{page.path}": page for page in corpus()}
    parts = [known[path] for path in source.get("pages", ())]
    text = "\n\n".join(f"## {part.title}\n\n{part.markdown}" for part in parts) or source["text"]
    title = source.get("title") or f"All about {name}"
    return Page(
        host=places.SOURCES,
        path=places.slug(name),
        title=title,
        markdown=text,
        language=source.get("language", "en"),
    )
