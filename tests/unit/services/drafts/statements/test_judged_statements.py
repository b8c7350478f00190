"""What a source was found to say is kept, until the source, the statements or the rules change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from citewell.services.drafts.draft_check import DraftCheck
from citewell.services.drafts.judged_statements import (
    OPINIONS_TTL_SECONDS,
    JudgedStatements,
    fingerprint_judging_rules,
)
from citewell.services.judging.claim_judge import ClaimPair
from citewell.services.judging.lexical_judge import judge_by_words
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.judging.statements.source_opinions import SourceOpinion
from citewell.services.judging.statements.statement_judgement import judge_statement
from citewell.text.evidence.claim_support import SourceText
from tests.unit.services.drafts.manuscripts import OWNER, PAGE, checker, manuscript
from tests.unit.services.drafts.statements.test_statement_verdicts import SOURCE, desk_with
from tests.unit.services.reading import Memory

TEXTS = (
    "Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles.",
    "Lithium iron phosphate cells kept 71 % of their capacity after 3,000 cycles.",
    "The project's leader said: “Heat is the only enemy that no warranty mentions”.",
    "Penguins of the southern islands moult twice in a warm season.",
)
READ = ReadSource(
    text=SOURCE, language="en", url=PAGE, title="Ageing", is_whole=True, years=frozenset({2021})
)


class Judge:
    """Compares the words and counts how often it was asked."""

    def __init__(self) -> None:
        self.count = 0

    async def judge(self) -> list[SourceOpinion]:
        self.count += 1
        source = SourceText(text=SOURCE, language="en")
        return [
            judge_statement(
                text, source, READ, judge_by_words(ClaimPair(claim=text, source=source))
            )
            for text in TEXTS
        ]


def test_opinions_come_back_as_they_were_made() -> None:
    memory, judge = Memory(), Judge()

    async def load_twice() -> tuple[list[SourceOpinion], ...]:
        first = JudgedStatements(memory.cache)
        second = JudgedStatements(memory.cache)
        return (
            await first.load_opinions(OWNER, READ, TEXTS, judge.judge),
            await second.load_opinions(OWNER, READ, TEXTS, judge.judge),
        )

    made, kept = asyncio.run(load_twice())

    assert judge.count == 1
    assert kept == made
    assert len({one.stance for one in made}) > 2  # of several kinds, with all their fields
    assert any(one.differences for one in made)


@pytest.mark.parametrize(
    "change",
    [
        {"owner": "default/somebody"},
        {"read": replace(READ, text=SOURCE + " A note was added.")},
        {"read": replace(READ, is_whole=False)},
        {"read": replace(READ, title="Another title")},
        {"read": replace(READ, years=frozenset({2020}))},
        {"texts": TEXTS[:2]},
        {"rules": "of another version"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_an_opinion_depends_on_makes_it_anew(change: dict[str, Any]) -> None:
    memory, judge = Memory(), Judge()
    given: dict[str, Any] = {"owner": OWNER, "read": READ, "texts": TEXTS, "rules": "of today"}

    async def load(owner: str, read: ReadSource, texts: tuple[str, ...], rules: str) -> None:
        judged = JudgedStatements(memory.cache, find_rules=lambda: rules)
        await judged.load_opinions(owner, read, texts, judge.judge)

    asyncio.run(load(**given))
    asyncio.run(load(**given | change))

    assert judge.count == 2


def test_opinions_are_forgotten_after_their_time() -> None:
    memory, judge = Memory(), Judge()
    judged = JudgedStatements(memory.cache)

    async def load_late() -> None:
        await judged.load_opinions(OWNER, READ, TEXTS, judge.judge)
        memory.clock.time += OPINIONS_TTL_SECONDS + 1
        await judged.load_opinions(OWNER, READ, TEXTS, judge.judge)

    asyncio.run(load_late())

    assert judge.count == 2


def test_the_rules_are_named_by_the_files_that_hold_them() -> None:
    assert len(fingerprint_judging_rules()) == 64


def test_a_second_check_gives_the_same_report() -> None:
    memory, desk = Memory(), desk_with(SOURCE)
    draft = manuscript("\n".join(f"{text[:-1]} [1]." for text in TEXTS), {"1": PAGE})

    def build_check() -> DraftCheck:
        return checker(desk, judged=JudgedStatements(memory.cache))

    first = asyncio.run(build_check().check_draft(draft, owner=OWNER))
    second = asyncio.run(build_check().check_draft(draft, owner=OWNER))

    assert first == second
    assert first.summary.verdicts["supported"] >= 1
