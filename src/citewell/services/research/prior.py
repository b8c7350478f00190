"""What the owner's earlier research already knows about a question: offered, never put in its place."""

from __future__ import annotations

from typing import Any

from citewell.services.jobs.service import Jobs
from citewell.services.research.accounts import stamp
from citewell.services.research.asking import assignment
from citewell.store.research import ResearchStore

_CLAIMS, _JOBS = 5, 3
_ALIKE = 0.5  # of the question's telling words, by weight: less was another question


class Prior:
    def __init__(self, store: ResearchStore, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs

    async def about(self, owner: str, query: str) -> dict[str, Any] | None:
        """Earlier jobs that were asked something like it, with their claims; None without any."""
        found = await self._store.similar(owner, query, limit=_JOBS)
        alike = [one.job for one in found if one.score >= _ALIKE]
        if not alike:
            return None
        claims = [await self._claims(owner, job, query) for job in alike]
        return {
            "note": "Earlier research of yours touches this question. It was not used in place of the new job.",
            "jobs": [await self._job(owner, job) for job in alike],
            "claims": [claim for rows in claims for claim in rows][:_CLAIMS],
        }

    async def _job(self, owner: str, job: str) -> dict[str, Any]:
        view = await self._jobs.view(owner, job)
        return {
            "jobId": job,
            "query": assignment(view.job.args).query,
            "createdAt": stamp(view.job.created),
        }

    async def _claims(self, owner: str, job: str, query: str) -> list[dict[str, Any]]:
        found = await self._store.claims(owner, job=job, query=query[:500], limit=_CLAIMS)
        return [
            {
                "id": claim.id,
                "content": claim.content,
                "confidenceLevel": claim.confidence_level,
                "jobId": job,
            }
            for claim in found.claims
        ]
