"""The sessions of the SDK in this process that stand for shared ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Scope


@dataclass(slots=True, kw_only=True)
class SessionCopy:
    """A shared session as this instance serves it: the SDK knows it by `local_id`."""

    id: str  # what the client calls it
    name: str  # of its row in the store
    local_id: bytes
    client_id: str | None
    scope: Scope  # path and caller of the request that made the copy
    checked_at: float  # when the store last said that the session is there
    used_at: float
    running: int = 0  # requests under way, an open stream included


class SessionCopies:
    """The copies in the order of their last use, by id and by the name of the row."""

    def __init__(self, *, idle_seconds: float, clock: Callable[[], float]) -> None:
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._by_id: OrderedDict[str, SessionCopy] = OrderedDict()
        self._by_name: dict[str, SessionCopy] = {}

    def find_copy(self, session_id: str) -> SessionCopy | None:
        return self._by_id.get(session_id)

    def find_named_copy(self, name: str) -> SessionCopy | None:
        return self._by_name.get(name)

    def list_names(self) -> frozenset[str]:
        return frozenset(self._by_name)

    def list_busy_names(self) -> list[str]:
        """The names of the sessions whose requests are under way."""
        return [copy.name for copy in self._by_id.values() if copy.running]

    def add_copy(self, copy: SessionCopy) -> None:
        self._by_id[copy.id] = self._by_name[copy.name] = copy

    def drop_copy(self, copy: SessionCopy) -> None:
        if self._by_id.get(copy.id) is copy:
            del self._by_id[copy.id]
            del self._by_name[copy.name]

    def begin_use(self, copy: SessionCopy) -> None:
        copy.running += 1

    def end_use(self, copy: SessionCopy) -> None:
        copy.running -= 1
        copy.used_at = self._clock()
        if self._by_id.get(copy.id) is copy:
            self._by_id.move_to_end(copy.id)

    def drop_unused(self) -> None:
        """Forget what the SDK has ended, because it was not used for long."""
        before = self._clock() - self._idle_seconds
        for copy in [one for one in self._by_id.values() if not one.running]:
            if copy.used_at > before:
                break  # the others were used later
            self.drop_copy(copy)
