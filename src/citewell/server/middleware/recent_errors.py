"""Keeps the last errors, newest first, for `diagnostics://errors/recent`; each owner sees only their own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.tooling import Owner

MAX_RECENT_ERRORS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentError:
    at: float
    owner: Owner
    tool: str
    kind: str
    message: str

    def to_wire(self) -> dict[str, object]:
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")
        return {"at": when, "tool": self.tool, "kind": self.kind, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroup:
    """The kept errors of one tool and kind, of all owners and without their messages."""

    tool: str
    kind: str
    count: int
    last_at: float


class RecentErrorsMiddleware:
    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._mishaps: deque[RecentError] = deque(maxlen=MAX_RECENT_ERRORS)

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        outcome = await proceed(invocation)
        if outcome.error is not None:
            self._mishaps.appendleft(
                RecentError(
                    at=self._clock(),
                    owner=invocation.call.owner,
                    tool=invocation.name,
                    kind=str(outcome.meta.get("errorKind", "internal")),
                    message=outcome.error.message.partition("\n")[0],
                )
            )
        return outcome

    def list_owner_errors(self, owner: Owner) -> list[dict[str, object]]:
        return [mishap.to_wire() for mishap in self._mishaps if mishap.owner == owner]

    def list_error_groups(self) -> list[ErrorGroup]:
        """The kept errors of all owners by tool and kind, the most recent group first."""
        found: dict[tuple[str, str], list[float]] = {}
        for mishap in self._mishaps:
            found.setdefault((mishap.tool, mishap.kind), []).append(mishap.at)
        return [
            ErrorGroup(tool=tool, kind=kind, count=len(times), last_at=max(times))
            for (tool, kind), times in found.items()
        ]

    def list_owners(self) -> set[Owner]:
        """Everybody of whom an error is kept."""
        return {mishap.owner for mishap in self._mishaps}

    def forget_owner(self, owner: Owner) -> None:
        """Drop the errors of one owner."""
        others = [mishap for mishap in self._mishaps if mishap.owner != owner]
        self._mishaps.clear()
        self._mishaps.extend(others)
