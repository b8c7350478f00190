"""Kills parts of a cluster at random, starts them again, and remembers when what was gone."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.cluster.cluster import Cluster
from tests.cluster.processes import ClusterProcess
from tests.cluster.workload import FailedCall

# How often each fault is chosen among the others.
FAULTS = (
    ("kill_instance", 28),
    ("stop_instance", 14),
    ("kill_worker", 24),
    ("kill_redis", 8),
    ("flush_redis", 4),
    ("end_connections", 22),
)
_TOLERANCE_SECONDS = 0.25  # between a signal and what a client sees of it
_CONNECTION_SHARE = 0.5  # of the connections of the database, ended at the same time


@dataclass(frozen=True, kw_only=True)
class FaultEvent:
    """What was done, and how long that part was gone; both are times of this process's clock."""

    kind: str
    target: str
    began: float
    died: float  # when what was killed was surely gone
    ended: float

    def explains(self, failed: FailedCall) -> bool:
        """Whether the call was under way on what died.

        A worker serves no calls, and an instance that is stopped finishes its own.
        """
        overlaps = (
            failed.began <= self.ended + _TOLERANCE_SECONDS
            and failed.ended >= self.began - _TOLERANCE_SECONDS
        )
        if not overlaps:
            return False
        if self.kind == "kill_instance":
            # Afterwards the balancer sends nothing there that it has not offered to another one.
            was_running = failed.began <= self.died + _TOLERANCE_SECONDS
            return was_running and failed.instance in {"", self.target}
        return self.kind in {"end_connections", "restart_database"}


@dataclass(kw_only=True)
class ChaosMonkey:
    cluster: Cluster
    dice: random.Random
    pause_seconds: tuple[float, float] = (1.5, 5.0)
    faults: Sequence[tuple[str, int]] = FAULTS
    events: list[FaultEvent] = field(default_factory=list)

    async def act_in_order(self, kinds: Sequence[str]) -> None:
        for kind in kinds:
            await asyncio.to_thread(self.do_fault, kind)

    async def act_until(self, end: float) -> None:
        names = [name for name, _ in self.faults]
        weights = [weight for _, weight in self.faults]
        while True:
            await asyncio.sleep(self.dice.uniform(*self.pause_seconds))
            if time.monotonic() >= end:
                return
            (kind,) = self.dice.choices(names, weights)
            await asyncio.to_thread(self.do_fault, kind)

    def do_fault(self, kind: str) -> None:
        """Do one of the faults by its name, and wait until the part that was gone serves again."""
        began = time.monotonic()
        target, died = getattr(self, f"_{kind}")()
        ended = time.monotonic()
        self.events.append(
            FaultEvent(kind=kind, target=target, began=began, died=died, ended=ended)
        )

    def _kill_instance(self) -> tuple[str, float]:
        return self._kill_and_start(self.dice.choice(list(self.cluster.instances.values())))

    def _stop_instance(self) -> tuple[str, float]:
        process = self.dice.choice(list(self.cluster.instances.values()))
        process.stop()
        died = time.monotonic()
        process.start()
        return process.name, died

    def _kill_worker(self) -> tuple[str, float]:
        return self._kill_and_start(self.dice.choice(list(self.cluster.workers.values())))

    def _kill_redis(self) -> tuple[str, float]:
        assert self.cluster.redis is not None
        return self._kill_and_start(self.cluster.redis)

    def _flush_redis(self) -> tuple[str, float]:
        self.cluster.flush_redis()
        return "redis", time.monotonic()

    def _end_connections(self) -> tuple[str, float]:
        found = self.cluster.database.list_connections()
        chosen = [one for one in found if self.dice.random() < _CONNECTION_SHARE]
        for number in chosen:
            self.cluster.database.end_connection(number)
        return f"{len(chosen)} of {len(found)}", time.monotonic()

    def _restart_database(self) -> tuple[str, float]:
        self.cluster.database.process.stop()
        died = time.monotonic()
        self.cluster.database.process.start()
        return "postgresql", died

    def _kill_and_start(self, process: ClusterProcess) -> tuple[str, float]:
        process.kill()
        died = time.monotonic()
        time.sleep(self.dice.uniform(0, 1.0))
        process.start()
        return process.name, died


def list_unexplained(
    failed: Sequence[FailedCall], events: Sequence[FaultEvent]
) -> list[FailedCall]:
    """The failures of calls that were not under way on anything that died."""
    return [one for one in failed if not any(event.explains(one) for event in events)]
