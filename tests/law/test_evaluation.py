"""A sample of the evaluation at every run of the tests; `python -m tests.law` runs the whole of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.internet.serve import Internet
from tests.law import evaluate
from tests.law.items import LawItem, list_items
from tests.law.registry import list_lacking, list_real_cases
from tests.requirements import requires

MIN_RECALL = 0.95
SMALL_OUTAGES = (
    "429",
    "500",
    "a page for data",
    "cut off",
    "{} for data",
    "a bare 404 of a proxy",
    "no results for anything",
)


def sample(*, genuine: bool, every: int) -> list[LawItem]:
    items = [*list_items("seen"), *list_items("unseen")]
    return [one for one in items if one.is_genuine is genuine][::every]


@pytest.fixture(scope="module")
def web() -> Iterator[Internet]:
    with evaluate.stand_registry() as internet:
        yield internet


def test_the_evaluation_is_large_enough() -> None:
    items = [*list_items("seen"), *list_items("unseen")]

    assert len(list_real_cases()) >= 200
    assert sum(not one.is_genuine for one in items) >= 200
    assert len(list_lacking()) >= 15
    assert [*list_items("unseen")] == [*list_items("unseen")]


@requires("verify_citation.law_found", "verify_citation.law_weak_absence")
def test_no_genuine_citation_is_accused(web: Internet) -> None:
    tried = asyncio.run(evaluate.verify_items(sample(genuine=True, every=9), web))

    confirmed = [one for one in tried if one.verdict == "confirmed"]
    assert [one.item.id for one in tried if one.is_accused] == []
    assert len(confirmed) >= 0.9 * sum(not one.item.is_weak for one in tried)


@requires("verify_citation.law_absent", "verify_citation.law_mismatch")
def test_invented_and_altered_citations_are_told(web: Internet) -> None:
    tried = asyncio.run(evaluate.verify_items(sample(genuine=False, every=7), web))

    caught = [one for one in tried if one.is_caught]
    assert len(caught) >= MIN_RECALL * len(tried), [
        one.item.id for one in tried if not one.is_caught
    ]


@requires("audit_bibliography.brief")
def test_a_brief_is_told_the_same(web: Internet) -> None:
    items = [*sample(genuine=True, every=40), *sample(genuine=False, every=12)]

    tried = asyncio.run(evaluate.audit_items(items, web))

    assert [one.item.id for one in tried if one.item.is_genuine and one.is_accused] == []
    unsound = [one for one in tried if not one.item.is_genuine]
    assert sum(one.is_caught for one in unsound) >= MIN_RECALL * len(unsound)


def test_names_as_lawyers_shorten_them_are_not_accused(web: Internet) -> None:
    text = (Path(__file__).parent / "passage.txt").read_text("utf-8")

    entries = asyncio.run(evaluate.audit_text(text, web))

    assert len(entries) >= 50
    assert [one["title"] for one in entries if one["verdict"] != "confirmed"] == []


@requires("verify_citation.law_outage")
@pytest.mark.parametrize("outage", SMALL_OUTAGES)
def test_no_genuine_citation_is_accused_while_the_registry_is_down(
    outage: str, web: Internet
) -> None:
    items = sample(genuine=True, every=40)

    tried = asyncio.run(evaluate.verify_in_outage(items, web, evaluate.LAW_OUTAGES[outage]))

    assert [one.item.id for one in tried if one.is_accused] == []
    assert {one.answer["existence"] for one in tried} == {"unchecked"}
