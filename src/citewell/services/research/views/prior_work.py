"""Finds the owner's earlier research on a similar question, to show beside a new job."""

from __future__ import annotations

from typing import Any

from citewell.services.jobs.job_service import JobService
from citewell.services.research.planning.assignments import parse_assignment
from citewell.services.research.views.account_views import format_timestamp
from citewell.store.research.research_store import ResearchStore

_MAX_PRIOR_CLAIMS, _MAX_PRIOR_JOBS = 5, 3
_MIN_QUESTION_SIMILARITY = (
    0.5  # share of the question's words, by weight; below it the questions differ
)


class PriorWork:
    """Looks for earlier jobs with a similar question in the research store."""

    def __init__(self, store: ResearchStore, jobs: JobService) -> None:
        self._store = store
        self._jobs = jobs

    async def find_prior_work(self, owner: str, query: str) -> dict[str, Any] | None:
        """Earlier jobs with a similar question and their claims; None if there are none."""
        found = await self._store.find_similar_jobs(owner, query, limit=_MAX_PRIOR_JOBS)
        alike = [one.job for one in found if one.score >= _MIN_QUESTION_SIMILARITY]
        if not alike:
            return None
        claims = [await self._list_prior_claims(owner, job, query) for job in alike]
        return {
            "note": "You have earlier research on a similar question. The new job runs independently of it.",
            "jobs": [await self._build_job_summary(owner, job) for job in alike],
            "claims": [claim for rows in claims for claim in rows][:_MAX_PRIOR_CLAIMS],
        }

    async def _build_job_summary(self, owner: str, job: str) -> dict[str, Any]:
        view = await self._jobs.load_job_view(owner, job)
        return {
            "jobId": job,
            "query": parse_assignment(view.job.args).query,
            "createdAt": format_timestamp(view.job.created),
        }

    async def _list_prior_claims(self, owner: str, job: str, query: str) -> list[dict[str, Any]]:
        found = await self._store.search_stored_claims(
            owner, job=job, query=query[:500], limit=_MAX_PRIOR_CLAIMS
        )
        return [
            {
                "id": claim.id,
                "content": claim.content,
                "confidenceLevel": claim.confidence_level,
                "jobId": job,
            }
            for claim in found.claims
        ]
