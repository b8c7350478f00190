"""CourtListener over its double in the loopback web."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.errors import (
    UpstreamError,
)
from citewell.core.values.court_case import CitationMatch, LegalCitation
from citewell.net.network import Network
from citewell.providers.courtlistener import citation_batches
from tests.contract.recordings import connect_kit
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.skipped_pauses import SkippedPauses

TOKEN = {"COURTLISTENER_API_TOKEN": "a-token"}


SEARCH, LOOKUP = "/search/", "/citation-lookup/"


def cite(text: str) -> LegalCitation:
    return LegalCitation(kind="us_case", normalized=text)


def page(*names: str, following: str | None = None, **more: Any) -> dict[str, Any]:
    results = [
        {"caseName": name, "absolute_url": f"/opinion/{n}/x/"} for n, name in enumerate(names)
    ]
    return {"count": 50, "next": following, "previous": None, "results": results} | more


class Memory:
    """A provider's facts, with how long each is kept."""

    def __init__(self) -> None:
        self.facts: dict[str, bytes] = {}
        self.days: list[float] = []

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        self.facts[key] = value
        self.days.append(ttl / 86400)


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with Internet() as internet:
        yield internet


def ask_over(
    web: Internet,
    *texts: str,
    memory: Memory | None = None,
    fault: Fault | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
    together: bool = False,
) -> Any:
    """Look citations up at the double of the loopback web; a match or an error for each."""

    async def run() -> list[CitationMatch | UpstreamError]:
        env = web.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        pauses = SkippedPauses()
        network = Network(config.load_settings(env), clock=pauses.clock, sleep=pauses.sleep)
        address = env["CITEWELL_COURTLISTENER_BASE_URL"]
        kit = connect_kit(
            network, "courtlistener", base_url=address, options=options, memory=memory
        )
        provider: Any = providers.load("courtlistener").Provider(kit)
        got: list[CitationMatch | UpstreamError] = []
        try:
            if together:
                return await asyncio.gather(*(provider.look_up_citation(cite(t)) for t in texts))
            for text in texts:
                try:
                    got.append(await provider.look_up_citation(cite(text)))
                except UpstreamError as error:
                    got.append(error)
        finally:
            await network.aclose()
        return got

    web.world.reset()
    if fault is not None:
        web.world.fail("courtlistener", fault, times=ALWAYS)
    return asyncio.run(run())


@pytest.fixture
def sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A citation that is looked up alone does not wait for others to go with it."""
    monkeypatch.setattr(citation_batches, "_GATHER_SECONDS", 0.0)
