"""Asks the chosen judge about the citations of a job, in a step whose result is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from citewell.model.durable_job import JsonValue
from citewell.model.research import ClaimRelation
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.services.judging.claim_judge import (
    LEXICAL_NAME,
    ClaimPair,
    Judgement,
    Opinion,
)
from citewell.services.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    list_judging_notes,
)
from citewell.services.judging.model_judge import ModelCaller
from citewell.services.research.claims.citation_check import JudgedCitations
from citewell.text.evidence.grounding_signs import GroundingDoubt


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationJudgements:
    """The judgements by another judge than words, and notes about those that there are not."""

    judged: JudgedCitations = field(default_factory=dict)
    notes: tuple[str, ...] = ()


async def judge_citations(
    run: WorkflowRun,
    judging: ClaimJudging,
    pairs: Mapping[tuple[str, str], ClaimPair],
    open_caller: Callable[[str], ModelCaller],
    *,
    step: str = "judge",
) -> CitationJudgements:
    """What the judge says of these citations; the same again if the job runs again.

    `step` names the step under which the judgements are stored.
    """

    async def report_progress(done: float, total: float | None, _message: str | None) -> None:
        await run.emit_event("claims_judged", count=int(done), total=int(total or 0))

    async def judge() -> JsonValue:
        context = JudgeContext(
            owner=run.job.owner, progress=report_progress, open_caller=open_caller
        )
        opinions = await judging.judge_claims(tuple(pairs.values()), context)
        return {
            "judgements": _convert_to_json(pairs, opinions),
            "notes": list(list_judging_notes(opinions)),
        }

    kept = await run.run_step(step, judge)
    judged = {(row["claim"], row["page"]): _build_judgement(row) for row in kept["judgements"]}
    return CitationJudgements(judged=judged, notes=tuple(kept["notes"]))


def _convert_to_json(
    pairs: Mapping[tuple[str, str], ClaimPair], opinions: Sequence[Opinion]
) -> list[dict[str, Any]]:
    """Without those by words, which are found again in no time."""
    rows = []
    for (claim, page), opinion in zip(pairs, opinions, strict=True):
        if isinstance(opinion, Judgement) and opinion.judge != LEXICAL_NAME:
            rows.append({"claim": claim, "page": page, **asdict(opinion)})
    return rows


def _build_judgement(row: Mapping[str, Any]) -> Judgement:
    given = {name: value for name, value in row.items() if name not in {"claim", "page"}}
    given["relation"] = ClaimRelation(given["relation"])
    given["missing_numbers"] = tuple(given["missing_numbers"])
    given["doubts"] = tuple(map(GroundingDoubt, given.get("doubts", ())))
    given["ungrounded_words"] = tuple(given.get("ungrounded_words", ()))
    return Judgement(**given)
