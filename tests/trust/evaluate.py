"""Every citation through the real tools, with the registries well and ill, and what was made of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.server.app import App
from tests.internet import papers
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.trust import ground
from tests.trust.item import Item
from tests.trust.verdicts import ACCUSING, labels

AT_ONCE = 12
_NUMBER = re.compile(r"^(?:\d+\.|\[\d+\]) ")
_HTML = {"content-type": "text/html"}
OUTAGES: dict[str, Fault] = {
    "429": Fault(status=429, body="slow down"),
    "429 with a delay": Fault(status=429, body="slow down", headers={"retry-after": "60"}),
    "500": Fault(status=500, body="oops"),
    "a page for data": Fault(status=200, body="<html><body>Please log in</body></html>", headers=_HTML),
    "cut off": Fault(cut=0, status=200, body="x"),
    "an empty body": Fault(status=200, body=""),
    "{} for data": Fault(status=200, body={}),
    "a bare 404 of a proxy": Fault(status=404, body="Not Found", headers=_HTML),
    "a bare 404 under JSON": Fault(status=404, body="Resource not found.", headers={"content-type": "application/json"}),
    "403": Fault(status=403, body="<h1>Access Denied</h1>", headers=_HTML),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    item: Item
    answer: Mapping[str, Any]

    @property
    def said(self) -> frozenset[str]:
        return labels(self.answer)

    @property
    def accused(self) -> frozenset[str]:
        """Charges against the work itself that are not true of it."""
        return (self.said & ACCUSING) - {*self.item.expect, *self.item.may}


async def run(
    items: Iterable[Item], internet: Internet, environ: Mapping[str, str] = {}
) -> list[Tried]:
    """Every item by itself, a few at a time, in their order; works are withheld in a second round."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def verify(chosen: Item) -> Tried:
        async with gate:
            return Tried(item=chosen, answer=await _asked(app, chosen, internet))

    chosen = list(items)
    withheld = {item.doi for item in chosen if item.withheld}
    tried: dict[str, Tried] = {}
    for part in (False, True):
        those = [item for item in chosen if item.withheld is part]
        with ground.withholding(internet.world, withheld if part else ()):
            async with ground.serving(internet, environ) as app:
                done = await asyncio.gather(*map(verify, those))
                tried |= {each.item.id: each for each in done}
    return [tried[item.id] for item in chosen]


async def listed(items: Sequence[Item], internet: Internet) -> list[Tried]:
    """References in words as one numbered list, audited; an entry that got lost is missing."""
    chosen = {str(n): item for n, item in enumerate(items, 1) if not (item.format or item.claim)}
    lines = [
        f"[{number}] {_NUMBER.sub('', ' '.join(ground.addressed(chosen_item.citation, internet).split()))}"
        for number, chosen_item in chosen.items()
    ]
    async with ground.serving(internet) as app:
        document = {"bibliography": "\n\n".join(lines), "format": "prose"}
        body = _body(await app.call_tool("audit_bibliography", document))
    entries = {entry["key"]: entry for entry in body["entries"] if "key" in entry}
    return [
        Tried(item=chosen_item, answer=entries[n])
        for n, chosen_item in chosen.items()
        if n in entries
    ]


async def partial_outage(
    items: Sequence[Item], internet: Internet, faults: Mapping[str, Fault]
) -> list[Tried]:
    """While some registries misbehave, each in its own way, and the others are well."""
    for name, fault in faults.items():
        internet.world.fail(name, fault, times=ALWAYS)
    try:
        return await run(items, internet, {"CITEWELL_SEARCH_TIMEOUT": "2"})
    finally:
        internet.world.reset()
        ground.prepare(internet.world)


async def emptied(items: Sequence[Item], internet: Internet) -> list[Tried]:
    """While every registry answers properly that it has nothing at all."""
    everything = [work.key for work in papers.of(internet.world).works]
    with ground.withholding(internet.world, everything):
        return await run([item for item in items if not item.withheld], internet)


async def outage(
    items: Sequence[Item], internet: Internet, fault: Fault, *, spared: str = ""
) -> list[Tried]:
    """While every registry misbehaves in one way, but for one that may be spared."""
    for name in ground.REGISTRIES:
        if name != spared:
            internet.world.fail(name, fault, times=ALWAYS)
    try:
        return await run(items, internet, {"CITEWELL_SEARCH_TIMEOUT": "2"})
    finally:
        internet.world.reset()
        ground.prepare(internet.world)


async def burst(items: Sequence[Item], internet: Internet, *, every: int) -> list[Tried]:
    """Registries that refuse now and then, never for long."""
    for name in ground.REGISTRIES:
        for _ in range(60):
            internet.world.fail(name, Fault(status=429, body="slow down"), times=1)
            internet.world.fail(name, Fault(), times=every - 1)
    try:
        return await run(items, internet, {"CITEWELL_SEARCH_TIMEOUT": "2"})
    finally:
        internet.world.reset()
        ground.prepare(internet.world)


def unclaimed(items: Iterable[Item]) -> list[Item]:
    """Genuine works only: what a page says is no registry's business."""
    return [item for item in items if item.sound and item.kind.startswith("genuine")]


async def _asked(app: App, chosen: Item, internet: Internet) -> Mapping[str, Any]:
    if chosen.provider:
        return await _searched(app, chosen)
    text = ground.addressed(chosen.citation, internet)
    if chosen.format:
        found = _body(
            await app.call_tool(
                "audit_bibliography", {"bibliography": text, "format": chosen.format}
            )
        )
        entries = found["entries"]
        return dict(entries[0]) if len(entries) == 1 else {"existence": "lost", "malformed": found}
    claim = {"claim": chosen.claim} if chosen.claim else {}
    return _body(await app.call_tool("verify_citation", {"citation": text, **claim}))


async def _searched(app: App, chosen: Item) -> Mapping[str, Any]:
    """The paper of a search that is the work meant."""
    asked = {"query": chosen.citation, "provider": chosen.provider, "num_results": 10}
    found = _body(await app.call_tool("academic_search", asked))
    those = [paper for paper in found["papers"] if (paper.get("doi") or "").lower() == chosen.doi]
    return {"existence": "found" if those else "lost", "flags": [], **(those[0] if those else {})}


def _body(outcome: Any) -> dict[str, Any]:
    if outcome.is_error:
        raise AssertionError(outcome.text)
    body: dict[str, Any] = outcome.body
    return body
