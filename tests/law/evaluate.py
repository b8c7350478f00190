"""Every citation of the evaluation through the real tools, with the registry well and ill."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.server.app import App
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.law.items import LawItem
from tests.law.registry import hold_cases, list_registered
from tests.trust.evaluate import OUTAGES
from tests.trust.ground import serving

AT_ONCE = 8
FAILING = frozenset({"wrong_case", "wrong_details", "misplaced", "no_such_case", "impossible"})
DOUBTING = FAILING | {"not_in_registry"}
TOKEN = {"COURTLISTENER_API_TOKEN": "token-of-the-evaluation"}

# The registry's own: it answers well and finds nothing, as an index does that is being rebuilt.
_NO_RESULTS: dict[str, Any] = {"count": 0, "next": None, "previous": None, "results": []}
LAW_OUTAGES = OUTAGES | {"no results for anything": Fault(status=200, body=_NO_RESULTS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedItem:
    item: LawItem
    answer: Mapping[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.answer.get("verdict") or "none")

    @property
    def is_accused(self) -> bool:
        """By the verdict, or by any other field that says the citation is wrong."""
        fields = ("titleMatch", "yearMatch", "courtMatch")
        return (
            self.verdict in FAILING
            or self.answer.get("existence") == "not_registered"
            or self.answer.get("exists") is False
            or "mismatch" in [self.answer.get(field) for field in fields]
        )

    @property
    def is_caught(self) -> bool:
        """An invented or altered citation was told; where coverage is weak, doubt is enough."""
        return self.verdict in (DOUBTING if self.item.is_weak else FAILING)


@contextlib.contextmanager
def stand_registry() -> Iterator[Internet]:
    with hold_cases(list_registered()), Internet(World()) as internet:
        yield internet


async def verify_items(
    items: Sequence[LawItem], internet: Internet, environ: Mapping[str, str] = {}
) -> list[TriedItem]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(item: LawItem) -> TriedItem:
        async with gate:
            answer = await _call(app, "verify_citation", {"citation": item.text})
        return TriedItem(item=item, answer=answer)

    async with serving(internet, environ) as app:
        return list(await asyncio.gather(*map(one, items)))


async def audit_items(
    items: Sequence[LawItem], internet: Internet, environ: Mapping[str, str] = {}
) -> list[TriedItem]:
    """All items as the paragraphs of one brief; an item whose citation was not found has no verdict."""
    spans: list[tuple[int, int]] = []
    text = "ARGUMENT\n\n"
    for item in items:
        spans.append((len(text), len(text) + len(item.text)))
        text += f"{item.text}\n\n"
    entries = await audit_text(text, internet, environ)
    return [
        TriedItem(item=item, answer=_find_entry(entries, span) or _find_repeated(entries, item))
        for item, span in zip(items, spans, strict=True)
    ]


async def audit_text(
    text: str, internet: Internet, environ: Mapping[str, str] = {}
) -> list[dict[str, Any]]:
    """The entries for the cases that a brief cites."""
    async with serving(internet, environ) as app:
        body = await _call(app, "audit_bibliography", {"bibliography": text})
    return [one for one in body["entries"] if one.get("verdict")]


def _find_repeated(entries: list[dict[str, Any]], item: LawItem) -> dict[str, Any]:
    """The entry of an earlier citation that this one repeats."""
    text = item.text.replace("\u00a0", " ")
    return next((one for one in entries if one["citation"] in text), {})


async def verify_in_outage(
    items: Sequence[LawItem], internet: Internet, fault: Fault
) -> list[TriedItem]:
    internet.world.fail("courtlistener", fault, times=ALWAYS)
    try:
        return await verify_items(items, internet, {"CITEWELL_SEARCH_TIMEOUT": "2"})
    finally:
        internet.world.reset()


def _find_entry(entries: list[dict[str, Any]], span: tuple[int, int]) -> dict[str, Any]:
    """The gravest entry of an item; statutes beside the case have none."""
    mine = [one for one in entries if span[0] <= one["offset"] < span[1]]
    return max(mine, key=lambda one: one["verdict"] in FAILING, default={})


async def _call(app: App, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    outcome = await app.call_tool(name, arguments)
    if outcome.is_error:
        raise AssertionError(outcome.text)
    body: dict[str, Any] = outcome.body or {}
    return body
