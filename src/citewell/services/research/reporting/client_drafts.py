"""A report that the caller's own model wrote from our evidence, checked like any other."""

from __future__ import annotations

import asyncio

from citewell.model.research import ProviderReport, ResearchFindings
from citewell.services.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement
from citewell.services.judging.claim_judging import ClaimJudging, JudgeContext, list_judging_notes
from citewell.services.research.reporting.model_synthesis import (
    apply_model_report,
    build_sentence_judge,
)
from citewell.text.evidence.claim_support import SourceText

CLIENT_WRITER = "client"
UNWRITTEN_NOTE = (
    "The client did not write a report: it has no sampling, or refused. Write one from evidencePack"
    " and send it as draft to have it checked."
)


async def apply_client_draft(
    findings: ResearchFindings, draft: str, judging: ClaimJudging, *, owner: str
) -> ResearchFindings:
    """The findings with what remains of the draft; if too little does, with their own report and a note.

    It is compared with the passages and quotations that are stored with the job. A judge outside this
    machine never sees it: drafts are private.
    """
    said: dict[str, dict[str, None]] = {}
    for passage in findings.passages:
        said.setdefault(passage.ref, {})[passage.text] = None
    for one in findings.evidence:
        said.setdefault(one.source, {})[one.snippet] = None
    texts = {ref: SourceText(text="\n\n".join(parts)) for ref, parts in said.items()}
    report = ProviderReport(provider=CLIENT_WRITER, text=draft)
    judge = build_sentence_judge(findings, texts, are_whole=False)
    checked = await asyncio.to_thread(apply_model_report, findings, report, judge)
    if judging.is_lexical or not judge.compared:
        return checked
    pairs = {
        key: ClaimPair(claim=key[0], source=source, is_private=True)
        for key, source in judge.compared.items()
    }
    opinions = await judging.judge_claims(tuple(pairs.values()), JudgeContext(owner=owner))
    judged = {
        key: one
        for key, one in zip(pairs, opinions, strict=True)
        if isinstance(one, Judgement) and one.judge != LEXICAL_NAME
    }
    judge = build_sentence_judge(findings, texts, judged, are_whole=False)
    checked = await asyncio.to_thread(apply_model_report, findings, report, judge)
    return checked.model_copy(update={"notes": (*checked.notes, *list_judging_notes(opinions))})
