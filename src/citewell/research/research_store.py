"""Stored results of research: reports, sources, claims with evidence, and search over them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.core.values.research import (
    ClaimEvidence,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.store import job_rows
from citewell.jobs.store.job_rows import IndexedKind
from citewell.jobs.store.thread_store import UnknownClaim, UnknownJob
from citewell.research import research_rows as rows
from citewell.research.research_rows import ClaimEvent
from citewell.store.encryption import OwnerKeychain, run_off_loop_if_large
from citewell.store.failures import BatchRolledBack
from citewell.store.owner_table import OwnerStore
from citewell.store.sql.database import SqlScalar

_SELECT_MATCHING_CLAIMS = """
SELECT claim.name, claim.job, claim.created, claim.body, COUNT(*) OVER () AS total
FROM claim_term JOIN claim ON claim.name = claim_term.claim
WHERE {having} AND claim.owner = :owner {filters}
GROUP BY claim.name, claim.job, claim.created, claim.body
ORDER BY {score} DESC, claim.created DESC, claim.name LIMIT :limit
"""
_SELECT_FILTERED_CLAIMS = """
SELECT name, job, created, body, COUNT(*) OVER () AS total
FROM claim WHERE owner = :owner {filters} ORDER BY created DESC, job, number LIMIT :limit
"""
_SELECT_SIMILAR_JOBS = """
SELECT job.id, {score} AS score FROM job_term JOIN job ON job.id = job_term.job
WHERE {having} AND job.owner = :owner AND job.status = 'completed'
GROUP BY job.id, job.created ORDER BY score DESC, job.created DESC LIMIT :limit
"""
_COUNT_OWNER_ITEMS = "SELECT COUNT(*) FROM {kind} WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundClaims:
    claims: tuple[ResearchClaim, ...] = ()
    total: int = 0  # of all matches, also those beyond the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWithEvidence:
    """A claim with its evidence, for and against, and the sources of the evidence by ref."""

    claim: ResearchClaim
    evidence: tuple[ClaimEvidence, ...]
    sources: dict[str, ResearchSource]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarJob:
    job: str
    score: float  # weighted share of the query's terms that occur in the job's question


class SqlResearchStore(OwnerStore):
    """Every call names an owner; what belongs to another owner looks as if it did not exist."""

    tables = (rows.FINDINGS, rows.SOURCES, rows.CLAIMS, rows.EVIDENCE, rows.EVENTS)

    async def store_findings(self, owner: str, job_id: str, findings: ResearchFindings) -> None:
        """Store the findings of a job, replacing earlier ones; raises UnknownJob."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise UnknownJob
        now = self._clock()
        batch = await asyncio.to_thread(
            lambda: rows.build_findings_batch(chain, job_id, findings, now)
        )
        try:
            await self._database.execute_batch([self._vault.build_owner_guard(chain), *batch])
        except BatchRolledBack:
            raise UnknownJob from None

    async def load_findings(self, owner: str, job_id: str) -> ResearchFindings | None:
        """All findings of the job; None if none are stored."""
        tag = await self._vault.hash_owner_tag(owner)
        params: dict[str, SqlScalar] = {"job": job_id, "owner": tag}
        head, sources, claims, evidence = await asyncio.gather(
            *(
                self._database.select_rows(sql, params)
                for sql in (
                    rows.SELECT_FINDINGS,
                    rows.SELECT_SOURCES,
                    rows.SELECT_JOB_CLAIMS,
                    rows.SELECT_JOB_EVIDENCE,
                )
            )
        )
        if not head:
            return None
        bodies = [row[-1] for row in (*head, *sources, *claims, *evidence)]
        chain = await self._require_research_keychain(owner, bodies)

        def opened() -> ResearchFindings:
            return rows.decrypt_findings(chain, job_id, head[0][0]).model_copy(
                update={
                    "sources": tuple(rows.decrypt_source(chain, job_id, row) for row in sources),
                    "claims": tuple(rows.decrypt_claim(chain, row) for row in claims),
                    "evidence": tuple(rows.decrypt_evidence(chain, row) for row in evidence),
                }
            )

        return await run_off_loop_if_large(sum(map(len, bodies)), opened)

    async def load_report(self, owner: str, job_id: str) -> ResearchFindings | None:
        """Like `load_findings`, but without sources, claims and evidence."""
        tag = await self._vault.hash_owner_tag(owner)
        head = await self._database.select_rows(rows.SELECT_FINDINGS, {"job": job_id, "owner": tag})
        if not head:
            return None
        chain = await self._require_research_keychain(owner, [head[0][0]])
        return rows.decrypt_findings(chain, job_id, head[0][0])

    async def search_stored_claims(
        self,
        owner: str,
        *,
        query: str | None = None,
        job: str | None = None,
        level: str | None = None,
        limit: int = 20,
    ) -> FoundClaims:
        """Claims that match `query`, best first; without one, the newest first and in order within a job."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return FoundClaims()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "limit": limit}
        filters = ""
        for column, value in (("job", job), ("level", level)):
            if value is not None:
                filters += f" AND claim.{column} = :{column}"
                params[column] = value
        sql = _SELECT_FILTERED_CLAIMS.format(filters=filters)
        if query is not None:
            weights = await self._score_query_terms(chain, "claim", query)
            if not weights:
                return FoundClaims()
            score, having, values = job_rows.build_score_expression("claim", weights)
            sql = _SELECT_MATCHING_CLAIMS.format(score=score, having=having, filters=filters)
            params |= values
        found = await self._database.select_rows(sql, params)
        opener = await self._require_research_keychain(owner, [row[3] for row in found])
        return FoundClaims(
            claims=tuple(rows.decrypt_claim(opener, row[:4]) for row in found),
            total=int(found[0][4]) if found else 0,
        )

    async def load_claim(self, owner: str, claim_id: str) -> ClaimWithEvidence:
        """Raises UnknownClaim."""
        chain = await self._vault.find_keychain(owner)
        params: dict[str, SqlScalar] = {
            "alias": rows.hash_claim_alias(chain, claim_id) if chain else "",
            "owner": chain.tag if chain else "",
        }
        found = await self._database.select_rows(rows.SELECT_CLAIM, params) if chain else []
        if not found:
            raise UnknownClaim
        (row,) = found
        evidence = await self._database.select_rows(rows.SELECT_CLAIM_EVIDENCE, {"claim": row[0]})
        sources = await self._database.select_rows(
            rows.SELECT_SOURCES, {"job": row[1], "owner": params["owner"]}
        )
        opener = await self._require_research_keychain(
            owner, [item[-1] for item in (row, *evidence, *sources)]
        )
        pages = [rows.decrypt_source(opener, row[1], source) for source in sources]
        snippets = tuple(rows.decrypt_evidence(opener, item) for item in evidence)
        cited = {snippet.source for snippet in snippets}
        return ClaimWithEvidence(
            claim=rows.decrypt_claim(opener, row),
            evidence=snippets,
            sources={page.ref: page for page in pages if page.ref in cited},
        )

    async def list_claim_events(self, owner: str, claim_id: str) -> tuple[ClaimEvent, ...]:
        name = await self._require_claim_name(owner, claim_id)
        found = await self._database.select_rows(rows.SELECT_CLAIM_EVENTS, {"claim": name})
        opener = await self._require_research_keychain(owner, [row[-1] for row in found])
        return tuple(
            ClaimEvent(happened=at, **json.loads(rows.EVENTS.decrypt_body(opener, name, sealed)))
            for at, sealed in found
        )

    async def add_claim_event(self, owner: str, claim_id: str, event: ClaimEvent) -> None:
        """Add an event to the history of a claim; raises UnknownClaim."""
        name = await self._require_claim_name(owner, claim_id)
        chain = await self._require_research_keychain(owner, [])
        try:
            await self._database.execute_batch([rows.build_claim_event_insert(chain, name, event)])
        except BatchRolledBack:
            raise UnknownClaim from None

    async def find_similar_jobs(
        self, owner: str, query: str, *, limit: int = 5
    ) -> tuple[SimilarJob, ...]:
        """Completed jobs whose question resembles `query`, most similar first."""
        chain = await self._vault.find_keychain(owner)
        weights = await self._score_query_terms(chain, "job", query) if chain else {}
        if chain is None or not weights:
            return ()
        score, having, values = job_rows.build_score_expression("job", weights)
        sql = _SELECT_SIMILAR_JOBS.format(score=score, having=having)
        found = await self._database.select_rows(sql, values | {"owner": chain.tag, "limit": limit})
        # Terms that no job has lower the score of every job.
        words = len(job_rows.hash_text_terms(chain, query))
        whole = sum(weights.values()) * words / len(weights)
        return tuple(SimilarJob(job=job, score=float(scored) / whole) for job, scored in found)

    async def _score_query_terms(
        self, chain: OwnerKeychain, kind: IndexedKind, query: str
    ) -> dict[str, float]:
        wanted = job_rows.hash_text_terms(chain, query)
        if not wanted:
            return {}
        ((total,),) = await self._database.select_rows(
            _COUNT_OWNER_ITEMS.format(kind=kind), {"owner": chain.tag}
        )
        return await job_rows.load_term_weights(self._database, kind, wanted, int(total))

    async def _require_claim_name(self, owner: str, claim_id: str) -> str:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise UnknownClaim
        params: dict[str, SqlScalar] = {
            "alias": rows.hash_claim_alias(chain, claim_id),
            "owner": chain.tag,
        }
        found = await self._database.select_rows(rows.SELECT_CLAIM, params)
        if not found:
            raise UnknownClaim
        return str(found[0][0])

    async def _require_research_keychain(
        self, owner: str, bodies: Sequence[bytes]
    ) -> OwnerKeychain:
        chain = await self._vault.find_covering_keychain(owner, bodies)
        if chain is None:
            raise UnknownJob
        return chain
