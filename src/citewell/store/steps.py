"""What a worker writes about the job it holds: every record is one transaction behind the fence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from citewell.model.job import JSON, Event, StepState
from citewell.model.research import Status
from citewell.store import job_rows as rows
from citewell.store.failures import GuardFailed
from citewell.store.job_rows import Head
from citewell.store.keychain import Keychain
from citewell.store.ledger import SqlLedger
from citewell.store.queue import Held
from citewell.store.sql import Database, Scalar, Statement
from citewell.store.vault import Vault

_ATTEMPTS = 20
_MINE = "id = :id AND fence = :fence AND finished IS NULL"
# A recorded step is headway: only claims without any count against a job.
_FENCE = f"""
UPDATE job SET seq = seq + 1, attempts = 0, held = held + :held, spent = spent + :cost
WHERE {_MINE}
"""  # noqa: S608 - constants
_FENCE_PAID = f"""
UPDATE job SET seq = seq + 1, attempts = 0, held = held + :held
WHERE {_MINE} AND cancel = 0
    AND (CAST(:held AS BIGINT) = 0 OR cap - spent - held >= CAST(:held AS BIGINT))
"""  # noqa: S608 - constants
_TELL = f"UPDATE job SET seq = seq + 1 WHERE {_MINE}"  # noqa: S608 - constants
_ENTER = f"UPDATE job SET seq = seq + 1, status = :status WHERE {_MINE}"  # noqa: S608 - constants
_FINISH = f"""
UPDATE job SET seq = seq + 1, status = :status, finished = :now, holder = '', held = 0,
    result = :result
WHERE {_MINE}
"""  # noqa: S608 - constants
_STANDING = f"SELECT cancel, cap - spent - held FROM job WHERE {_MINE}"  # noqa: S608 - constants
_BEGIN = """
INSERT INTO job_step
    (job, name, number, state, provider, started, finished, estimate, cost, head, body)
VALUES (:id, :name, (SELECT COUNT(*) + 1 FROM job_step WHERE job = :id), :state, :provider,
    :started, :finished, :estimate, 0, :head, :body)
"""
_MOVE = """
UPDATE job_step SET state = :state, finished = :finished, cost = :cost, head = :head, body = :body
WHERE job = :id AND name = :name AND state = :former
"""
_ALL = "SELECT name, state, provider, estimate, started, head FROM job_step WHERE job = :id"
_BODY = "SELECT body FROM job_step WHERE job = :id AND name = :name"
_STATE = "SELECT state FROM job_step WHERE job = :id AND name = :name"
_LOGGED = "SELECT seq, happened, body FROM job_event WHERE job = :id ORDER BY seq"


class Lost(Exception):
    """Another worker holds the job now, or it has ended or was erased: nothing more may be written."""


class Cancelling(Exception):
    """The job's cancellation was asked for, so nothing new may be begun."""


class Unaffordable(Exception):
    """What is left of the job's cap does not cover the estimate."""

    def __init__(self, left: int) -> None:
        super().__init__(left)
        self.left = left


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A step as the worker remembers it."""

    key: str
    state: StepState
    provider: str | None = None
    estimate: int = 0
    started: float = 0.0
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JSON] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a paid call ended."""

    state: StepState
    cost: int = 0
    result: JSON = None
    error: Mapping[str, JSON] | None = None


class Record:
    """The record of one held job; raises Lost where the fence has moved on."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        ledger: SqlLedger,
        held: Held,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._clock = clock
        self._fence = held.fence
        self._chain: Keychain = held.chain
        self.job = held.job

    async def known(self) -> dict[str, Known]:
        """Every step recorded so far, by key, without results."""
        found = await self._database.fetch(_ALL, {"id": self.job.id})
        chain = await self._covering([row[-1] for row in found])
        steps: dict[str, Known] = {}
        for name, state, provider, estimate, started, sealed in found:
            head = rows.open_step(chain, (self.job.id, name, state), sealed)
            steps[head.key] = Known(
                key=head.key,
                state=StepState(state),
                provider=provider,
                estimate=estimate,
                started=started,
                ref=head.ref,
                tag=head.tag,
                error=head.error,
            )
        return steps

    async def logged(self) -> tuple[Event, ...]:
        found = await self._database.fetch(_LOGGED, {"id": self.job.id})
        chain = await self._covering([row[-1] for row in found])
        return tuple(rows.open_event(chain, self.job.id, row) for row in found)

    async def result(self, key: str) -> JSON:
        name = self._name(key)
        found = await self._database.fetch(_BODY, {"id": self.job.id, "name": name})
        if not found:
            raise Lost
        ((sealed,),) = found
        if sealed is None:
            return None
        chain = await self._covering([sealed])
        return rows.open_step_result(chain, self.job.id, name, sealed)

    async def done(self, step: Known, value: JSON) -> None:
        """Keep the result of a step that costs nothing."""
        told = self._told("step", _news(step))
        batch = [self._fenced(), self._begun(step, result=value), told]
        await self._written(batch, (step.key, StepState.DONE))

    async def intend(self, step: Known) -> None:
        """Write down that a paid call is about to be sent, and hold its estimate back.

        Raises Unaffordable or Cancelling, and then nothing may be sent.
        """
        params = self._params() | {"held": step.estimate}
        fence = Statement(sql=_FENCE_PAID, params=params, expect=1)
        told = self._told("step", _news(step))
        batch = [fence, self._begun(step), told]
        for _ in range(_ATTEMPTS):
            try:
                await self._written(batch, (step.key, step.state))
            except Lost:
                await self._explain(step.estimate)
            else:
                return
        raise Lost

    async def submitted(self, step: Known) -> None:
        """Keep the upstream's reference, before anything is asked by it."""
        move = self._moved(step, StepState.INTENT, Ended(state=StepState.SUBMITTED))
        batch = [self._fenced(), move, self._told("step", _news(step))]
        await self._written(batch, (step.key, StepState.SUBMITTED))

    async def ended(self, step: Known, how: Ended) -> None:
        """Keep how a paid call ended, and settle what it cost, all at once."""
        provider = step.provider
        batch = [
            self._fenced(held=-step.estimate, cost=how.cost),
            self._moved(step, step.state, how),
            *self._ledger.settling(
                self._chain, self.job.id, how.cost, provider=provider, source=None
            ),
            self._told("step", _news(step) | {"state": how.state.value, "cost": how.cost}),
        ]
        await self._written(batch, (step.key, how.state))

    async def emit(self, kind: str, payload: Mapping[str, JSON]) -> None:
        tell = Statement(sql=_TELL, params=self._params(), expect=1)
        await self._written([tell, self._told(kind, payload)], None)

    async def enter(self, status: Status) -> None:
        params = self._params() | {"status": status.value}
        enter = Statement(sql=_ENTER, params=params, expect=1)
        await self._written([enter, self._told("status", {"status": status.value})], None)

    async def finish(self, status: Status, value: JSON) -> None:
        """End the job for good and give back what it had set aside."""
        params = self._params() | {
            "status": status.value,
            "result": rows.sealed_result(self._chain, self.job.id, status, value),
        }
        batch = [
            Statement(sql=_FINISH, params=params, expect=1),
            *self._ledger.releasing(self._chain, self.job.id),
            self._told("status", {"status": status.value}),
        ]
        await self._written(batch, None)

    async def _written(self, batch: list[Statement], reached: tuple[str, StepState] | None) -> None:
        try:
            await self._database.execute(batch)
        except GuardFailed:
            # An answer that was lost on its way back makes the second try find its own work.
            if reached is None or not await self._reached(*reached):
                raise Lost from None

    async def _reached(self, key: str, state: StepState) -> bool:
        ours = await self._database.fetch(_STANDING, self._params())
        params: dict[str, Scalar] = {"id": self.job.id, "name": self._name(key)}
        return bool(ours) and await self._database.fetch(_STATE, params) == [(state.value,)]

    async def _explain(self, estimate: int) -> None:
        """Why a call may not be begun; where no reason is left, it was another call's estimate."""
        found = await self._database.fetch(_STANDING, self._params())
        if not found:
            raise Lost
        ((cancel, left),) = found
        if cancel:
            raise Cancelling
        if left < estimate:
            raise Unaffordable(left)

    def _fenced(self, *, held: int = 0, cost: int = 0) -> Statement:
        return Statement(sql=_FENCE, params=self._params() | {"held": held, "cost": cost}, expect=1)

    def _begun(self, step: Known, *, result: JSON = None) -> Statement:
        name = self._name(step.key)
        done = step.state is StepState.DONE
        params = self._params() | {
            "name": name,
            "state": step.state.value,
            "provider": step.provider,
            "started": step.started,
            "finished": self._clock() if done else None,
            "estimate": step.estimate,
            "head": self._head(step, step.state),
            "body": rows.sealed_step_result(self._chain, self.job.id, name, result)
            if done
            else None,
        }
        return Statement(sql=_BEGIN, params=params, expect=1)

    def _moved(self, step: Known, former: StepState, how: Ended) -> Statement:
        name = self._name(step.key)
        final = not how.state.open
        kept = how.result is not None
        body = rows.sealed_step_result(self._chain, self.job.id, name, how.result) if kept else None
        params = self._params() | {
            "name": name,
            "former": former.value,
            "state": how.state.value,
            "finished": self._clock() if final else None,
            "cost": how.cost,
            "head": self._head(step, how.state, how.error),
            "body": body,
        }
        return Statement(sql=_MOVE, params=params, expect=1)

    def _head(
        self, step: Known, state: StepState, error: Mapping[str, JSON] | None = None
    ) -> bytes:
        head = Head(key=step.key, ref=step.ref, tag=step.tag, error=error)
        place = (self.job.id, self._name(step.key), state)
        return rows.sealed_step(self._chain, place, head)

    def _told(self, kind: str, payload: Mapping[str, JSON]) -> Statement:
        return rows.event(self._chain, self.job.id, self._clock(), kind, payload)

    def _params(self) -> dict[str, Scalar]:
        return {"id": self.job.id, "fence": self._fence, "now": self._clock()}

    def _name(self, key: str) -> str:
        return rows.step_name(self._chain, self.job.id, key)

    async def _covering(self, bodies: list[bytes]) -> Keychain:
        """Rows sealed before a rotation of keys and after it stand side by side."""
        chain = await self._vault.covering(self.job.owner, bodies)
        if chain is None:
            raise Lost
        return chain


def _news(step: Known) -> dict[str, JSON]:
    return {"key": step.key, "state": step.state.value, "provider": step.provider}
