"""The judge that is chosen also decides about the sentences of reports."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

from citewell.core.values.research import (
    ClaimRelation,
    EvidencePassage,
    ProviderReport,
    ResearchFindings,
    ResearchSource,
)
from citewell.evidence.judging.claim_judge import ClaimJudge, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.evidence.signs.claim_support import SourceText
from citewell.research.reporting.checked_synthesis import UNCONFIRMED_MARK
from citewell.research.reporting.model_synthesis import (
    apply_client_draft,
    apply_model_report,
    build_sentence_judge,
)

BRIDGE = "The harbour bridge was opened in 1932. It carries eight lanes of road across the water."
FINDINGS = ResearchFindings(
    query="When was the harbour bridge opened?",
    synthesis="# Quotations\n",
    synthesis_by="extractive",
    sources=(ResearchSource(ref="src_1", url="https://a.example.org/1", title="Bridge"),),
    passages=(EvidencePassage(ref="src_1", text=BRIDGE, start=0, end=len(BRIDGE)),),
)
STATED = "The harbour bridge was opened in 1932"
OTHER_WORDS = "Road traffic has eight lanes to get over the harbour on that structure"


def write(text: str) -> ProviderReport:
    return ProviderReport(provider="openai", text=text)


def judgement(relation: ClaimRelation) -> Judgement:
    return Judgement(
        relation=relation, score=0.9, judge="nli", quote=BRIDGE, start=0, end=len(BRIDGE)
    )


class FixedJudge:
    """Gives the same relation to every pair, and keeps the claims that it was asked about."""

    name = "nli"

    def __init__(self, relation: ClaimRelation, *, is_local: bool) -> None:
        self.is_local = is_local
        self.claims: list[str] = []
        self._relation = relation

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        self.claims += [pair.claim for pair in pairs]
        return tuple(judgement(self._relation) for _ in pairs)


def check_draft(judge: FixedJudge, draft: str) -> ResearchFindings:
    async def open_judge(_context: JudgeContext, _seconds: float) -> ClaimJudge:
        return judge

    judging = ClaimJudging("nli", open_judge, seconds=30)
    return asyncio.run(apply_client_draft(FINDINGS, draft, judging, owner="default/anonymous"))


@pytest.mark.parametrize(
    ("relation", "kept"),
    [
        (ClaimRelation.SUPPORTS, f"{STATED}. [src_1]"),
        (ClaimRelation.MENTIONS, f"{STATED}. {UNCONFIRMED_MARK}"),
        (ClaimRelation.CONTRADICTS, ""),
    ],
)
def test_a_judge_can_take_back_what_words_confirm(relation: ClaimRelation, kept: str) -> None:
    report = write(f"The bridge carries eight lanes of road [src_1].\n\n{STATED} [src_1].")
    judged = {(f"{STATED}.", "src_1"): judgement(relation)}
    judge = build_sentence_judge(FINDINGS, {"src_1": SourceText(text=BRIDGE)}, judged)

    found = apply_model_report(FINDINGS, report, judge).synthesis

    assert kept in found
    assert (STATED in found) is bool(kept)


def test_a_judge_can_confirm_what_words_cannot() -> None:
    by_words = check_draft(
        FixedJudge(ClaimRelation.MENTIONS, is_local=True), f"{OTHER_WORDS} [src_1]."
    )
    judge = FixedJudge(ClaimRelation.SUPPORTS, is_local=True)

    judged = check_draft(judge, f"{OTHER_WORDS} [src_1].")

    assert re.search(rf"{OTHER_WORDS}\. \*\(not confirmed.*\)\* \[src_1\]", by_words.synthesis)
    assert f"{OTHER_WORDS}. [src_1]" in judged.synthesis
    assert judge.claims == [f"{OTHER_WORDS}."]


def test_a_judge_cannot_confirm_a_number_that_the_source_does_not_give() -> None:
    judge = FixedJudge(ClaimRelation.SUPPORTS, is_local=True)

    found = check_draft(judge, f"{STATED} [src_1]. The bridge was opened in 1944 [src_1].")

    assert "1944" not in found.synthesis


def test_a_clients_draft_is_not_sent_to_a_judge_on_another_machine() -> None:
    judge = FixedJudge(ClaimRelation.CONTRADICTS, is_local=False)

    found = check_draft(judge, f"{STATED} [src_1].")

    assert judge.claims == []
    assert f"{STATED}. [src_1]" in found.synthesis
    assert any("stays on this machine" in note for note in found.notes)
