"""The loopback internet that the evaluation's texts cite: registries, pages, moved and vanished addresses."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from benchmarks.draft_check.draft_sources import (
    StatedSource,
    build_work,
    convert_work,
    load_sources,
)
from benchmarks.draft_check.draft_works import list_works
from citewell.net.network import Network
from citewell.net.upstream.upstream_client import Upstream
from tests.internet import papers
from tests.internet.faults import ALWAYS, Fault
from tests.internet.papers import Register
from tests.internet.serve import Internet
from tests.internet.world import Page, World, corpus

# Domains that have no address any more.
LOST_HOST = "www.healthfacts-archive.org"
LOST_HOSTS = frozenset({LOST_HOST, "www.open-evidence-files.net", "www.citizenscience-wiki.org"})
_ADDRESS_PATTERN = re.compile(r"https?://([\w.-]+)(?=[/\s)\]>\"'.,;]|$)")
_PERMANENT_REDIRECT = 301
_GONE_STATUS = 410


class UnpacedNetwork(Network):
    """Asks the loopback registries as fast as they answer."""

    def open_upstream(self, name: str, **options: Any) -> Upstream:
        return super().open_upstream(name, **options | {"per_second": None, "burst": 1000})


def build_old_address(source: StatedSource) -> str:
    """Where the page was before it moved."""
    host, path = source.place
    return f"https://{host}/old/{_name_page(path)}"


def build_dead_address(source: StatedSource) -> str:
    """An address at which there is nothing: missing, gone, or on a domain that is lost."""
    host, path = source.place
    name = _name_page(path)
    if len(name) % 5 == 0:
        return f"https://{LOST_HOST}/{name}"
    return f"https://{host}/{'withdrawn' if len(name) % 2 else 'archive/2016'}/{name}"


@contextlib.contextmanager
def open_draft_internet() -> Iterator[Internet]:
    with Internet(World(named=True)) as internet:
        _fill_world(internet.world)
        yield internet


def localize_text(text: str, internet: Internet) -> str:
    """The text with the addresses that pages have on this loopback internet."""
    hosts = {*internet.world.hosts(), *LOST_HOSTS}

    def replace_host(found: re.Match[str]) -> str:
        host = found[1]
        return f"http://{host}:{internet.port}" if host in hosts else found[0]

    return _ADDRESS_PATTERN.sub(replace_host, text)


async def resolve_draft_host(host: str) -> Sequence[str]:
    """Everything is on loopback, but for the lost domains."""
    if host in LOST_HOSTS:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return ["127.0.0.1"]


def _fill_world(world: World) -> None:
    stated = {source.doi.lower(): build_work(source) for source in load_sources() if source.doi}
    others = (convert_work(work) for work in list_works() if work.key not in stated)
    world.state["papers"] = Register((*stated.values(), *others))
    known = {(page.host, page.path) for page in corpus()}
    for source in load_sources():
        if source.doi:
            work = stated[source.doi.lower()]
            world.add(
                Page(
                    host=papers.HOST,
                    path=f"full/{work.slug}",
                    title=source.title,
                    markdown=f"## Abstract\n\n{source.text}",
                )
            )
            continue
        host, path = source.place
        if (host, path) not in known:
            world.add(
                Page(
                    host=host,
                    path=path,
                    title=source.title,
                    markdown=source.text,
                    language=source.language,
                )
            )
        _lose_addresses(world, source)


def _lose_addresses(world: World, source: StatedSource) -> None:
    host, path = source.place
    moved = urlsplit(build_old_address(source)).path
    world.fail(
        f"/site/{host}{moved}",
        Fault(
            status=_PERMANENT_REDIRECT,
            body="Moved",
            headers={"location": world.address(host, path)},
        ),
        times=ALWAYS,
    )
    dead = urlsplit(build_dead_address(source))
    if dead.path.startswith("/withdrawn/"):
        world.fail(
            f"/site/{host}{dead.path}",
            Fault(status=_GONE_STATUS, body="<h1>Gone</h1>"),
            times=ALWAYS,
        )


def _name_page(path: str) -> str:
    return path.strip("/").rpartition("/")[2].removesuffix(".html")
