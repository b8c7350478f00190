"""A long bibliography costs its registries a few requests, whatever they are asked for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.papers import Work, register
from tests.internet.world import World

WORKS = [
    one
    for one in register().works
    if len(one.title.split()) > 5 and one.authors and one.year and ":" not in one.doi
][:120]


def entry(work: Work) -> dict[str, str]:
    first = work.authors[0]
    author = first if isinstance(first, str) else ", ".join(filter(None, first[::-1]))
    return {"title": work.title, "author": author, "date": str(work.year), "doi": work.doi}


def audit(environ: dict[str, str], works: list[Work]) -> Any:
    environ = environ | {"CITEWELL_PROFILE": "all", "CITEWELL_LINK_THRESHOLD": "10000000"}

    async def run() -> Any:
        async with connected("memory", environ) as client:
            given = {"entries": [entry(work) for work in works]}
            return body(await client.call_tool("audit_bibliography", given))

    return asyncio.run(run())


def test_a_hundred_dois_are_a_few_requests(environ: dict[str, str], world: World) -> None:
    report = audit(environ, WORKS)

    retracted = [work.key for work in WORKS if work.retracted]
    flagged = [one["doi"] for one in report["entries"] if "retracted" in one["flags"]]
    assert sorted(flagged) == sorted(retracted)
    assert {one["existence"] for one in report["entries"]} == {"found"}
    assert world.calls["crossref"] <= 12
    assert world.calls["openalex"] <= 12
    assert world.calls["doi"] == 0


@pytest.mark.parametrize("status", [429, 500])
def test_lists_that_fail_accuse_nobody(environ: dict[str, str], world: World, status: int) -> None:
    for name in ("crossref", "openalex"):
        world.fail(name, Fault(status=status, body="no"), times=ALWAYS)

    report = audit(environ | {"CITEWELL_SEARCH_TIMEOUT": "2"}, WORKS[:30])

    flags = {flag for one in report["entries"] for flag in one["flags"]}
    assert flags <= {"unchecked", "duplicate", "retracted"}
