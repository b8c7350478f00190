"""A bench for the SearXNG provider: loopback instances, time that stands still, and a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core import config
from citewell.core.errors import CitewellError
from citewell.core.values.search_queries import SearchHits, SearchQuery
from citewell.net.network import Network
from citewell.providers.searxng import SPEC, Provider
from citewell.providers.searxng.instance_capabilities import PublicPacing
from tests.contract.recordings import connect_kit
from tests.internet.faults import Asked
from tests.internet.serve import Internet
from tests.internet.world import Page, World

NOON = 1_790_000_000.0
WORD = "quokka"

Act = Callable[[Provider], Awaitable[Any]]


class Memory:
    """Outlives a provider, as the store outlives a process."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def recall_fact(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        self.kept[key] = value


@dataclass
class Bench:
    """One provider's surroundings: time that stands still, memory, and the loopback instances."""

    internet: Internet
    now: float = NOON
    memory: Memory = field(default_factory=Memory)
    slept: list[float] = field(default_factory=list)
    draw: Callable[[], float] | None = None  # instead of the longest pause, for a random order
    settings: dict[str, str] = field(default_factory=lambda: {"ALLOW_PRIVATE_IPS": "true"})

    def url(self, name: str = "") -> str:
        return f"{self.internet.url}/searxng/{name}".rstrip("/")

    def own(self, name: str = "", **more: str) -> dict[str, str]:
        return {"SEARXNG_URL": self.url(name)} | more

    def several(self, *names: str) -> dict[str, str]:
        return {"CITEWELL_SEARXNG_INSTANCES": ", ".join(self.url(name) for name in names)}

    def run(self, options: dict[str, str], act: Act) -> Any:
        """A process of its own: nothing but memory is left of the one before."""
        return asyncio.run(self._run(options, act))

    def web(self, options: dict[str, str], text: str = WORD, **query: Any) -> SearchHits:
        return self.run(
            options, lambda provider: provider.search_web(SearchQuery(text=text, **query))
        )

    def asked(self, name: str = "", path: str = "/search") -> list[Asked]:
        root = f"/searxng/{name}".rstrip("/")
        return [
            request
            for request in self.internet.world.requests["searxng"]
            if request.path == root + path
        ]

    async def _run(self, options: dict[str, str], act: Act) -> Any:
        environ = self.settings | {"CITEWELL_CONFIG": "/no/such/file.toml"}
        network = Network(config.load_settings(environ))
        try:
            kit = connect_kit(
                network, SPEC.name, base_url=SPEC.base_url, options=options, memory=self.memory
            )
            manners = PublicPacing(clock=lambda: self.now, sleep=self._sleep, jitter=self._jitter)
            return await act(Provider(kit, manners=manners))
        finally:
            await network.aclose()

    def _jitter(self, low: float, high: float) -> float:
        is_turn = (low, high) == (0.0, 1.0)
        return self.draw() if self.draw and is_turn else high

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def bench(internet: Internet) -> Bench:
    internet.world.add(*(_page(number) for number in range(60)))
    internet.world.add(*(_rare_page(number) for number in range(3)))
    return Bench(internet=internet)


@pytest.fixture
def world(bench: Bench) -> World:
    return bench.internet.world


def _page(number: int) -> Page:
    return Page(
        host="animals.example.org",
        path=f"quokka-{number}",
        title=f"Quokka notes {number}",
        markdown=f"The quokka is a small marsupial; this is note {number}.",
        published=datetime(2026, 3, 14, tzinfo=UTC),
        kind="news" if number % 2 else "article",
    )


def _rare_page(number: int) -> Page:
    return Page(
        host="birds.example.org",
        path=f"nightingale-{number}",
        title=f"Nightingale {number}",
        markdown=f"The nightingale sings at night; this is record {number}.",
        published=datetime(2026, 3, 14, tzinfo=UTC),
        kind="article",
    )


def failure(bench: Bench, options: dict[str, str], **query: Any) -> CitewellError:
    with pytest.raises(CitewellError) as raised:
        bench.web(options, **query)
    return raised.value


def entry(grade: str) -> dict[str, Any]:
    return {
        "network_type": "normal",
        "http": {"status_code": 200, "grade": grade},
        "tls": {"grade": grade},
        "uptime": {"uptimeMonth": 99.0},
        "timing": {"search": {"all": {"median": 0.5}}},
        "version": "2026.8.22+9fea412",
        "error": None,
    }
