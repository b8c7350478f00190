"""What a source was found to say is kept, until the source, the statements or the rules change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from citewell.core.errors import NotFound
from citewell.drafts.draft_check import DraftCheck
from citewell.drafts.draft_findings import DraftVerdict as V
from citewell.drafts.support_verdicts import (
    OPINIONS_TTL_SECONDS,
    JudgedStatements,
    fingerprint_judging_rules,
)
from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import ReadSource, SourceOpinion
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText
from citewell.links.link_checks import LinkState
from tests.drafts.judged_drafts import FILLER, SOURCE, desk_with
from tests.drafts.manuscripts import OWNER, PAGE, check, checker, find, manuscript
from tests.reading.reading import Memory
from tests.trust.desk import page

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
    assert len({opinion.stance for opinion in made}) > 2  # of several kinds, with all their fields
    assert any(opinion.differences for opinion in made)


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
        memory.clock.now += OPINIONS_TTL_SECONDS + 1
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


def test_one_source_that_supports_is_enough() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, FILLER * 2)
    sentence = "The study followed 412 households in Norway between 2016 and 2021 [1, 2]."

    assert find(check(manuscript(sentence, {"1": other, "2": PAGE}), desk)).verdict is V.SUPPORTED


def test_a_source_that_was_not_read_forbids_an_accusation_by_the_other() -> None:
    desk = desk_with(SOURCE)
    sentence = "The study followed 142 households in Norway between 2016 and 2021 [1, 2]."
    draft = manuscript(sentence, {"1": PAGE, "2": "https://reports.example.org/unread"})

    found = find(check(draft, desk))

    assert found.verdict is V.UNCHECKED
    assert found.is_unanswered  # the failure may pass


def test_a_number_that_one_source_lacks_may_be_in_another_that_settles_nothing() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"{FILLER} There were 57 grants.", quality="partial")
    sentence = "The trial was funded by the agency with 57 grants"

    together = check(manuscript(f"{sentence} [1, 2].", {"1": PAGE, "2": other}), desk)
    alone = check(manuscript(f"{sentence} [1].", {"1": PAGE}), desk)

    assert find(together).verdict is V.RELATED
    assert find(alone).verdict is V.PARTLY
    assert "57 grants appears nowhere" in find(alone).reason


def test_the_sentence_that_is_offered_has_no_mark_of_a_list() -> None:
    source = f"# Costs\n\n- Costs fell to 140 dollars per kilowatt hour in 2021.\n\n{FILLER}"

    found = find(
        check(
            manuscript("Costs fell to 240 dollars per kilowatt hour in 2021 [1].", {"1": PAGE}),
            desk_with(source),
        )
    )

    assert [repair.text for repair in found.repairs or ()] == [
        "The source says: “Costs fell to 140 dollars per kilowatt hour in 2021.”"
    ]


@pytest.mark.parametrize("order", ["[1, 2]", "[2, 1]"])
def test_a_lost_source_beside_one_that_was_read_is_not_called_the_only_one(order: str) -> None:
    gone = "https://reports.example.org/gone"
    desk = desk_with(SOURCE)
    desk.links[gone] = LinkState(state="dead", status=404, reason="http_404")
    desk.pages[gone] = NotFound("There is nothing.")
    sentence = f"Penguins of the south breed in winter {order}."

    both = find(check(manuscript(sentence, {"1": PAGE, "2": gone}), desk))
    alone = find(check(manuscript(sentence.replace(order, "[2]"), {"2": gone}), desk))

    assert both.verdict is alone.verdict is V.SOURCE_UNAVAILABLE
    assert "There is no source to read" not in both.reason
    assert alone.reason.startswith("There is no source to read. The link is dead (HTTP 404).")
