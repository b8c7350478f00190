"""The citation check on statements whose truth is known, and on one report through a whole job."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.e2e.deep import ask, deep, researched
from tests.evidence import evaluate
from tests.evidence.cases import FOREIGN, GOOD, cases
from tests.internet.researchers import SCRIPT, Mark, Written
from tests.internet.serve import Internet
from tests.internet.world import World

FLOORS = {  # precision, recall
    "unsupported": (0.9, 0.35),
    "contradicted": (0.9, 0.8),
    "number_not_found or values_differ": (0.85, 0.9),
    "dead": (1.0, 1.0),
    "unreachable": (1.0, 1.0),
}


@pytest.fixture(scope="module", params=["seen", "unseen"])
def found(
    request: pytest.FixtureRequest, loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory
) -> list[Any]:
    folder = str(tmp_path_factory.mktemp(request.param))
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": f"{folder}/none.toml",
        "CITEWELL_DATA_DIR": folder,
        "HOME": folder,
        "CHROME_PATH": "disabled",
    }
    return asyncio.run(evaluate.judge(cases(request.param, loopback_web.world), environ))


def test_there_are_enough_statements_to_tell(found: list[Any]) -> None:
    assert len(found) >= 140


@pytest.mark.parametrize("flag", FLOORS)
def test_a_flag_is_given_where_it_is_meant(flag: Any, found: list[Any]) -> None:
    made = evaluate.score(found, flag)

    assert made.precision >= FLOORS[flag][0]
    assert made.recall >= FLOORS[flag][1]


def test_what_the_page_has_nothing_of_is_flagged(found: list[Any]) -> None:
    foreign = [one for one in found if one.case.kind in FOREIGN]

    assert sum("unsupported" in one.flags for one in foreign) / len(foreign) >= 0.8


def test_hardly_a_sound_statement_is_doubted(found: list[Any]) -> None:
    sound = [one for one in found if one.case.kind in GOOD]

    assert sum(one.doubted for one in sound) / len(sound) <= 0.05


def test_a_whole_job_flags_what_the_check_alone_does(environ: dict[str, str], world: World) -> None:
    part = evaluate.parts(cases("seen", world))[0][:20]
    wanted = {one.case.text: one.flags for one in asyncio.run(evaluate.judge(part, environ))}
    written = evaluate.report(part, "spans")
    marks = tuple(
        Mark(url=one.url, title=one.title, start=one.start or 0, end=one.end or 0)
        for one in written.citations
    )
    world.state[SCRIPT] = Written(text=written.text, marks=marks)

    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ, OPENAI_API_KEY="sk-test")) as client:
            begun = await researched(client, query=evaluate.QUESTION, providers=["openai"])
            return await ask(client, "search_claims", jobId=begun["jobId"], limit=100)

    told = asyncio.run(main())

    flags = {row["content"]: set(row["flags"]) for row in told["claims"]}
    assert {text: flags[text] for text in wanted} == wanted
