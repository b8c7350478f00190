"""Finished jobs with their findings, for the suites of what is kept of research."""

from __future__ import annotations

from typing import Any

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    FollowOnTopic,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
    ValueRow,
    ValueTable,
)
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from tests.contract.offices import OWNER, office, order
from tests.contract.states import Kept


async def nothing(run: WorkflowRun) -> Any:
    return None


def claim(number: int, content: str, level: str = "high", **more: Any) -> ResearchClaim:
    return ResearchClaim(
        id=f"claim-{number}", content=content, confidence=0.8, confidence_level=level, **more
    )


def findings(*claims: ResearchClaim) -> ResearchFindings:
    sources = tuple(
        ResearchSource(ref=f"src_{number}", url=f"https://example.org/{number}", title="日本")
        for number in (1, 2)
    )
    evidence = tuple(
        ClaimEvidence(
            id=f"evidence-{one.id}",
            claim_id=one.id,
            relation=ClaimRelation.SUPPORTS,
            snippet=f"It is said that {one.content}",
            start=3,
            end=40,
            relevance_score=0.9,
            discovered_by_provider="local",
            source="src_2",
        )
        for one in claims
    )
    return ResearchFindings(
        query="Why lighthouses?",
        synthesis="Because [src_1].",
        synthesis_by="extractive",
        sources=sources,
        claims=claims,
        evidence=evidence,
        value_tables=(
            ValueTable(subject="height", rows=(ValueRow(value="30 m", source="src_1"),)),
        ),
        follow_ons=(FollowOnTopic(topic="Who keeps them?", rationale="Nothing was found."),),
        not_found=("cost",),
        notes=("partial",),
    )


async def job_of(store: Kept, state: StateStore, owner: str = OWNER, **more: Any) -> str:
    return (await office(store, state, nothing).dispatch_job(owner, order(**more))).job.id


LIGHT = claim(1, "Lighthouses were automated in 1998", sources=("src_1",))
