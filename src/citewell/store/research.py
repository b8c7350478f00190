"""What research found, kept for its owner: reports, sources, claims with evidence, and how to find them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.model.research import Claim, Evidence, Findings, Source
from citewell.store import research_rows as rows
from citewell.store import search
from citewell.store.failures import GuardFailed
from citewell.store.job_failures import ClaimNotFound, JobNotFound
from citewell.store.keychain import Keychain
from citewell.store.packing import maybe_off_loop
from citewell.store.research_rows import ClaimEvent
from citewell.store.search import Kind
from citewell.store.sql import Database, Scalar
from citewell.store.vault import Vault

_SEARCH = """
SELECT claim.name, claim.job, claim.created, claim.body, COUNT(*) OVER () AS total
FROM claim_term JOIN claim ON claim.name = claim_term.claim
WHERE {having} AND claim.owner = :owner {filters}
GROUP BY claim.name, claim.job, claim.created, claim.body
ORDER BY {score} DESC, claim.created DESC, claim.name LIMIT :limit
"""
_FILTER = """
SELECT name, job, created, body, COUNT(*) OVER () AS total
FROM claim WHERE owner = :owner {filters} ORDER BY created DESC, job, number LIMIT :limit
"""
_SIMILAR = """
SELECT job.id, {score} AS score FROM job_term JOIN job ON job.id = job_term.job
WHERE {having} AND job.owner = :owner AND job.status = 'completed'
GROUP BY job.id, job.created ORDER BY score DESC, job.created DESC LIMIT :limit
"""
_TOTAL = "SELECT COUNT(*) FROM {kind} WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundClaims:
    claims: tuple[Claim, ...] = ()
    total: int = 0  # matches beyond the limit included


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported:
    """A claim with what speaks for it and against it, and the pages that say so by their ref."""

    claim: Claim
    evidence: tuple[Evidence, ...]
    sources: dict[str, Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    job: str
    score: float  # the share of the question's telling words, by weight, that the job's has


class ResearchStore(Protocol):
    """Every call names an owner; what is not theirs cannot be told from what never was."""

    async def keep(self, owner: str, job_id: str, findings: Findings) -> None:
        """Keep all of it, in the place of what the job had kept before. Raises JobNotFound."""
        ...

    async def findings(self, owner: str, job_id: str) -> Findings | None:
        """Everything the job found; None while nothing was kept."""
        ...

    async def report(self, owner: str, job_id: str) -> Findings | None:
        """The report and its suggestions alone, without sources, claims and evidence."""
        ...

    async def claims(
        self,
        owner: str,
        *,
        query: str | None = None,
        job: str | None = None,
        level: str | None = None,
        limit: int = 20,
    ) -> FoundClaims:
        """Claims by their words, the best match first, or all of a job in its order."""
        ...

    async def claim(self, owner: str, claim_id: str) -> Supported:
        """Raises ClaimNotFound."""
        ...

    async def history(self, owner: str, claim_id: str) -> tuple[ClaimEvent, ...]: ...

    async def note(self, owner: str, claim_id: str, event: ClaimEvent) -> None:
        """Add to a claim's history."""
        ...

    async def similar(self, owner: str, query: str, *, limit: int = 5) -> tuple[Similar, ...]:
        """Completed jobs that were asked something like it."""
        ...


class SqlResearch:
    def __init__(self, database: Database, vault: Vault, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock

    async def keep(self, owner: str, job_id: str, findings: Findings) -> None:
        chain = await self._vault.find(owner)
        if chain is None:
            raise JobNotFound
        now = self._clock()
        batch = await asyncio.to_thread(lambda: rows.kept(chain, job_id, findings, now))
        try:
            await self._database.execute([self._vault.guard(chain), *batch])
        except GuardFailed:
            raise JobNotFound from None

    async def findings(self, owner: str, job_id: str) -> Findings | None:
        tag = await self._vault.tag(owner)
        params: dict[str, Scalar] = {"job": job_id, "owner": tag}
        head, sources, claims, evidence = await asyncio.gather(
            *(
                self._database.fetch(sql, params)
                for sql in (rows.FINDINGS, rows.SOURCES, rows.CLAIMS, rows.EVIDENCE)
            )
        )
        if not head:
            return None
        bodies = [row[-1] for row in (*head, *sources, *claims, *evidence)]
        chain = await self._opener(owner, bodies)

        def opened() -> Findings:
            return rows.open_findings(chain, job_id, head[0][0]).model_copy(
                update={
                    "sources": tuple(rows.open_source(chain, job_id, row) for row in sources),
                    "claims": tuple(rows.open_claim(chain, row) for row in claims),
                    "evidence": tuple(rows.open_evidence(chain, row) for row in evidence),
                }
            )

        return await maybe_off_loop(sum(map(len, bodies)), opened)

    async def report(self, owner: str, job_id: str) -> Findings | None:
        tag = await self._vault.tag(owner)
        head = await self._database.fetch(rows.FINDINGS, {"job": job_id, "owner": tag})
        if not head:
            return None
        chain = await self._opener(owner, [head[0][0]])
        return rows.open_findings(chain, job_id, head[0][0])

    async def claims(
        self,
        owner: str,
        *,
        query: str | None = None,
        job: str | None = None,
        level: str | None = None,
        limit: int = 20,
    ) -> FoundClaims:
        chain = await self._vault.find(owner)
        if chain is None:
            return FoundClaims()
        params: dict[str, Scalar] = {"owner": chain.tag, "limit": limit}
        filters = ""
        for column, value in (("job", job), ("level", level)):
            if value is not None:
                filters += f" AND claim.{column} = :{column}"
                params[column] = value
        sql = _FILTER.format(filters=filters)
        if query is not None:
            weights = await self._weights(chain, "claim", query)
            if not weights:
                return FoundClaims()
            score, having, values = search.scored("claim", weights)
            sql = _SEARCH.format(score=score, having=having, filters=filters)
            params |= values
        found = await self._database.fetch(sql, params)
        opener = await self._opener(owner, [row[3] for row in found])
        return FoundClaims(
            claims=tuple(rows.open_claim(opener, row[:4]) for row in found),
            total=int(found[0][4]) if found else 0,
        )

    async def claim(self, owner: str, claim_id: str) -> Supported:
        chain = await self._vault.find(owner)
        params: dict[str, Scalar] = {
            "alias": rows.alias(chain, claim_id) if chain else "",
            "owner": chain.tag if chain else "",
        }
        found = await self._database.fetch(rows.CLAIM, params) if chain else []
        if not found:
            raise ClaimNotFound
        (row,) = found
        evidence = await self._database.fetch(rows.CLAIM_EVIDENCE, {"claim": row[0]})
        sources = await self._database.fetch(
            rows.SOURCES, {"job": row[1], "owner": params["owner"]}
        )
        opener = await self._opener(owner, [one[-1] for one in (row, *evidence, *sources)])
        pages = [rows.open_source(opener, row[1], one) for one in sources]
        snippets = tuple(rows.open_evidence(opener, one) for one in evidence)
        cited = {one.source for one in snippets}
        return Supported(
            claim=rows.open_claim(opener, row),
            evidence=snippets,
            sources={page.ref: page for page in pages if page.ref in cited},
        )

    async def history(self, owner: str, claim_id: str) -> tuple[ClaimEvent, ...]:
        name = await self._name(owner, claim_id)
        found = await self._database.fetch(rows.HISTORY, {"claim": name})
        opener = await self._opener(owner, [row[-1] for row in found])
        return tuple(rows.open_happened(opener, name, row) for row in found)

    async def note(self, owner: str, claim_id: str, event: ClaimEvent) -> None:
        name = await self._name(owner, claim_id)
        chain = await self._opener(owner, [])
        try:
            await self._database.execute([rows.happened(chain, name, event)])
        except GuardFailed:
            raise ClaimNotFound from None

    async def similar(self, owner: str, query: str, *, limit: int = 5) -> tuple[Similar, ...]:
        chain = await self._vault.find(owner)
        weights = await self._weights(chain, "job", query) if chain else {}
        if chain is None or not weights:
            return ()
        score, having, values = search.scored("job", weights)
        sql = _SIMILAR.format(score=score, having=having)
        found = await self._database.fetch(sql, values | {"owner": chain.tag, "limit": limit})
        # Words that no job ever had count against every job.
        words = len(search.tokens(chain, query))
        whole = sum(weights.values()) * words / len(weights)
        return tuple(Similar(job=job, score=float(scored) / whole) for job, scored in found)

    async def _weights(self, chain: Keychain, kind: Kind, query: str) -> dict[str, float]:
        wanted = search.tokens(chain, query)
        if not wanted:
            return {}
        ((total,),) = await self._database.fetch(_TOTAL.format(kind=kind), {"owner": chain.tag})
        return await search.weighed(self._database, kind, wanted, int(total))

    async def _name(self, owner: str, claim_id: str) -> str:
        chain = await self._vault.find(owner)
        if chain is None:
            raise ClaimNotFound
        params: dict[str, Scalar] = {"alias": rows.alias(chain, claim_id), "owner": chain.tag}
        found = await self._database.fetch(rows.CLAIM, params)
        if not found:
            raise ClaimNotFound
        return str(found[0][0])

    async def _opener(self, owner: str, bodies: Sequence[bytes]) -> Keychain:
        chain = await self._vault.covering(owner, bodies)
        if chain is None:
            raise JobNotFound
        return chain
