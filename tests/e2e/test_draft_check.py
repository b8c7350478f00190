"""An assistant has its draft checked: faults are told with evidence, the repaired draft is clean."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import MCPError

from tests.e2e import private_documents as private
from tests.e2e.clients import body, connected
from tests.internet.faults import ALWAYS, Fault
from tests.internet.papers import Work, register
from tests.internet.serve import Internet
from tests.internet.world import Page, World
from tests.requirements import requires

Environ = dict[str, str]
REGISTRIES = ("crossref", "openalex", "datacite", "doi", "pubmed", "europepmc", "semanticscholar", "arxiv", "unpaywall", "core")  # fmt: skip
WORKS = [
    one
    for one in register().works
    if len(one.title.split()) > 5 and one.authors and one.year and one.doi.startswith("10.1")
]
CLEAN = [one for one in WORKS if not one.events and one.kind == "article-journal"]
RETRACTED = next(one for one in WORKS if one.retracted)
HOST = "kettles.example.org"
REPORT = Page(
    host=HOST,
    path="trial",
    title="The kettle trial",
    markdown="# The kettle trial\n\nThe trial compared 318 electric kettles from 14 makers. Scale in"
    " the kettle increases the energy that boiling takes. A layer of one millimetre of scale cost 7 % more"
    " energy in 2019.\n\n"
    + "\n\n".join(
        f"The {word} group of volunteers wrote down when they boiled water, how much of it they"
        " poured away, and whether the lid had been closed while it was heated."
        for word in ("first", "second", "third", "fourth", "fifth", "sixth")
    ),
)


def entry(work: Work, *, doi: str = "") -> str:
    return f"{work.names[0]} ({work.year}). {work.title}. {work.venue}. https://doi.org/{doi or work.doi}"


def compose(_world: World, statements: list[str], entries: list[str]) -> str:
    listed = "\n".join(f"{number}. {one}" for number, one in enumerate(entries, start=1))
    return "# On kettles\n\n" + "\n\n".join(statements) + "\n\n## References\n\n" + listed + "\n"


def talk(
    environ: Environ, *drafts: dict[str, Any], transport: str = "memory"
) -> list[dict[str, Any]]:
    environ = environ | {"CITEWELL_PROFILE": "all", "CITEWELL_LINK_THRESHOLD": "10000000"}

    async def run() -> list[dict[str, Any]]:
        async with connected(transport, environ) as client:
            return [body(await client.call_tool("check_draft", one)) for one in drafts]

    return asyncio.run(run())


def verdicts(report: dict[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = report["summary"]["verdicts"]
    return counts


@requires("check_draft.flow", "check_draft.repairs", "check_draft.text")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_faulty_draft_is_told_and_its_repaired_copy_is_clean(
    transport: str, environ: Environ, world: World
) -> None:
    world.add(REPORT)
    page = world.address(HOST, "trial")
    gone = world.address(HOST, "removed")
    faulty = compose(
        world,
        [
            "The trial compared 381 electric kettles from 14 makers [1].",
            "Scale in the kettle decreases the energy that boiling takes [1].",
            "An older effect was described as well [2].",
            "It was found again later [3], and on a page [4].",
        ],
        [page, entry(CLEAN[2], doi=CLEAN[3].doi), entry(RETRACTED), gone],
    )
    mended = compose(
        world,
        [
            "The trial compared 318 electric kettles from 14 makers [1].",
            "Scale in the kettle increases the energy that boiling takes [1].",
            "An older effect was described as well [2].",
        ],
        [page, entry(CLEAN[2])],
    )

    [first, second] = talk(environ, {"text": faulty}, {"text": mended}, transport=transport)

    found = verdicts(first)
    assert not first["summary"]["isClean"]
    assert (found["retracted"], found["wrong_work"], found["dead_link"]) == (1, 1, 1)
    assert found.get("contradicted", 0) + found.get("partly", 0) == 2
    number = next(one for one in first["findings"] if one.get("differences"))
    assert number["differences"][0]["draft"].startswith("381")
    assert number["differences"][0]["source"].startswith("318")
    assert number["evidence"][0]["url"] == page
    repairs = [each for one in first["findings"] for each in one.get("repairs", ())]
    assert CLEAN[2].key in [one.get("new") for one in repairs]
    assert second["summary"]["isClean"], second["summary"]
    assert verdicts(second)["supported"] == 2


@requires("check_draft.private")
def test_no_words_of_the_draft_but_identifiers_titles_and_addresses_leave(
    environ: Environ, world: World
) -> None:
    world.add(REPORT)
    page = world.address(HOST, "trial")
    work = CLEAN[4]
    text = compose(
        world,
        [
            f"The {private.MARKER} board decided that the trial compared 318 electric kettles [1].",
            f"Our {private.MARKER} unit lost 12 % of its revenue in March, which nobody may know.",
            f"As [the {private.MARKER} takeover memo]({world.address(HOST, 'absent')}) says, it fell.",
            f"A {private.MARKER} effect is known [2], also at [{private.MARKER}](http://10.20.30.40/{private.MARKER}).",
            f"{private.MARKER.capitalize()} cells age by 9 % a year (https://intranet.local/{private.MARKER}).",
        ],
        [page, entry(work)],
    )

    [report] = talk(environ, {"text": text})

    assert world.calls["pages"]
    assert private.leaks(world) == {}
    assert any("was not sent anywhere" in line for line in report["shared"])
    assert any("Crossref" in line for line in report["shared"])


@requires("check_draft.unaccused")
def test_with_the_registries_down_no_reference_is_accused(environ: Environ, world: World) -> None:
    for name in REGISTRIES:
        world.fail(name, Fault(status=500, body="oops"), times=ALWAYS)
    text = compose(
        world,
        ["A first effect is known [1].", "A second is known [2]."],
        [entry(CLEAN[0]), entry(CLEAN[1], doi=CLEAN[5].doi)],
    )

    [report] = talk(environ | {"CITEWELL_SEARCH_TIMEOUT": "1"}, {"text": text})

    assert set(verdicts(report)) <= {"unchecked", "source_unavailable"}
    assert report["summary"]["isClean"]


@requires("check_draft.cache")
def test_a_second_check_by_another_server_asks_nobody_again(environ: Environ, world: World) -> None:
    world.add(REPORT)
    text = compose(
        world,
        ["The trial compared 318 electric kettles from 14 makers [1].", "It was known [2]."],
        [world.address(HOST, "trial"), entry(CLEAN[4])],
    )

    [first] = talk(environ, {"text": text})
    world.calls.clear()
    [second] = talk(environ, {"text": text})

    assert world.calls.total() == 0
    assert verdicts(second) == verdicts(first)


@requires("check_draft.moved")
def test_a_permanent_redirect_is_told_with_the_new_address(
    environ: Environ, world: World, internet: Internet
) -> None:
    world.add(REPORT)
    page = world.address(HOST, "trial")
    world.fail("/odd/moved/kettles", Fault(status=301, headers={"location": page}), times=ALWAYS)
    old = f"{internet.url}/odd/moved/kettles"
    text = compose(world, [f"The trial compared 318 electric kettles from 14 makers ({old})."], [])

    [report] = talk(environ, {"text": text})

    [found] = [one for one in report["findings"] if one["verdict"] == "moved"]
    assert [(one["kind"], one["new"]) for one in found["repairs"]] == [("address", page)]


@requires("check_draft.artifact", "check_draft.bibliography")
def test_text_or_artifact_is_needed_and_a_bibliography_may_stand_apart(environ: Environ) -> None:
    work = CLEAN[0]
    entry_text = f"@article{{key1, title={{{work.title}}}, author={{{work.names[0]}}}, year={{{work.year}}}, doi={{{work.doi}}}}}"

    async def run() -> tuple[Any, Any, Any]:
        everything = environ | {"CITEWELL_PROFILE": "all"}
        async with connected("memory", everything) as client:
            bare = await client.call_tool("check_draft", {})
            lost = await client.call_tool("check_draft", {"artifact": "a" * 64})
            apart = await client.call_tool(
                "check_draft",
                {
                    "text": "It is known [@key1].",
                    "bibliography": entry_text,
                    "focus": "existence",
                },
            )
            return bare, lost, apart

    bare, lost, apart = asyncio.run(run())

    assert bare.is_error
    assert "text or artifact" in bare.content[0].text
    assert lost.is_error
    assert verdicts(body(apart)) == {"found": 1}


@requires("check_draft.find_sources")
@pytest.mark.parametrize("may_search", [True, False])
def test_a_work_whose_abstract_says_it_is_offered_only_on_request(
    environ: Environ, world: World, *, may_search: bool
) -> None:
    world.add(REPORT)
    work = next(one for one in CLEAN if one.abstract and one.title in one.abstract)
    statement = f"The work it stands for is called “{work.title}”"  # as its abstract says
    text = compose(world, [f"{statement} [1]."], [world.address(HOST, "trial")])

    [report] = talk(environ, {"text": text, "find_sources": may_search})

    repairs = [
        one
        for finding in report["findings"]
        for one in finding.get("repairs") or ()
        if one["kind"] == "other_source"
    ]
    assert any(world.calls[name] for name in REGISTRIES) is may_search
    assert [work.doi in one["new"] for one in repairs] == [True] * may_search
    assert any("literature" in line for line in report["shared"]) is may_search


@requires("check_draft.bounded")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_progress_reaches_the_client_up_to_the_end(
    transport: str, environ: Environ, world: World
) -> None:
    text = compose(world, ["It is known [1]."], [entry(CLEAN[0])])
    heard: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def run() -> None:
        async with connected(transport, environ | {"CITEWELL_PROFILE": "all"}) as client:
            await client.call_tool("check_draft", {"text": text}, progress_callback=note)

    asyncio.run(run())

    numbers = [done for done, _, _ in heard]
    assert numbers == sorted(set(numbers))
    assert heard[0][2] == "0 of 1 source read"
    assert heard[-1] == (2.0, 2.0, "The draft is checked")


@requires("prompt.checked_citations")
def test_the_prompt_leads_through_drafting_checking_and_repairing(environ: Environ) -> None:
    async def run() -> Any:
        async with connected("memory", environ) as client:
            given = {"task": "A page on kettles", "style": "ieee"}
            got = await client.get_prompt("write-with-checked-citations", given)
            with pytest.raises(MCPError, match="task or draft"):
                await client.get_prompt("write-with-checked-citations", {})
            return got.messages[0].content

    text = asyncio.run(run()).text

    assert "A page on kettles" in text
    assert text.index("Draft:") < text.index("Check:") < text.index("Repair:")
    assert "check_draft" in text
    assert "ieee" in text
