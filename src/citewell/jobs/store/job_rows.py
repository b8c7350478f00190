"""SQL and encryption of job, step and event rows, and search over the terms of questions and claims, kept as keyed hashes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import Job, JobEvent, JobStep, JobStepState, JobView, JsonValue
from citewell.store.encryption import OwnerKeychain, compress_body, decompress_body
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement
from citewell.text.language import word_forms

JOB_TABLE, _STEP_TABLE, _EVENT_TABLE = "job", "job_step", "job_event"

_JOB_COLUMNS = (
    "job.id, job.thread, job.kind, job.created, job.cap, job.status, job.started, job.finished, "
    "job.cancel, job.seq, job.spent, job.attempts, {lost}"
)
# When a worker that is taken for dead last renewed its lease, or sent a heartbeat.
LEASE_LOST = (
    "CASE WHEN job.finished IS NULL AND job.holder <> '' AND job.expires <= {now} "
    "THEN job.expires - job.delay END"
)
WORKER_LOST = (
    "CASE WHEN job.finished IS NULL AND job.holder <> '' THEN COALESCE("
    "(SELECT beat FROM worker_heartbeats WHERE executor = job.holder AND beat < {now} - silence), "
    # A job that was taken off the queue has neither a lease nor a sign of life.
    "CASE WHEN job.expires <= {now} "
    "THEN GREATEST(job.expires - job.delay, COALESCE(job.started, job.created)) END) END"
)
STEP_COLUMNS = (
    "job_step.name, job_step.state, job_step.provider, job_step.started, job_step.finished, "
    "job_step.estimate, job_step.cost, job_step.head"
)
# Long columns come once, with the first step or if there is no step.
_IS_FIRST_STEP = "COALESCE(job_step.number, 1) = 1"
SELECT_JOB_WITH_STEPS = f"""
SELECT {_JOB_COLUMNS}, CASE WHEN {_IS_FIRST_STEP} THEN job.body END,
    CASE WHEN {_IS_FIRST_STEP} AND job.status = 'failed' THEN job.result END,
    {STEP_COLUMNS}
FROM job LEFT JOIN job_step ON job_step.job = job.id
WHERE job.id = :id AND job.owner = :owner ORDER BY job_step.number
"""  # noqa: S608 - constants
_SELECT_LISTED = f"""
SELECT {_JOB_COLUMNS}, job.body, CASE WHEN job.status = 'failed' THEN job.result END,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM job WHERE owner = :owner AND {{condition}} ORDER BY created DESC, id LIMIT :limit
"""  # noqa: S608 - constants
SELECT_OWNER_JOBS = _SELECT_LISTED.replace("{condition}", "created >= :since")
SELECT_THREAD_JOBS = _SELECT_LISTED.replace("{condition}", "thread = :thread")
SELECT_JOB_RESULT = "SELECT status, result FROM job WHERE id = :id AND owner = :owner"
SELECT_STEP = f"""
SELECT {STEP_COLUMNS}, job_step.body
FROM job_step JOIN job ON job.id = job_step.job
WHERE job_step.job = :id AND job_step.name = :name AND job.owner = :owner
"""  # noqa: S608 - constants
SELECT_EVENTS_AFTER = """
SELECT job_event.seq, job_event.happened, job_event.body
FROM job_event JOIN job ON job.id = job_event.job
WHERE job_event.job = :id AND job.owner = :owner AND job_event.seq > :after
ORDER BY job_event.seq LIMIT :limit
"""
_INSERT_EVENT = """
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
IndexedKind = Literal["job", "claim"]

_MAX_ITEM_TERMS = 400  # distinct terms of one item
_TERM_ROWS_PER_INSERT = 100  # rows in one statement
_MAX_QUERY_TERMS = 64  # terms of one query


def encrypt_json(chain: OwnerKeychain, table: str, row: str, value: JsonValue) -> bytes:
    plain = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    return chain.encrypt_row(table, row, compress_body(plain))


def decrypt_json(chain: OwnerKeychain, table: str, row: str, sealed: bytes) -> JsonValue:
    return json.loads(decompress_body(chain.decrypt_row(table, row, sealed)))


def hash_step_name(chain: OwnerKeychain, job: str, key: str) -> str:
    return chain.hash_row_name("step", job, key)


def decrypt_job_result(chain: OwnerKeychain, job: str, status: str, sealed: bytes) -> JsonValue:
    return decrypt_json(chain, JOB_TABLE, f"{job}/{status}", sealed)


def build_step_params(
    chain: OwnerKeychain, job: str, step: JobStep, result: JsonValue
) -> dict[str, SqlScalar]:
    """The columns of a step, of which its key, reference, tag, error and result are encrypted."""
    name = hash_step_name(chain, job, step.key)
    head = {"key": step.key, "ref": step.ref, "tag": step.tag, "error": step.error}
    return {
        "id": job,
        "name": name,
        "state": step.state.value,
        "provider": step.provider,
        "started": step.started,
        "finished": step.finished,
        "estimate": step.estimate,
        "cost": step.cost,
        "head": encrypt_json(chain, _STEP_TABLE, f"{job}/{name}/{step.state}", head),
        "body": None
        if result is None
        else encrypt_json(chain, _STEP_TABLE, f"{job}/{name}/result", result),
    }


def decrypt_step(chain: OwnerKeychain, job: str, row: SqlRow) -> JobStep:
    """A step from its STEP_COLUMNS."""
    name, state, provider, started, finished, estimate, cost, sealed = row
    return JobStep(
        state=JobStepState(state),
        provider=provider,
        started=started,
        finished=finished,
        estimate=estimate,
        cost=cost,
        **decrypt_json(chain, _STEP_TABLE, f"{job}/{name}/{state}", sealed),
    )


def decrypt_step_result(chain: OwnerKeychain, job: str, name: str, sealed: bytes) -> JsonValue:
    return decrypt_json(chain, _STEP_TABLE, f"{job}/{name}/result", sealed)


def build_event_insert(
    chain: OwnerKeychain, job: str, now: float, kind: str, payload: Mapping[str, JsonValue]
) -> SqlStatement:
    """A statement that appends to the event log, under the current `seq` of the job row."""
    sealed = encrypt_json(chain, _EVENT_TABLE, job, {"type": kind, "payload": dict(payload)})
    params: dict[str, SqlScalar] = {"id": job, "now": now, "event": sealed}
    return SqlStatement(sql=_INSERT_EVENT, params=params, expected_rows=1)


def decrypt_event(chain: OwnerKeychain, job: str, row: SqlRow) -> JobEvent:
    seq, happened, sealed = row
    return JobEvent(seq=seq, happened=happened, **decrypt_json(chain, _EVENT_TABLE, job, sealed))


def collect_encrypted_parts(found: Sequence[SqlRow]) -> list[bytes]:
    """All encrypted columns of these rows."""
    return [part for row in found for part in (row[13], row[14], row[22]) if part is not None]


def decrypt_job_view(chain: OwnerKeychain, found: Sequence[SqlRow]) -> JobView:
    """A job from its rows of SELECT_JOB_WITH_STEPS, or from one row of a listing."""
    first = found[0]
    job_id, thread, kind, created, cap, status, started, finished, cancel, seq, spent = first[:11]
    attempts, lost_at, body, failure = first[11:15]
    return JobView(
        job=decrypt_job(chain, (job_id, thread, kind, created, cap, body)),
        status=ResearchStatus(status),
        seq=seq,
        started=started,
        finished=finished,
        cancelling=bool(cancel) and finished is None,
        spent=spent,
        attempts=attempts,
        worker_lost_at=lost_at,
        error=None if failure is None else decrypt_job_result(chain, job_id, status, failure),
        steps=tuple(decrypt_step(chain, job_id, row[15:]) for row in found if row[15] is not None),
    )


def decrypt_job(chain: OwnerKeychain, row: SqlRow) -> Job:
    """A job from the columns id, thread, kind, created, cap and body."""
    job_id, thread, kind, created, cap, sealed = row
    plain = decrypt_json(chain, JOB_TABLE, job_id, sealed)
    return Job(id=job_id, kind=kind, thread=thread, cap=cap, created=created, **plain)


# Totals over the jobs and spending of all owners, for operators; nothing in them names an owner.


_COUNT_JOBS = "SELECT status, COUNT(*) FROM job GROUP BY status"
_SELECT_OLDEST_WAITING = "SELECT MIN(created) FROM job WHERE status = 'pending'"
_SUM_SPENDING = """
SELECT provider, SUM(cents), SUM(CASE WHEN entered >= :month THEN cents ELSE 0 END),
    SUM(CASE WHEN entered >= :day THEN cents ELSE 0 END), COUNT(DISTINCT job)
FROM ledger WHERE type = 'settle' GROUP BY provider
"""
_SUM_RESERVES = "SELECT COALESCE(SUM(reserved_cents), 0) FROM account"
SECONDS_PER_DAY = 86_400.0
_DAYS_PER_MONTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTotals:
    """How many jobs have each status, and since when the oldest one waits."""

    by_status: Mapping[str, int]
    oldest_waiting_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingTotal:
    """What was spent with one provider, in cents."""

    provider: str
    total_cents: int
    month_cents: int  # of the last thirty days
    day_cents: int  # of the last 24 hours
    jobs: int


async def load_job_totals(database: SqlDatabase) -> JobTotals:
    counts = await database.select_rows(_COUNT_JOBS)
    ((oldest,),) = await database.select_rows(_SELECT_OLDEST_WAITING)
    return JobTotals(
        by_status={status: int(count) for status, count in counts}, oldest_waiting_at=oldest
    )


async def load_spending_totals(database: SqlDatabase, *, now: float) -> tuple[SpendingTotal, ...]:
    """One total for each provider that was paid, the largest first."""
    found = await database.select_rows(
        _SUM_SPENDING,
        {"day": now - SECONDS_PER_DAY, "month": now - _DAYS_PER_MONTH * SECONDS_PER_DAY},
    )
    totals = (
        SpendingTotal(
            provider=provider or "",
            total_cents=int(total),
            month_cents=int(month),
            day_cents=int(day),
            jobs=int(jobs),
        )
        for provider, total, month, day, jobs in found
    )
    return tuple(sorted(totals, key=lambda item: (-item.total_cents, item.provider)))


async def load_reserved_cents(database: SqlDatabase) -> int:
    """What unfinished jobs of all owners may still spend."""
    ((cents,),) = await database.select_rows(_SUM_RESERVES)
    return int(cents)


def build_item_index(
    chain: OwnerKeychain, kind: IndexedKind, item: str, text: str
) -> list[SqlStatement]:
    """Statements that index an item by the terms of `text`."""
    return build_term_inserts(
        kind, [(token, item) for token in hash_text_terms(chain, text, max_terms=_MAX_ITEM_TERMS)]
    )


def build_term_inserts(kind: IndexedKind, pairs: Sequence[tuple[str, str]]) -> list[SqlStatement]:
    """Insert rows of (token, item), many per statement to save round trips to a server."""
    batch = []
    for start in range(0, len(pairs), _TERM_ROWS_PER_INSERT):
        group = pairs[start : start + _TERM_ROWS_PER_INSERT]
        marks = ", ".join(f"(:t{place}, :i{place})" for place in range(len(group)))
        params: dict[str, SqlScalar] = {}
        for place, (token, item) in enumerate(group):
            params |= {f"t{place}": token, f"i{place}": item}
        sql = f"INSERT INTO {kind}_term (token, {kind}) VALUES {marks} ON CONFLICT DO NOTHING"  # noqa: S608 - constants
        batch.append(SqlStatement(sql=sql, params=params))
    return batch


def hash_text_terms(
    chain: OwnerKeychain, text: str, *, max_terms: int = _MAX_QUERY_TERMS
) -> tuple[str, ...]:
    """The distinct terms of a text without stop words, as keyed hashes."""
    telling = word_forms.parse_query_terms(text)
    found: Iterable[str] = (
        *telling.words,
        *(word for phrase in telling.phrases for word in phrase),
    )
    stems = dict.fromkeys(word_forms.stem_index_word(word, "en") for word in found)
    return tuple(chain.hash_term(stem) for stem in islice(stems, max_terms))


async def load_term_weights(
    database: SqlDatabase, kind: IndexedKind, wanted: Sequence[str], total: int
) -> dict[str, float]:
    """The weight of each token that occurs: inverse document frequency among `total` items."""
    names, params = _build_token_list(wanted)
    sql = f"SELECT token, COUNT(*) FROM {kind}_term WHERE token IN ({names}) GROUP BY token"  # noqa: S608 - constants
    counts = {token: int(count) for token, count in await database.select_rows(sql, params)}
    return {
        token: math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
        for token, count in counts.items()
    }


def build_score_expression(
    kind: IndexedKind, weights: Mapping[str, float]
) -> tuple[str, str, dict[str, SqlScalar]]:
    """SQL for the sum of an item's term weights, the condition that it has any term, and parameters."""
    names, params = _build_token_list(list(weights))
    cases = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(weights))
    )
    params |= {f"w{place}": weight for place, weight in enumerate(weights.values())}
    score = f"SUM(CASE {kind}_term.token {cases} ELSE 0 END)"
    return score, f"{kind}_term.token IN ({names})", params


def _build_token_list(values: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    named: dict[str, SqlScalar] = {f"t{place}": value for place, value in enumerate(values)}
    return ", ".join(f":{name}" for name in named), named
