"""What people really paste and send into the tools of trust, over a real server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from tests.e2e.clients import body, connected
from tests.internet import papers
from tests.internet.serve import Internet
from tests.internet.world import World

Environ = dict[str, str]
WORK = next(
    one
    for one in papers.register().works
    if one.kind == "article-journal" and not one.events and len(one.title.split()) > 5
)
DRESSES = (
    "{doi}.", "({doi}),", "https://doi.org/{doi}", "https://dx.doi.org/{encoded}", "{encoded}", "{upper}",
    "doi:{doi}/full", "{doi}/pdf", "{doi}.pdf", "see {doi}/abstract.", "\u200b{doi}",
)  # fmt: skip
HIDDEN = "\u202eHid\u200bden \U000e0041<script>x</script><i>gorillas</i> of the deep sediments"


def call(environ: Environ, *steps: tuple[str, dict[str, Any]], transport: str = "stdio") -> Any:
    environ = environ | {"CITEWELL_PROFILE": "all", "CITEWELL_LINK_THRESHOLD": "10000000"}

    async def run() -> list[Any]:
        async with connected(transport, environ) as client:
            return [await client.call_tool(name, given) for name, given in steps]

    return asyncio.run(run())


def test_a_doi_in_any_dress_is_that_work(environ: Environ) -> None:
    forms = {"doi": WORK.doi, "encoded": quote(WORK.doi, safe=""), "upper": WORK.doi.upper()}
    steps = [("verify_citation", {"citation": dress.format(**forms)}) for dress in DRESSES]

    found = [body(result) for result in call(environ, *steps)]

    assert {one["inputType"] for one in found} == {"doi"}
    assert {one["matchedRecord"]["doi"] for one in found} == {WORK.key}
    assert {one["verificationStatus"] for one in found} == {"confirmed"}


def test_five_megabytes_with_an_unclosed_brace_are_an_answer(environ: Environ) -> None:
    sound = f"@article{{good, title={{{WORK.title}}}, doi={{{WORK.doi}}}}}\n"
    text = sound + "@article{open, title={" + "{x} never closed " * 300_000

    [result] = call(environ, ("audit_bibliography", {"bibliography": text}))

    answer = body(result)
    assert [one["key"] for one in answer["entries"]] == ["good"]
    assert answer["malformed"][0]["line"] == 2
    assert len(json.dumps(answer)) < 5000


def test_what_is_too_much_says_how_much_there_may_be(environ: Environ) -> None:
    page, claim = {"citation": WORK.doi}, "word " * 1000

    long_claim, long_list, many = call(
        environ,
        ("verify_citation", page | {"claim": claim}),
        ("verify_recommendation", {"recommendations": [{"title": "x"}] * 101}),
        ("audit_bibliography", {"entries": [{}] * 201}),
    )

    assert "claim: String should have at most 2000 characters" in long_claim.content[0].text
    assert "recommendations: give at most 100 items, not 101" in long_list.content[0].text
    assert (body(many)["entryCount"], body(many)["skipped"]) == (200, 1)
    assert "nothing to look it up by" in body(many)["entries"][0]["reason"]


def test_blank_words_are_none(environ: Environ) -> None:
    checked, nothing = call(
        environ,
        ("verify_citation", {"citation": WORK.doi, "claim": "  \n"}),
        ("audit_bibliography", {"bibliography": " \n\t"}),
    )

    assert "claimSupport" not in body(checked)
    assert nothing.is_error
    assert "Give entries, bibliography or sessionId" in nothing.content[0].text


def test_private_addresses_are_refused_before_any_request(
    environ: Environ, internet: Internet
) -> None:
    names = ("10.0.0.1", "[::ffff:10.0.0.1]", "169.254.169.254", "2130706433", "metadata.google.internal")  # fmt: skip
    entries = [{"url": f"http://{name}/x", "claim": "Sleep helps memory"} for name in names]

    [result] = call(environ, ("audit_bibliography", {"entries": entries}), transport="memory")

    found = body(result)["entries"]
    assert {one["linkReason"] for one in found} == {"refused"}
    assert {one["claimSupport"] for one in found} == {"source_unavailable"}
    assert not internet.world.calls


def test_what_registries_say_is_cleaned_of_markup_and_of_what_nobody_sees(
    environ: Environ, world: World
) -> None:
    marked = replace(
        WORK,
        doi="10.50505/hidden.1",
        title=HIDDEN,
        venue=HIDDEN,
        authors=(("Ada\u202e", "<i>Lovelace</i>"), HIDDEN),
        ids={},
    )
    papers.add(world, marked)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("verify_citation", {"citation": marked.doi}),
        ("verify_citation", {"citation": f"Zebras migrate over the savannah. {marked.doi}"}),
        ("audit_bibliography", {"entries": [{"title": "Zebras migrate", "doi": marked.doi}]}),
        *(
            ("academic_search", {"query": "gorillas of the deep sediments", "provider": name})
            for name in ("openalex", "crossref", "semanticscholar", "europepmc", "core")
        ),
    ]

    results = call(environ, *steps, transport="memory")

    told = json.dumps([body(result) for result in results], ensure_ascii=False)
    assert told.count("gorillas of the deep sediments") > len(steps)
    assert not set("\u202e\u200b\U000e0041") & set(told)
    assert "<script" not in told
    assert "<i>" not in told
