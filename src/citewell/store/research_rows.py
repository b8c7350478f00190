"""What a job found, as rows: the report, its sources, claims, evidence and their history."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.model.job import JSON
from citewell.model.research import Claim, Evidence, Findings, Source
from citewell.store import search
from citewell.store.keychain import Keychain
from citewell.store.packing import pack, unpack
from citewell.store.sql import Row, Scalar, Statement

_FINDINGS, _SOURCE, _CLAIM, _EVIDENCE, _EVENT = (
    "findings", "source", "claim", "evidence", "claim_event",
)  # fmt: skip

_CLEAR = (
    "DELETE FROM findings WHERE job = :job",
    "DELETE FROM source WHERE job = :job",
    "DELETE FROM claim WHERE job = :job",
)
_OWNED = "UPDATE job SET seq = seq WHERE id = :job AND owner = :owner"
_INSERT_FINDINGS = "INSERT INTO findings (job, owner, body) VALUES (:job, :owner, :body)"
_INSERT_SOURCE = "INSERT INTO source (job, number, name, body) VALUES (:job, :number, :name, :body)"
_INSERT_CLAIM = """
INSERT INTO claim (name, job, owner, alias, number, created, level, body)
VALUES (:name, :job, :owner, :alias, :number, :created, :level, :body)
"""
_INSERT_EVIDENCE = "INSERT INTO evidence (claim, number, body) VALUES (:claim, :number, :body)"
_INSERT_EVENT = """
INSERT INTO claim_event (claim, seq, happened, body)
VALUES (:claim, (SELECT COUNT(*) + 1 FROM claim_event WHERE claim = :claim), :now, :body)
"""
_MINE = "job IN (SELECT id FROM job WHERE id = :job AND owner = :owner)"
FINDINGS = "SELECT body FROM findings WHERE job = :job AND owner = :owner"
SOURCES = f"SELECT number, body FROM source WHERE {_MINE} ORDER BY number"  # noqa: S608 - constants
SOURCE = f"SELECT number, body FROM source WHERE name = :name AND {_MINE}"  # noqa: S608 - constants
CLAIMS = """
SELECT name, job, created, body FROM claim WHERE job = :job AND owner = :owner ORDER BY number
"""
EVIDENCE = """
SELECT evidence.claim, evidence.number, evidence.body
FROM evidence JOIN claim ON claim.name = evidence.claim
WHERE claim.job = :job AND claim.owner = :owner ORDER BY claim.number, evidence.number
"""
# An id that two jobs gave means the newer one's claim.
CLAIM = """
SELECT name, job, created, body FROM claim
WHERE alias = :alias AND owner = :owner ORDER BY created DESC, name LIMIT 1
"""
CLAIM_EVIDENCE = "SELECT claim, number, body FROM evidence WHERE claim = :claim ORDER BY number"
HISTORY = "SELECT happened, body FROM claim_event WHERE claim = :claim ORDER BY seq"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvent:
    """Something that happened to a claim; times are seconds since the epoch."""

    happened: float
    type: str  # claim_created, confidence_changed, evidence_added, …
    actor: str = "system"
    payload: Mapping[str, JSON]


def name(chain: Keychain, job: str, claim_id: str) -> str:
    return chain.name("claim", job, claim_id)


def alias(chain: Keychain, claim_id: str) -> str:
    return chain.name("claim alias", claim_id)


def kept(chain: Keychain, job: str, found: Findings, now: float) -> list[Statement]:
    """Everything a job found in the place of whatever it had found before."""
    owned: dict[str, Scalar] = {"job": job, "owner": chain.tag}
    rest = found.model_copy(update={"sources": (), "claims": (), "evidence": ()})
    body = chain.seal(_FINDINGS, job, pack(rest.model_dump_json().encode()))
    return [
        Statement(sql=_OWNED, params=owned, expect=1),
        *(Statement(sql=sql, params=owned) for sql in _CLEAR),
        Statement(sql=_INSERT_FINDINGS, params=owned | {"body": body}, expect=1),
        *_sources(chain, job, found),
        *_claims(chain, job, found, now),
    ]


def happened(chain: Keychain, claim: str, event: ClaimEvent) -> Statement:
    plain = {"type": event.type, "actor": event.actor, "payload": dict(event.payload)}
    params: dict[str, Scalar] = {
        "claim": claim,
        "now": event.happened,
        "body": chain.seal(_EVENT, claim, pack(json.dumps(plain).encode())),
    }
    return Statement(sql=_INSERT_EVENT, params=params, expect=1)


def open_findings(chain: Keychain, job: str, sealed: bytes) -> Findings:
    return Findings.model_validate_json(unpack(chain.open(_FINDINGS, job, sealed)))


def open_source(chain: Keychain, job: str, row: Row) -> Source:
    number, sealed = row
    return Source.model_validate_json(unpack(chain.open(_SOURCE, f"{job}/{number}", sealed)))


def open_claim(chain: Keychain, row: Row) -> Claim:
    named, job, created, sealed = row
    claim = Claim.model_validate_json(unpack(chain.open(_CLAIM, named, sealed)))
    stamp = datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")
    return claim.model_copy(update={"job_id": job, "created_at": claim.created_at or stamp})


def open_evidence(chain: Keychain, row: Row) -> Evidence:
    claim, number, sealed = row
    return Evidence.model_validate_json(unpack(chain.open(_EVIDENCE, f"{claim}/{number}", sealed)))


def open_happened(chain: Keychain, claim: str, row: Row) -> ClaimEvent:
    at, sealed = row
    plain = json.loads(unpack(chain.open(_EVENT, claim, sealed)))
    return ClaimEvent(happened=at, **plain)


def _sources(chain: Keychain, job: str, found: Findings) -> Iterator[Statement]:
    for number, source in enumerate(found.sources, start=1):
        plain = pack(source.model_dump_json().encode())
        params: dict[str, Scalar] = {
            "job": job,
            "number": number,
            "name": chain.name("source", job, source.ref),
            "body": chain.seal(_SOURCE, f"{job}/{number}", plain),
        }
        yield Statement(sql=_INSERT_SOURCE, params=params)


def _claims(chain: Keychain, job: str, found: Findings, now: float) -> Iterator[Statement]:
    words: list[tuple[str, str]] = []
    for number, claim in enumerate(found.claims, start=1):
        named = name(chain, job, claim.id)
        plain = pack(claim.model_dump_json().encode())
        params: dict[str, Scalar] = {
            "name": named,
            "job": job,
            "owner": chain.tag,
            "alias": alias(chain, claim.id),
            "number": number,
            "created": now,
            "level": claim.confidence_level,
            "body": chain.seal(_CLAIM, named, plain),
        }
        yield Statement(sql=_INSERT_CLAIM, params=params, expect=1)
        created = {"confidence": claim.confidence, "sources": list(claim.sources)}
        yield happened(
            chain, named, ClaimEvent(happened=now, type="claim_created", payload=created)
        )
        words += [(token, named) for token in search.tokens(chain, claim.content, most=200)]
    yield from search.entered("claim", words)
    yield from _evidence(chain, job, found)


def _evidence(chain: Keychain, job: str, found: Findings) -> Iterator[Statement]:
    claims = {claim.id for claim in found.claims}
    counted: dict[str, int] = {}
    for one in found.evidence:
        if one.claim_id not in claims:
            continue  # nobody could ever ask for it
        named = name(chain, job, one.claim_id)
        number = counted[named] = counted.get(named, 0) + 1
        plain = pack(one.model_dump_json().encode())
        sealed = chain.seal(_EVIDENCE, f"{named}/{number}", plain)
        params: dict[str, Scalar] = {"claim": named, "number": number, "body": sealed}
        yield Statement(sql=_INSERT_EVIDENCE, params=params)
