"""Jobs as rows: what is sealed in which column, and how a row is read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.model.job import JSON, Event, Job, JobView, Step, StepState
from citewell.model.research import Status
from citewell.store.keychain import Keychain
from citewell.store.packing import pack, unpack
from citewell.store.sql import Row, Scalar, Statement

_JOB, _STEP, _EVENT = "job", "job_step", "job_event"

_COLUMNS = (
    "job.id, job.thread, job.kind, job.status, job.created, job.started, job.finished, "
    "job.cancel, job.seq, job.cap, job.spent"
)
# What is long is told once, with the first step or without any.
_FIRST = "COALESCE(job_step.number, 1) = 1"
VIEW = f"""
SELECT {_COLUMNS}, CASE WHEN {_FIRST} THEN job.body END,
    CASE WHEN {_FIRST} AND job.status = 'failed' THEN job.result END,
    job_step.name, job_step.state, job_step.provider, job_step.started, job_step.finished,
    job_step.estimate, job_step.cost, job_step.head
FROM job LEFT JOIN job_step ON job_step.job = job.id
WHERE job.id = :id AND job.owner = :owner ORDER BY job_step.number
"""  # noqa: S608 - constants
LISTED = f"""
SELECT {_COLUMNS}, job.body, CASE WHEN job.status = 'failed' THEN job.result END,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM job WHERE owner = :owner AND created >= :since ORDER BY created DESC, id LIMIT :limit
"""  # noqa: S608 - constants
OF_THREAD = f"""
SELECT {_COLUMNS}, job.body, CASE WHEN job.status = 'failed' THEN job.result END,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM job WHERE owner = :owner AND thread = :thread ORDER BY created DESC, id LIMIT :limit
"""  # noqa: S608 - constants
RESULT = "SELECT status, result FROM job WHERE id = :id AND owner = :owner"
STEP = """
SELECT job_step.state, job_step.body, job_step.cost, job_step.provider, job_step.head
FROM job_step JOIN job ON job.id = job_step.job
WHERE job_step.job = :id AND job_step.name = :name AND job.owner = :owner
"""
EVENTS = """
SELECT job_event.seq, job_event.happened, job_event.body
FROM job_event JOIN job ON job.id = job_event.job
WHERE job_event.job = :id AND job.owner = :owner AND job_event.seq > :after
ORDER BY job_event.seq LIMIT :limit
"""
EVENT = """
INSERT INTO job_event (job, seq, happened, body)
VALUES (:id, (SELECT seq FROM job WHERE id = :id), :now, :event)
"""
INSERT = """
INSERT INTO job (id, owner, thread, kind, status, priority, created, due, delay, holder, fence,
    expires, attempts, cancel, seq, cap, held, spent, body)
VALUES (:id, :owner, :thread, :kind, 'pending', :priority, :now, 0, 0, '', 0,
    0, 0, 0, 1, :cap, 0, 0, :body)
"""
BUSY = "SELECT 1 FROM job WHERE thread = :thread AND finished IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is sealed of a step besides its result."""

    key: str
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JSON] | None = None


def encoded(value: JSON) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def step_name(chain: Keychain, job: str, key: str) -> str:
    return chain.name("step", job, key)


def sealed_job(chain: Keychain, job: Job) -> bytes:
    """The owner is sealed with it: a worker knows only what stands in the tables."""
    plain = {"owner": job.owner, "args": dict(job.args)}
    return chain.seal(_JOB, job.id, pack(encoded(plain)))


def sealed_result(chain: Keychain, job: str, status: Status, value: JSON) -> bytes:
    return chain.seal(_JOB, f"{job}/{status}", pack(encoded(value)))


def open_result(chain: Keychain, job: str, status: str, sealed: bytes) -> JSON:
    return json.loads(unpack(chain.open(_JOB, f"{job}/{status}", sealed)))


def sealed_step(chain: Keychain, place: tuple[str, str, StepState], head: Head) -> bytes:
    plain = {"key": head.key, "ref": head.ref, "tag": head.tag, "error": head.error}
    return chain.seal(_STEP, "/".join(place), pack(encoded(plain)))


def open_step(chain: Keychain, place: tuple[str, str, str], sealed: bytes) -> Head:
    return Head(**json.loads(unpack(chain.open(_STEP, "/".join(place), sealed))))


def sealed_step_result(chain: Keychain, job: str, name: str, value: JSON) -> bytes:
    return chain.seal(_STEP, f"{job}/{name}/result", pack(encoded(value)))


def open_step_result(chain: Keychain, job: str, name: str, sealed: bytes) -> JSON:
    return json.loads(unpack(chain.open(_STEP, f"{job}/{name}/result", sealed)))


def event(
    chain: Keychain, job: str, now: float, kind: str, payload: Mapping[str, JSON]
) -> Statement:
    """Append to the job's log, under the number its row has just been given."""
    plain = pack(encoded({"type": kind, "payload": dict(payload)}))
    params: dict[str, Scalar] = {"id": job, "now": now, "event": chain.seal(_EVENT, job, plain)}
    return Statement(sql=EVENT, params=params, expect=1)


def open_event(chain: Keychain, job: str, row: Row) -> Event:
    seq, happened, sealed = row
    plain = json.loads(unpack(chain.open(_EVENT, job, sealed)))
    return Event(seq=seq, happened=happened, **plain)


def sealed_parts(found: Sequence[Row]) -> list[bytes]:
    """Whatever in these rows needs a key."""
    return [part for row in found for part in (row[11], row[12], row[20]) if part is not None]


def open_view(chain: Keychain, found: Sequence[Row]) -> JobView:
    """The rows of VIEW, or one of a listing."""
    first = found[0]
    job_id, thread, kind, status, created, started, finished, cancel, seq, cap, spent = first[:11]
    plain = json.loads(unpack(chain.open(_JOB, job_id, first[11])))
    failed = first[12] is not None
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
        status=Status(status),
        seq=seq,
        started=started,
        finished=finished,
        cancelling=bool(cancel) and finished is None,
        spent=spent,
        error=open_result(chain, job_id, status, first[12]) if failed else None,
        steps=tuple(_step(chain, job_id, row[13:]) for row in found if row[13] is not None),
    )


def _step(chain: Keychain, job: str, row: Row) -> Step:
    name, state, provider, started, finished, estimate, cost, sealed = row
    head = open_step(chain, (job, name, state), sealed)
    return Step(
        key=head.key,
        state=StepState(state),
        provider=provider,
        started=started,
        finished=finished,
        estimate=estimate,
        cost=cost,
        ref=head.ref,
        tag=head.tag,
        error=head.error,
    )


def open_job(chain: Keychain, row: Row) -> Job:
    """A claimed row: id, thread, kind, created, cap, body."""
    job_id, thread, kind, created, cap, sealed = row
    plain = json.loads(unpack(chain.open(_JOB, job_id, sealed)))
    return Job(
        id=job_id,
        owner=plain["owner"],
        kind=kind,
        args=plain["args"],
        thread=thread,
        cap=cap,
        created=created,
    )
