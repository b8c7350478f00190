"""The last errors, newest first, for `diagnostics://errors/recent`; each owner sees its own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.tooling import Owner

KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Mishap:
    at: float
    owner: Owner
    tool: str
    kind: str
    message: str

    def wire(self) -> dict[str, object]:
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")
        return {"at": when, "tool": self.tool, "kind": self.kind, "message": self.message}


class Recent:
    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._mishaps: deque[Mishap] = deque(maxlen=KEPT)

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        outcome = await proceed(invocation)
        if outcome.is_error:
            self._mishaps.appendleft(
                Mishap(
                    at=self._clock(),
                    owner=invocation.call.owner,
                    tool=invocation.name,
                    kind=str(outcome.meta.get("errorKind", "internal")),
                    message=(outcome.text or "").partition("\n")[0],
                )
            )
        return outcome

    def of(self, owner: Owner) -> list[dict[str, object]]:
        return [mishap.wire() for mishap in self._mishaps if mishap.owner == owner]
