"""The judge of a research job: asked once, stored, and the same after a restart."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

from citewell.core.values.research import RESEARCH_TIERS, ClaimRelation, ProviderReport
from citewell.evidence.judging.claim_judge import ClaimJudge
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.evidence.judging.model_judge import ModelJudge
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.step_values import PageReading
from citewell.research.claims.citation_check import CitationCheck, judge_citations, list_cited_pairs
from citewell.research.planning.research_plan import build_research_plan
from tests.internet.judgements import quote_honestly
from tests.judges import ScriptedModel

PAGE = "https://drugs.example.org/trial"
KEY = "drugs.example.org/trial"
TEXT = "The pill did not lower mortality in the trial. Nobody was harmed."
REPORT = ProviderReport(
    provider="openai",
    text=f"The pill lowered mortality in the trial ([trial]({PAGE})).",
)


class StoredRun:
    """Keeps the results of steps, as the job's store does."""

    def __init__(self) -> None:
        self.job = SimpleNamespace(owner="default/anonymous")
        self.steps: dict[str, str] = {}
        self.events: list[Any] = []

    async def run_step(self, key: str, work: Any) -> Any:
        if key not in self.steps:
            self.steps[key] = json.dumps(await work())
        return json.loads(self.steps[key])

    async def emit_event(self, event: str, **payload: Any) -> None:
        self.events.append((event, payload))


def test_a_restarted_job_asks_the_model_nothing_again() -> None:
    model = ScriptedModel(lambda material: quote_honestly(material, "contradicts"))
    run = StoredRun()
    pages = {KEY: PageReading(url=PAGE, title="Trial", text=TEXT, language="en")}

    async def open_judge(context: JudgeContext, seconds: float) -> ClaimJudge:
        assert context.open_caller is not None
        return ModelJudge(
            context.open_caller("scripted"), seconds=seconds, progress=context.progress
        )

    async def judge_twice() -> list[Any]:
        pairs = list_cited_pairs([REPORT], pages, lambda _report, _page: False)
        judging = ClaimJudging("model", open_judge, seconds=30)
        return [
            await judge_citations(cast("WorkflowRun", run), judging, pairs, lambda _name: model)
            for _ in range(2)
        ]

    first, second = asyncio.run(judge_twice())

    assert first == second
    assert len(model.asked) == 1
    assert run.events == [("claims_judged", {"count": 1, "total": 1})]
    [found] = first.judged.values()
    assert (found.relation, found.judge) == (ClaimRelation.CONTRADICTS, "model:scripted")
    assert found.quote == TEXT[found.start : found.end]


def test_a_judgement_counts_instead_of_the_words() -> None:
    model = ScriptedModel(lambda material: quote_honestly(material, "contradicts"))
    pages = {KEY: PageReading(url=PAGE, title="Trial", text=TEXT, language="en")}
    pairs = list_cited_pairs([REPORT], pages, lambda _report, _page: False)
    judged = asyncio.run(ModelJudge(model, seconds=30).judge_claims(tuple(pairs.values())))
    plan = build_research_plan("Does the pill lower mortality?", RESEARCH_TIERS["XXS"])

    check = CitationCheck(pages, {KEY: "src_1"}, dict(zip(pairs, judged, strict=True)))  # type: ignore[arg-type]
    [row] = check.judge_statements(plan, REPORT)

    assert (row.relation, row.judge, row.support) == (
        ClaimRelation.CONTRADICTS,
        "model:scripted",
        0.0,
    )
    assert row.snippet == "The pill did not lower mortality in the trial."
