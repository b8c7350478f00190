"""A sample of the evaluation at every run of the tests; `python -m benchmarks trust` runs the whole of it."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator

import pytest

from tests.internet.serve import Internet
from tests.trust import evaluate, generate, ground, item, score
from tests.trust.evaluate import OUTAGES
from tests.trust.item import Item
from tests.trust.score import Score

pytestmark = [
    pytest.mark.timeout(600),  # a busy machine takes many times the processor's time
    pytest.mark.usefixtures("skipped_pauses"),
]

# A little under what the whole evaluation measured; see benchmarks/RESULTS.md.
FLOORS = {
    "invented DOI": 1.0,
    "invented title": 0.9,
    "neighbour's DOI": 0.9,
    "wrong author": 0.9,
    "wrong first author": 0.75,
    "wrong year": 0.95,
    "retracted": 1.0,
    "corrected only": 1.0,
    "under concern": 1.0,
    "reinstated": 1.0,
    "dead link": 0.95,
    "soft 404": 0.9,
    "mischaracterised": 0.6,
    "legal citation": 0.9,
    "absent reference": 0.9,
    "other authors, no identifier": 0.95,
    "four years later, no identifier": 0.95,
    "cut DOI": 1.0,
    "retracted, found by a search": 1.0,
}


def sample(side: str, *, every: int) -> list[Item]:
    """Every so many of each kind, so that none is left out."""
    kinds: dict[str, list[Item]] = {}
    for case in item.read(side):
        kinds.setdefault(case.kind, []).append(case)
    return [case for group in kinds.values() for case in group[::every]]


def named(tried: list[evaluate.Tried]) -> list[str]:
    return [f"{attempt.item.id}: {sorted(attempt.accused)}" for attempt in tried]


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with ground.standing() as internet:
        yield internet


@pytest.fixture(scope="module")
def scored(web: Internet) -> Score:
    items = [*sample("seen", every=11), *sample("unseen", every=7)]
    return score.score(asyncio.run(evaluate.run(items, web)))


@pytest.fixture(scope="module")
def genuine() -> list[Item]:
    return evaluate.unclaimed([*sample("seen", every=17), *sample("unseen", every=11)])


@pytest.mark.parametrize("side", ["seen", "unseen"])
def test_the_citations_kept_are_those_that_the_generator_makes(side: str) -> None:
    assert list(generate.items(side)) == list(item.read(side))


def test_no_sound_citation_is_accused(scored: Score) -> None:
    blamed = [attempt.item.id for attempt in scored.wrong if attempt.item.sound]

    assert not blamed
    assert scored.accused == 0


@pytest.mark.parametrize("kind", FLOORS)
def test_what_is_wrong_is_told_for_what_it_is(kind: str, scored: Score) -> None:
    row = scored.rows[kind]

    missed = [attempt.item.id for attempt in scored.wrong if attempt.item.kind == kind]
    assert row.recall >= FLOORS[kind], missed


@pytest.mark.parametrize("label", ["not registered", "retracted", "wrong work", "mischaracterised"])
def test_a_grave_label_is_given_to_none_that_does_not_deserve_it(label: str, scored: Score) -> None:
    assert scored.untrue[label] == 0


def test_nearly_every_genuine_work_is_found(scored: Score) -> None:
    row = scored.sound["genuine"]

    assert row.confirmed >= 0.97 * row.count


def test_no_retracted_or_invented_work_passes_as_sound(scored: Score) -> None:
    graves = ("retracted", "invented DOI", "invented title", "neighbour's DOI")
    rows = [scored.rows[kind] for kind in graves]

    assert [row.kind for row in rows if row.doubted < row.count] == []


@pytest.mark.parametrize("outage", OUTAGES)
def test_no_genuine_citation_is_accused_while_the_registries_are_down(
    outage: str, web: Internet, genuine: list[Item]
) -> None:
    tried = asyncio.run(evaluate.outage(genuine, web, OUTAGES[outage]))

    assert len(tried) > 50
    assert named(score.accused(tried)) == []


def test_no_genuine_citation_is_accused_while_nobody_listens(
    web: Internet, genuine: list[Item]
) -> None:
    tried = asyncio.run(evaluate.run(genuine, web, ground.refusing()))

    assert named(score.accused(tried)) == []
    assert {attempt.answer["existence"] for attempt in tried} <= {"unchecked", "found"}


@pytest.mark.parametrize("every", [2, 5])
def test_no_genuine_citation_is_accused_by_a_registry_that_refuses_now_and_then(
    every: int, web: Internet, genuine: list[Item]
) -> None:
    tried = asyncio.run(evaluate.burst(genuine, web, every=every))

    assert named(score.accused(tried)) == []


@pytest.mark.parametrize("spared", ground.REGISTRIES)
def test_no_genuine_citation_is_accused_on_the_word_of_the_only_registry_left(
    spared: str, web: Internet, genuine: list[Item]
) -> None:
    fault = OUTAGES["a bare 404 of a proxy"]

    tried = asyncio.run(evaluate.outage(genuine[::4], web, fault, spared=spared))

    assert named(score.accused(tried)) == []


@pytest.mark.parametrize("seed", range(6))
def test_no_genuine_citation_is_accused_while_any_of_the_registries_fail(
    seed: int, web: Internet, genuine: list[Item]
) -> None:
    luck = random.Random(seed)
    failing = luck.sample(ground.REGISTRIES, luck.randrange(2, len(ground.REGISTRIES)))
    faults = {name: luck.choice(list(OUTAGES.values())) for name in failing}

    tried = asyncio.run(evaluate.partial_outage(genuine[seed % 2 :: 2], web, faults))

    assert named(score.accused(tried)) == []


def test_no_genuine_reference_is_accused_by_registries_that_have_nothing(
    web: Internet, genuine: list[Item]
) -> None:
    worded = [case for case in genuine if "no DOI" in case.form]

    tried = asyncio.run(evaluate.emptied(worded, web))

    assert len(tried) > 5
    assert named(score.accused(tried)) == []


def test_a_list_of_genuine_references_is_clean(web: Internet, genuine: list[Item]) -> None:
    worded = [case for case in genuine if not case.format]

    tried = asyncio.run(evaluate.listed(worded, web))

    assert len(tried) == len(worded)
    assert named(score.accused(tried)) == []


def test_nobody_wrote_down_where_the_evaluation_was_made() -> None:
    kept = "".join(path.read_text("utf-8") for path in item.FILES.values())

    assert "127.0.0.1" not in kept
    assert all(json.loads(line) for line in kept.splitlines())
