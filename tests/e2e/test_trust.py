"""An assistant checks citations: what is genuine is never accused, what is wrong is told with its reason."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.papers import Work, register
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
REGISTRIES = ("crossref", "openalex", "datacite", "doi", "pubmed", "europepmc", "semanticscholar", "arxiv", "unpaywall", "core", "exa")  # fmt: skip
WORKS = [
    one
    for one in register().works
    if len(one.title.split()) > 5 and one.authors and one.year and one.doi.startswith("10.1")
]
CLEAN = [one for one in WORKS if not one.events and one.kind == "article-journal"]
OUTAGES = {
    "too many requests": Fault(status=429, body="slow down"),
    "server errors": Fault(status=500, body="oops"),
    "a page in place of data": Fault(status=200, body="<html><body>Please log in</body></html>", headers={"content-type": "text/html"}),
    "nothing": Fault(cut=0, status=200, body="x"),
    "an empty body": Fault(status=200, body=""),
    "a bare 404 under the wrong type": Fault(status=404, body="Resource not found.", headers={"content-type": "application/json"}),
    "a 404 page of some proxy": Fault(status=404, body="<h1>Not Found</h1>", headers={"content-type": "text/html"}),
}  # fmt: skip


IMPATIENT = {"CITEWELL_SEARCH_TIMEOUT": "1"}


def talk(
    environ: Environ, *steps: tuple[str, dict[str, Any]], transport: str = "memory"
) -> list[Any]:
    environ = environ | {"CITEWELL_PROFILE": "all", "CITEWELL_LINK_THRESHOLD": "10000000"}

    async def run() -> list[Any]:
        async with connected(transport, environ) as client:
            return [body(await client.call_tool(name, given)) for name, given in steps]

    return asyncio.run(run())


def verify(environ: Environ, citation: str, **more: Any) -> dict[str, Any]:
    [found] = talk(environ, ("verify_citation", {"citation": citation, **more}))
    return found


def apa(work: Work, *, year: int | None = None, author: str = "") -> str:
    return f"{author or work.names[0]} ({year or work.year}). {work.title}. {work.venue}."


@requires(
    "verify_citation.citation",
    "verify_citation.exists",
    "verify_citation.title_match",
    "verify_citation.retraction_status",
)
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_one_conversation_meets_every_kind_of_citation(transport: str, environ: Environ) -> None:
    good, other = CLEAN[0], CLEAN[1]
    retracted = next(one for one in WORKS if one.retracted)
    corrected = next(
        one
        for one in WORKS
        if one.events and {event.kind for event in one.events} == {"correction"}
    )
    asked = [
        f"{apa(good)} https://doi.org/{good.doi}.",
        "10.1000/invented.2031.77",
        f"{apa(good)} doi:{other.doi}",
        f"{apa(good, author='Abernathy, Q.')} doi:{good.doi}",
        f"{apa(good, year=(good.year or 0) - 6)} doi:{good.doi}",
        retracted.doi,
        corrected.doi,
        "347 U.S. 483 (1954)",
    ]

    genuine, invented, neighbour, author, year, bad, mended, case = talk(
        environ, *(("verify_citation", {"citation": one}) for one in asked), transport=transport
    )

    assert genuine["verificationStatus"] == "confirmed"
    assert genuine["titleMatch"] == genuine["authorMatch"] == genuine["yearMatch"] == "match"
    assert invented["exists"] is False
    assert invented["existence"] == "not_registered"
    assert neighbour["titleMatch"] == "mismatch"
    assert neighbour["suggestedDoi"] == good.key
    assert author["authorMatch"] == "mismatch"
    assert year["yearMatch"] == "mismatch"
    assert bad["retractionStatus"]["retracted"] is True
    assert mended["retractionStatus"]["retracted"] is False
    assert case["inputType"] == "legal"
    assert case["matchedRecord"]["caseName"] == "Brown v. Board of Education"
    assert case["yearMatch"] == "match"


@requires("verify_citation.outage", "defect.registry_down")
@pytest.mark.usefixtures("skipped_pauses")
@pytest.mark.parametrize("outage", OUTAGES, ids=lambda name: name.replace(" ", "-"))
def test_no_outage_makes_a_genuine_citation_a_suspect(
    outage: str, environ: Environ, world: World
) -> None:
    for name in REGISTRIES:
        world.fail(name, OUTAGES[outage], times=ALWAYS)
    good = CLEAN[0]
    entries = [
        {"title": one.title, "author": one.names[0], "date": str(one.year), "doi": one.doi}
        for one in CLEAN[:6]
    ]

    by_doi, in_words, audit = talk(
        environ | IMPATIENT,
        ("verify_citation", {"citation": good.doi}),
        ("verify_citation", {"citation": apa(good)}),
        ("audit_bibliography", {"entries": entries}),
    )

    for found in (by_doi, in_words):
        assert found["exists"] is None
        assert found["existence"] == "unchecked"
        assert found["verificationStatus"] == "uncertain"
        assert "mismatches" not in found
    assert {flag for one in audit["entries"] for flag in one["flags"]} == {"unchecked"}
    assert "could not be checked" in audit["summary"]["warning"]


def test_a_burst_of_refusals_is_not_an_answer(environ: Environ, world: World) -> None:
    world.fail("crossref", OUTAGES["too many requests"], times=3)
    world.fail("openalex", OUTAGES["too many requests"], times=3)

    found = verify(environ, CLEAN[2].doi)

    assert found.get("exists") is not False
    assert found["existence"] in {"found", "unchecked"}


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("verify_citation", {"citation": ""}, "citation"),
        ("verify_citation", {"citation": "10.1000/x", "claim": "x" * 5000}, "claim"),
        ("audit_bibliography", {}, "entries"),
        ("audit_bibliography", {"entries": [{"claim": "x" * 5000}]}, "5000 characters"),
        ("audit_bibliography", {"sessionId": "no-such-session"}, "session"),
    ],
)
def test_bad_input_is_refused_in_plain_words(
    tool: str, arguments: dict[str, Any], complaint: str, environ: Environ
) -> None:
    async def run() -> Any:
        async with connected("memory", environ | {"CITEWELL_PROFILE": "all"}) as client:
            return await client.call_tool(tool, arguments)

    result = asyncio.run(run())

    assert result.is_error
    assert complaint in result.content[0].text
