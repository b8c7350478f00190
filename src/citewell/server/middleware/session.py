"""Every call that names a session is recorded in it, in one place."""

from __future__ import annotations

from typing import Protocol

from citewell.server.pipeline import Invocation, Outcome, Proceed


class Recorder(Protocol):
    """Keeps a call's sources and outcome under its owner's session."""

    async def record(self, invocation: Invocation, outcome: Outcome) -> None: ...


class SessionLink:
    def __init__(self, recorders: tuple[Recorder, ...] = ()) -> None:
        self._recorders = recorders

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        outcome = await proceed(invocation)
        if invocation.call.session_id is not None:
            for recorder in self._recorders:
                await recorder.record(invocation, outcome)
        return outcome
