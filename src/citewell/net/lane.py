"""Pace and breaker of one origin: a failing mirror does not slow its siblings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citewell.net.abreast import Abreast
from citewell.net.breaker import Breaker, BreakerSnapshot, State
from citewell.net.pace import Pace
from citewell.net.target import Target, read_url

_MOST = 256  # origins remembered; the least recently asked is forgotten first


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    pace: Pace
    breaker: Breaker
    abreast: Abreast = field(default_factory=Abreast)

    async def enter(self, *, longest: float) -> None:
        """Wait for a turn, unless the breaker says that there is no point in it."""
        self.breaker.check()
        await self.pace.take(longest=longest)


class Lanes:
    """The lanes of one upstream: its own origin's, and one for each other origin it is sent to."""

    def __init__(self, name: str, *, base_url: str, make: Callable[[str], Lane]) -> None:
        self._name = name
        self._home = read_url(base_url).origin
        self._make = make
        self._own = make(name)
        self._others: OrderedDict[tuple[str, str, int], tuple[str, Lane]] = OrderedDict()

    def at_home(self, target: Target) -> bool:
        return target.origin == self._home

    def of(self, target: Target) -> Lane:
        if self.at_home(target):
            return self._own
        if target.origin not in self._others:
            label = f"{self._name}@{target.authority}"
            self._others[target.origin] = (label, self._make(self._name))
        self._others.move_to_end(target.origin)
        while len(self._others) > _MOST:
            self._others.popitem(last=False)
        return self._others[target.origin][1]

    def health(self) -> Mapping[str, BreakerSnapshot]:
        """The own origin always, another only while it is in trouble."""
        found = {self._name: self._own.breaker.snapshot()}
        for label, lane in self._others.values():
            snapshot = lane.breaker.snapshot()
            if snapshot.state is not State.CLOSED:
                found[label] = snapshot
        return found
