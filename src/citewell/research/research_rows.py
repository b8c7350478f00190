"""SQL and encryption of rows for findings, sources, claims, evidence and claim events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.core.values.research import (
    ClaimEvidence,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.durable_job import JsonValue
from citewell.jobs.store import job_rows
from citewell.store.encryption import OwnerKeychain
from citewell.store.owner_table import OwnedTable
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement

FINDINGS = OwnedTable(name="findings", counted_as="reports", is_compressed=True)
SOURCES = OwnedTable(name="source", counted_as="sources", parent="job", is_compressed=True)
CLAIMS = OwnedTable(name="claim", counted_as="claims", is_compressed=True)
EVIDENCE = OwnedTable(
    name="evidence", counted_as="evidence", parent="claim", parent_key="name", is_compressed=True
)
EVENTS = OwnedTable(name="claim_event", parent="claim", parent_key="name", is_compressed=True)

_DELETE_JOB_FINDINGS = (
    "DELETE FROM findings WHERE job = :job",
    "DELETE FROM source WHERE job = :job",
    "DELETE FROM claim WHERE job = :job",
)
_CHECK_JOB_OWNER = "UPDATE job SET seq = seq WHERE id = :job AND owner = :owner"
_INSERT_FINDINGS = "INSERT INTO findings (job, owner, body) VALUES (:job, :owner, :body)"
_INSERT_SOURCE = "INSERT INTO source (job, number, name, body) VALUES (:job, :number, :name, :body)"
_INSERT_CLAIM = """
INSERT INTO claim (name, job, owner, alias, number, created, level, body)
VALUES (:name, :job, :owner, :alias, :number, :created, :level, :body)
"""
_INSERT_EVIDENCE = "INSERT INTO evidence (claim, number, body) VALUES (:claim, :number, :body)"
_INSERT_CLAIM_EVENT = """
INSERT INTO claim_event (claim, seq, happened, body)
VALUES (:claim, (SELECT COUNT(*) + 1 FROM claim_event WHERE claim = :claim), :now, :body)
"""
_IS_IN_OWNED_JOB = "job IN (SELECT id FROM job WHERE id = :job AND owner = :owner)"
SELECT_FINDINGS = "SELECT body FROM findings WHERE job = :job AND owner = :owner"
SELECT_SOURCES = f"SELECT number, body FROM source WHERE {_IS_IN_OWNED_JOB} ORDER BY number"  # noqa: S608 - constants
SELECT_JOB_CLAIMS = """
SELECT name, job, created, body FROM claim WHERE job = :job AND owner = :owner ORDER BY number
"""
SELECT_JOB_EVIDENCE = """
SELECT evidence.claim, evidence.number, evidence.body
FROM evidence JOIN claim ON claim.name = evidence.claim
WHERE claim.job = :job AND claim.owner = :owner ORDER BY claim.number, evidence.number
"""
# If two jobs used the same claim id, it means the newer claim.
SELECT_CLAIM = """
SELECT name, job, created, body FROM claim
WHERE alias = :alias AND owner = :owner ORDER BY created DESC, name LIMIT 1
"""
SELECT_CLAIM_EVIDENCE = (
    "SELECT claim, number, body FROM evidence WHERE claim = :claim ORDER BY number"
)
SELECT_CLAIM_EVENTS = "SELECT happened, body FROM claim_event WHERE claim = :claim ORDER BY seq"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvent:
    """An event in the history of a claim; times are seconds since the epoch."""

    happened: float
    type: str  # claim_created, confidence_changed, evidence_added, …
    actor: str = "system"
    payload: Mapping[str, JsonValue]


def hash_claim_name(chain: OwnerKeychain, job: str, claim_id: str) -> str:
    return chain.hash_row_name("claim", job, claim_id)


def hash_claim_alias(chain: OwnerKeychain, claim_id: str) -> str:
    return chain.hash_row_name("claim alias", claim_id)


def build_findings_batch(
    chain: OwnerKeychain, job: str, found: ResearchFindings, now: float
) -> list[SqlStatement]:
    """Statements that store the findings of a job and delete its earlier ones."""
    owned: dict[str, SqlScalar] = {"job": job, "owner": chain.tag}
    rest = found.model_copy(update={"sources": (), "claims": (), "evidence": ()})
    body = FINDINGS.encrypt_body(chain, job, rest.model_dump_json().encode())
    return [
        SqlStatement(sql=_CHECK_JOB_OWNER, params=owned, expected_rows=1),
        *(SqlStatement(sql=sql, params=owned) for sql in _DELETE_JOB_FINDINGS),
        SqlStatement(sql=_INSERT_FINDINGS, params=owned | {"body": body}, expected_rows=1),
        *_build_source_inserts(chain, job, found),
        *_build_claim_inserts(chain, job, found, now),
    ]


def build_claim_event_insert(chain: OwnerKeychain, claim: str, event: ClaimEvent) -> SqlStatement:
    plain = {"type": event.type, "actor": event.actor, "payload": dict(event.payload)}
    params: dict[str, SqlScalar] = {
        "claim": claim,
        "now": event.happened,
        "body": EVENTS.encrypt_body(chain, claim, json.dumps(plain).encode()),
    }
    return SqlStatement(sql=_INSERT_CLAIM_EVENT, params=params, expected_rows=1)


def decrypt_findings(chain: OwnerKeychain, job: str, sealed: bytes) -> ResearchFindings:
    return ResearchFindings.model_validate_json(FINDINGS.decrypt_body(chain, job, sealed))


def decrypt_source(chain: OwnerKeychain, job: str, row: SqlRow) -> ResearchSource:
    number, sealed = row
    return ResearchSource.model_validate_json(
        SOURCES.decrypt_body(chain, f"{job}/{number}", sealed)
    )


def decrypt_claim(chain: OwnerKeychain, row: SqlRow) -> ResearchClaim:
    named, job, created, sealed = row
    claim = ResearchClaim.model_validate_json(CLAIMS.decrypt_body(chain, named, sealed))
    stamp = datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")
    return claim.model_copy(update={"job_id": job, "created_at": claim.created_at or stamp})


def decrypt_evidence(chain: OwnerKeychain, row: SqlRow) -> ClaimEvidence:
    claim, number, sealed = row
    return ClaimEvidence.model_validate_json(
        EVIDENCE.decrypt_body(chain, f"{claim}/{number}", sealed)
    )


def _build_source_inserts(
    chain: OwnerKeychain, job: str, found: ResearchFindings
) -> Iterator[SqlStatement]:
    for number, source in enumerate(found.sources, start=1):
        plain = source.model_dump_json().encode()
        params: dict[str, SqlScalar] = {
            "job": job,
            "number": number,
            "name": chain.hash_row_name("source", job, source.ref),
            "body": SOURCES.encrypt_body(chain, f"{job}/{number}", plain),
        }
        yield SqlStatement(sql=_INSERT_SOURCE, params=params)


def _build_claim_inserts(
    chain: OwnerKeychain, job: str, found: ResearchFindings, now: float
) -> Iterator[SqlStatement]:
    words: list[tuple[str, str]] = []
    for number, claim in enumerate(found.claims, start=1):
        named = hash_claim_name(chain, job, claim.id)
        plain = claim.model_dump_json().encode()
        params: dict[str, SqlScalar] = {
            "name": named,
            "job": job,
            "owner": chain.tag,
            "alias": hash_claim_alias(chain, claim.id),
            "number": number,
            "created": now,
            "level": claim.confidence_level,
            "body": CLAIMS.encrypt_body(chain, named, plain),
        }
        yield SqlStatement(sql=_INSERT_CLAIM, params=params, expected_rows=1)
        created = {"confidence": claim.confidence, "sources": list(claim.sources)}
        yield build_claim_event_insert(
            chain, named, ClaimEvent(happened=now, type="claim_created", payload=created)
        )
        words += [
            (token, named)
            for token in job_rows.hash_text_terms(chain, claim.content, max_terms=200)
        ]
    yield from job_rows.build_term_inserts("claim", words)
    yield from _build_evidence_inserts(chain, job, found)


def _build_evidence_inserts(
    chain: OwnerKeychain, job: str, found: ResearchFindings
) -> Iterator[SqlStatement]:
    claims = {claim.id for claim in found.claims}
    counted: dict[str, int] = {}
    for item in found.evidence:
        if item.claim_id not in claims:
            continue  # evidence without a claim could never be read
        named = hash_claim_name(chain, job, item.claim_id)
        number = counted[named] = counted.get(named, 0) + 1
        plain = item.model_dump_json().encode()
        sealed = EVIDENCE.encrypt_body(chain, f"{named}/{number}", plain)
        params: dict[str, SqlScalar] = {"claim": named, "number": number, "body": sealed}
        yield SqlStatement(sql=_INSERT_EVIDENCE, params=params)
