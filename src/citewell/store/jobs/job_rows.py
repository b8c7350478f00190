"""SQL and encryption of job, step and event rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.model.durable_job import Job, JobEvent, JobStep, JobStepState, JobView, JsonValue
from citewell.model.research import ResearchStatus
from citewell.store.body_compression import compress_body, decompress_body
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlDialect, SqlRow, SqlScalar, SqlStatement

_JOB_TABLE, _STEP_TABLE, _EVENT_TABLE = "job", "job_step", "job_event"

_JOB_COLUMNS = (
    "job.id, job.thread, job.kind, job.status, job.created, job.started, job.finished, "
    "job.cancel, job.seq, job.cap, job.spent, job.attempts, {lost}"
)
# When a worker that is taken for dead last renewed its lease, or sent a heartbeat.
_LEASE_LOST = (
    "CASE WHEN job.finished IS NULL AND job.holder <> '' AND job.expires <= {now} "
    "THEN job.expires - job.delay END"
)
_WORKER_LOST = (
    "CASE WHEN job.finished IS NULL AND job.holder <> '' THEN COALESCE("
    "(SELECT beat FROM worker_heartbeats WHERE executor = job.holder AND beat < {now} - silence), "
    # A job that was taken off the queue has neither a lease nor a sign of life.
    "CASE WHEN job.expires <= {now} "
    "THEN GREATEST(job.expires - job.delay, COALESCE(job.started, job.created)) END) END"
)
# Long columns come once, with the first step or if there is no step.
_IS_FIRST_STEP = "COALESCE(job_step.number, 1) = 1"
SELECT_JOB_WITH_STEPS = f"""
SELECT {_JOB_COLUMNS}, CASE WHEN {_IS_FIRST_STEP} THEN job.body END,
    CASE WHEN {_IS_FIRST_STEP} AND job.status = 'failed' THEN job.result END,
    job_step.name, job_step.state, job_step.provider, job_step.started, job_step.finished,
    job_step.estimate, job_step.cost, job_step.head
FROM job LEFT JOIN job_step ON job_step.job = job.id
WHERE job.id = :id AND job.owner = :owner ORDER BY job_step.number
"""  # noqa: S608 - constants
SELECT_OWNER_JOBS = f"""
SELECT {_JOB_COLUMNS}, job.body, CASE WHEN job.status = 'failed' THEN job.result END,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM job WHERE owner = :owner AND created >= :since ORDER BY created DESC, id LIMIT :limit
"""  # noqa: S608 - constants
SELECT_THREAD_JOBS = f"""
SELECT {_JOB_COLUMNS}, job.body, CASE WHEN job.status = 'failed' THEN job.result END,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM job WHERE owner = :owner AND thread = :thread ORDER BY created DESC, id LIMIT :limit
"""  # noqa: S608 - constants
SELECT_JOB_RESULT = "SELECT status, result FROM job WHERE id = :id AND owner = :owner"
SELECT_STEP = """
SELECT job_step.state, job_step.body, job_step.cost, job_step.provider, job_step.head
FROM job_step JOIN job ON job.id = job_step.job
WHERE job_step.job = :id AND job_step.name = :name AND job.owner = :owner
"""
SELECT_EVENTS_AFTER = """
SELECT job_event.seq, job_event.happened, job_event.body
FROM job_event JOIN job ON job.id = job_event.job
WHERE job_event.job = :id AND job.owner = :owner AND job_event.seq > :after
ORDER BY job_event.seq LIMIT :limit
"""
INSERT_EVENT = """
INSERT INTO job_event (job, seq, happened, body)
VALUES (:id, (SELECT seq FROM job WHERE id = :id), :now, :event)
"""
INSERT_JOB = """
INSERT INTO job (id, owner, thread, kind, status, priority, created, due, delay, holder, fence,
    expires, attempts, cancel, seq, cap, held, spent, body)
VALUES (:id, :owner, :thread, :kind, 'pending', :priority, :now, 0, 0, '', 0,
    0, 0, 0, 1, :cap, 0, 0, :body)
"""
SELECT_UNFINISHED_IN_THREAD = "SELECT 1 FROM job WHERE thread = :thread AND finished IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHead:
    """The encrypted part of a step, without its result."""

    key: str
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JsonValue] | None = None


def complete_job_query(sql: str, dialect: SqlDialect) -> str:
    """A query of jobs, with how the engine of this store knows that a worker is lost."""
    lost = _WORKER_LOST if dialect.name == "postgres" else _LEASE_LOST
    return sql.format(lost=lost.format(now=dialect.now_expression))


def encode_compact_json(value: JsonValue) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def hash_step_name(chain: OwnerKeychain, job: str, key: str) -> str:
    return chain.hash_row_name("step", job, key)


def encrypt_job(chain: OwnerKeychain, job: Job) -> bytes:
    """The owner is part of it, because the tables hold only a hash of the owner for a worker to read."""
    plain = {"owner": job.owner, "args": dict(job.args)}
    return chain.encrypt_row(_JOB_TABLE, job.id, compress_body(encode_compact_json(plain)))


def encrypt_job_result(
    chain: OwnerKeychain, job: str, status: ResearchStatus, value: JsonValue
) -> bytes:
    return chain.encrypt_row(
        _JOB_TABLE, f"{job}/{status}", compress_body(encode_compact_json(value))
    )


def decrypt_job_result(chain: OwnerKeychain, job: str, status: str, sealed: bytes) -> JsonValue:
    return json.loads(decompress_body(chain.decrypt_row(_JOB_TABLE, f"{job}/{status}", sealed)))


def encrypt_step_head(
    chain: OwnerKeychain, place: tuple[str, str, JobStepState], head: StepHead
) -> bytes:
    plain = {"key": head.key, "ref": head.ref, "tag": head.tag, "error": head.error}
    return chain.encrypt_row(
        _STEP_TABLE, "/".join(place), compress_body(encode_compact_json(plain))
    )


def decrypt_step_head(chain: OwnerKeychain, place: tuple[str, str, str], sealed: bytes) -> StepHead:
    return StepHead(
        **json.loads(decompress_body(chain.decrypt_row(_STEP_TABLE, "/".join(place), sealed)))
    )


def encrypt_step_result(chain: OwnerKeychain, job: str, name: str, value: JsonValue) -> bytes:
    return chain.encrypt_row(
        _STEP_TABLE, f"{job}/{name}/result", compress_body(encode_compact_json(value))
    )


def decrypt_step_result(chain: OwnerKeychain, job: str, name: str, sealed: bytes) -> JsonValue:
    return json.loads(
        decompress_body(chain.decrypt_row(_STEP_TABLE, f"{job}/{name}/result", sealed))
    )


def build_event_insert(
    chain: OwnerKeychain, job: str, now: float, kind: str, payload: Mapping[str, JsonValue]
) -> SqlStatement:
    """A statement that appends to the event log, under the current `seq` of the job row."""
    plain = compress_body(encode_compact_json({"type": kind, "payload": dict(payload)}))
    params: dict[str, SqlScalar] = {
        "id": job,
        "now": now,
        "event": chain.encrypt_row(_EVENT_TABLE, job, plain),
    }
    return SqlStatement(sql=INSERT_EVENT, params=params, expected_rows=1)


def decrypt_event(chain: OwnerKeychain, job: str, row: SqlRow) -> JobEvent:
    seq, happened, sealed = row
    plain = json.loads(decompress_body(chain.decrypt_row(_EVENT_TABLE, job, sealed)))
    return JobEvent(seq=seq, happened=happened, **plain)


def collect_encrypted_parts(found: Sequence[SqlRow]) -> list[bytes]:
    """All encrypted columns of these rows."""
    return [part for row in found for part in (row[13], row[14], row[22]) if part is not None]


def decrypt_job_view(chain: OwnerKeychain, found: Sequence[SqlRow]) -> JobView:
    """A job from its rows of SELECT_JOB_WITH_STEPS, or from one row of a listing."""
    first = found[0]
    job_id, thread, kind, status, created, started, finished, cancel, seq, cap, spent = first[:11]
    attempts, lost_at, body, failure = first[11:15]
    plain = json.loads(decompress_body(chain.decrypt_row(_JOB_TABLE, job_id, body)))
    return JobView(
        job=Job(
            id=job_id,
            owner=plain["owner"],
            kind=kind,
            args=plain["args"],
            thread=thread,
            cap=cap,
            created=created,
        ),
        status=ResearchStatus(status),
        seq=seq,
        started=started,
        finished=finished,
        cancelling=bool(cancel) and finished is None,
        spent=spent,
        attempts=attempts,
        worker_lost_at=lost_at,
        error=None if failure is None else decrypt_job_result(chain, job_id, status, failure),
        steps=tuple(_decrypt_step(chain, job_id, row[15:]) for row in found if row[15] is not None),
    )


def _decrypt_step(chain: OwnerKeychain, job: str, row: SqlRow) -> JobStep:
    name, state, provider, started, finished, estimate, cost, sealed = row
    head = decrypt_step_head(chain, (job, name, state), sealed)
    return JobStep(
        key=head.key,
        state=JobStepState(state),
        provider=provider,
        started=started,
        finished=finished,
        estimate=estimate,
        cost=cost,
        ref=head.ref,
        tag=head.tag,
        error=head.error,
    )


def decrypt_claimed_job(chain: OwnerKeychain, row: SqlRow) -> Job:
    """A job from a claimed row: id, thread, kind, created, cap, body."""
    job_id, thread, kind, created, cap, sealed = row
    plain = json.loads(decompress_body(chain.decrypt_row(_JOB_TABLE, job_id, sealed)))
    return Job(
        id=job_id,
        owner=plain["owner"],
        kind=kind,
        args=plain["args"],
        thread=thread,
        cap=cap,
        created=created,
    )
