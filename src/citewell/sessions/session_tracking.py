"""Sessions as the tools use them: record steps, find sessions, link what other calls found."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Self

from citewell.core.errors import InvalidInput, SessionNotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.values.counted_words import describe_duration
from citewell.core.values.research_session import (
    MAX_CALL_OUTCOMES,
    CallOutcome,
    ResearchSession,
    SessionSource,
    SessionStep,
)
from citewell.sessions import session_rows, session_views
from citewell.sessions.session_rows import StoredSession as Stored
from citewell.sessions.session_store import SessionChange, SqlSessionStore
from citewell.sessions.settings import SessionsSettings
from citewell.store.failures import StoreError

SWEEP_INTERVAL = timedelta(minutes=15)
SESSION_LOST_MESSAGE = "Session not found or expired. Sessions last {duration} from last activity."
MISSING_SESSION_MESSAGE = (
    "Step {number} belongs to a session, and no sessionId was given. Pass the sessionId that step 1 returned, "
    "recover it with get_research_session, or start anew with stepNumber 1."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStep:
    """A session after a step, and a warning if the step was not recorded."""

    session: ResearchSession
    warning: str | None = None


def _get_utc_now() -> datetime:
    return datetime.now(UTC)


class SessionTracker:
    """Stores sessions by owner; every step is stored before its call is answered."""

    def __init__(
        self,
        store: SqlSessionStore,
        *,
        max_steps: int = 200,
        ttl: float = 4 * 3600,
        now: Callable[[], datetime] = _get_utc_now,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._store = store
        self._max_steps = max_steps
        self._ttl = ttl
        self._now = now
        self._new_id = new_id
        self._swept: datetime | None = None

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        sessions_settings = kit.settings[SessionsSettings]
        return cls(
            kit.open_state().sessions,
            max_steps=sessions_settings.session_max_steps,
            ttl=sessions_settings.session_ttl,
        )

    async def record_step(
        self, owner: str, step: SessionStep, *, session_id: str | None
    ) -> RecordedStep:
        """Record a step: step 1 without a session id begins a session, others continue theirs.

        Raises InvalidInput for a wrong step number, SessionNotFound for an unknown session.
        """
        step = replace(step, at=self.format_now())
        if session_id is None:
            if step.number != 1:
                raise InvalidInput(MISSING_SESSION_MESSAGE.format(number=step.number))
            return RecordedStep(session=await self._begin_session(owner, step))
        return await self._continue_session(owner, session_id, step)

    async def find_session(self, owner: str, session_id: str) -> ResearchSession:
        try:
            return _open_stored_session(
                session_id, await self._store.load_session(owner, session_id)
            )
        except SessionNotFound:
            raise self._build_lost_error() from None

    async def list_sessions(self, owner: str) -> tuple[ResearchSession, ...]:
        """The owner's sessions that have not expired, the most recently used first."""
        heads = await self._store.list_heads(owner)
        return tuple([await self.find_session(owner, head.id) for head in heads])

    async def link_findings(
        self,
        owner: str,
        session_id: str,
        *,
        sources: Iterable[SessionSource],
        events: Iterable[CallOutcome],
    ) -> None:
        """Add the sources and events of a call; what is new about a known source is merged into it."""
        found, happened = tuple(sources), tuple(events)

        def change(stored: Stored) -> SessionChange:
            session = _open_stored_session(session_id, stored)
            events = (*session.events, *happened)[-MAX_CALL_OUTCOMES:]
            changed = replace(session_views.add_sources(session, found), events=events)
            return SessionChange(body=session_rows.encode_session_head(changed))

        try:
            await self._store.edit_session(owner, session_id, change)
        except SessionNotFound:
            raise self._build_lost_error() from None

    async def mark_cited(
        self, owner: str, session_id: str, sources: Iterable[SessionSource]
    ) -> None:
        """Record that these sources are in a bibliography; one that was not read stays listed."""
        cited = [replace(source, stage="cited") for source in sources if source.was_read]
        with contextlib.suppress(StoreError):  # the bibliography is right even so
            await self.link_findings(owner, session_id, sources=cited, events=())

    def format_now(self) -> str:
        return self._now().isoformat(timespec="seconds").replace("+00:00", "Z")

    async def _begin_session(self, owner: str, step: SessionStep) -> ResearchSession:
        _check_step_numbers(step, ResearchSession(id="", started=step.at))
        # Delete expired sessions if the last sweep is old enough; runs when a session begins.
        now = self._now()
        if self._swept is None or now - self._swept > SWEEP_INTERVAL:
            self._swept = now
            await self._store.delete_expired()
        session = ResearchSession(id=self._new_id(), started=step.at, steps=(step,))
        await self._store.create_session(
            owner,
            session.id,
            session_rows.encode_session_head(session),
            [session_rows.encode_session_step(step)],
        )
        return session

    async def _continue_session(
        self, owner: str, session_id: str, step: SessionStep
    ) -> RecordedStep:
        warning: str | None = None

        def change(stored: Stored) -> SessionChange:
            nonlocal warning
            session = _open_stored_session(session_id, stored)
            head = session_rows.encode_session_head(session)
            warning = None
            known = session.find_step(step.number)
            if known is not None and replace(known, at=step.at) == step:  # sent again
                warning = f"Step {step.number} was recorded already; nothing was added."
                return SessionChange(body=head)
            if len(session.steps) >= self._max_steps:
                warning = f"The session has {self._max_steps} steps, the maximum; this one was not recorded."
                return SessionChange(body=head)
            _check_step_numbers(step, session)
            return SessionChange(body=head, appended=(session_rows.encode_session_step(step),))

        try:
            stored = await self._store.edit_session(owner, session_id, change)
        except SessionNotFound:
            raise self._build_lost_error() from None
        return RecordedStep(session=_open_stored_session(session_id, stored), warning=warning)

    def _build_lost_error(self) -> SessionNotFound:
        return SessionNotFound(
            SESSION_LOST_MESSAGE.format(duration=describe_duration(self._ttl)),
            extra={"recoveryHint": {"canResume": False}},
        )


def _open_stored_session(session_id: str, stored: Stored) -> ResearchSession:
    session = session_rows.decode_session(session_id, stored.head.body, stored.steps)
    return session_views.limit_sources(session)


def _check_step_numbers(step: SessionStep, session: ResearchSession) -> None:
    """Raise InvalidInput for step numbers that do not fit; numbers may be left out."""
    following = session.last_step_number + 1
    if session.find_step(step.number) is not None:
        raise InvalidInput(
            f"Step {step.number} is recorded already. Number this one {following}; "
            f"to correct step {step.number}, set isRevision and revisesStep={step.number}."
        )
    for name, number in (("revisesStep", step.revises), ("branchFromStep", step.branch_from)):
        if number is not None and session.find_step(number) is None:
            raise InvalidInput(
                f"{name} {number} does not exist; the session has {session.describe_step_numbers()}."
            )
