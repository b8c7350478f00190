"""Sessions as the tools use them: take a step, look back, link what other calls found."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from citewell.errors import InvalidInput, SessionNotFound
from citewell.model.session import OUTCOMES, Event, Session, Source, Step
from citewell.services.sessions import codec
from citewell.store.session_rows import Session as Stored
from citewell.store.sessions import Change, SessionStore

MOST_SOURCES = 500
SWEEP = timedelta(minutes=15)
LOST = "Session not found or expired. Sessions last {hours:g} hours from last activity."
NO_SESSION = (
    "Step {number} belongs to a session, and no sessionId was given. Pass the sessionId that step 1 returned, "
    "recover it with get_research_session, or start anew with stepNumber 1."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A session after a step, and what the caller should know about it."""

    session: Session
    warning: str | None = None


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Sessions:
    """Every step is on disk before its answer leaves; a session belongs to whoever began it."""

    def __init__(
        self,
        store: SessionStore,
        *,
        max_steps: int = 200,
        ttl: float = 4 * 3600,
        now: Callable[[], datetime] = _utc_now,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._store = store
        self._max_steps = max_steps
        self._ttl = ttl
        self._now = now
        self._new_id = new_id
        self._swept: datetime | None = None

    async def take(self, owner: str, step: Step, *, session_id: str | None) -> Taken:
        """Record a step: the first one begins a session, the others continue theirs."""
        step = replace(step, at=self.stamp())
        if session_id is None:
            if step.number != 1:
                raise InvalidInput(NO_SESSION.format(number=step.number))
            return Taken(session=await self._begin(owner, step))
        return await self._continue(owner, session_id, step)

    async def find(self, owner: str, session_id: str) -> Session:
        try:
            return _opened(session_id, await self._store.load(owner, session_id))
        except SessionNotFound:
            raise self._lost() from None

    async def listed(self, owner: str) -> tuple[Session, ...]:
        """Every live session of the owner, the most recently used first."""
        heads = await self._store.heads(owner)
        return tuple([await self.find(owner, head.id) for head in heads])

    async def link(
        self, owner: str, session_id: str, *, sources: Iterable[Source], events: Iterable[Event]
    ) -> None:
        """Add what a call found, and how it went; known addresses are not repeated."""
        found, happened = tuple(sources), tuple(events)

        def change(stored: Stored) -> Change:
            session = _opened(session_id, stored)
            known = {source.url for source in session.sources}
            fresh = [source for source in _unique(found) if source.url not in known]
            return Change(
                body=codec.pack_head(
                    replace(
                        session,
                        sources=(*session.sources, *fresh)[:MOST_SOURCES],
                        events=(*session.events, *happened)[-OUTCOMES:],
                    )
                )
            )

        try:
            await self._store.edit(owner, session_id, change)
        except SessionNotFound:
            raise self._lost() from None

    def stamp(self) -> str:
        return self._now().isoformat(timespec="seconds").replace("+00:00", "Z")

    async def _begin(self, owner: str, step: Step) -> Session:
        _check(step, Session(id="", started=step.at))
        await self._sweep()
        session = Session(id=self._new_id(), started=step.at, steps=(step,))
        await self._store.create(
            owner, session.id, codec.pack_head(session), [codec.pack_step(step)]
        )
        return session

    async def _continue(self, owner: str, session_id: str, step: Step) -> Taken:
        warning: str | None = None

        def change(stored: Stored) -> Change:
            nonlocal warning
            session = _opened(session_id, stored)
            head = codec.pack_head(session)
            warning = None
            if _is_repeat(step, session):
                warning = f"Step {step.number} was recorded already; nothing was added."
                return Change(body=head)
            if len(session.steps) >= self._max_steps:
                warning = f"The session has {self._max_steps} steps, the most there can be; this one was not recorded."
                return Change(body=head)
            _check(step, session)
            return Change(body=head, appended=(codec.pack_step(step),))

        try:
            stored = await self._store.edit(owner, session_id, change)
        except SessionNotFound:
            raise self._lost() from None
        return Taken(session=_opened(session_id, stored), warning=warning)

    async def _sweep(self) -> None:
        """Let go of what has expired, now and then; whoever begins a session pays for it."""
        now = self._now()
        if self._swept is None or now - self._swept > SWEEP:
            self._swept = now
            await self._store.sweep()

    def _lost(self) -> SessionNotFound:
        return SessionNotFound(
            LOST.format(hours=self._ttl / 3600),
            extra={"recoveryHint": {"canResume": False}},
        )


def _opened(session_id: str, stored: Stored) -> Session:
    return codec.unpack(session_id, stored.head.body, stored.steps)


def _unique(sources: Iterable[Source]) -> list[Source]:
    return list({source.url: source for source in reversed(list(sources))}.values())[::-1]


def _is_repeat(step: Step, session: Session) -> bool:
    """The same step sent again, as clients do after a time-out."""
    known = session.step(step.number)
    return known is not None and replace(known, at=step.at) == step


def _check(step: Step, session: Session) -> None:
    """Numbers that point at nothing are refused, with the number that would be right."""
    following = session.last + 1
    if step.number > following:
        raise InvalidInput(f"stepNumber {step.number} skips ahead; the next step is {following}.")
    if session.step(step.number) is not None:
        raise InvalidInput(
            f"Step {step.number} is recorded already. Number this one {following}; "
            f"to correct step {step.number}, set isRevision and revisesStep={step.number}."
        )
    for name, number in (("revisesStep", step.revises), ("branchFromStep", step.branch_from)):
        if number is not None and session.step(number) is None:
            known = f"steps 1 to {session.last}" if session.last else "no steps yet"
            raise InvalidInput(f"{name} {number} does not exist; the session has {known}.")
