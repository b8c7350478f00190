"""Who may run next: as many tasks as there are processors, and long ones beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citewell.workers.worker_handle import WorkerHandle

SLOW_TASK_SECONDS = 2.0  # a task that has run this long no longer keeps others waiting


class TaskLanes:
    """First come, first served; a long task makes room for the next, up to `width` long ones."""

    def __init__(self, width: int, *, slow_seconds: float = SLOW_TASK_SECONDS) -> None:
        self.width = width
        self.slow_seconds = slow_seconds
        self._places = asyncio.Semaphore(width)
        self._slow_count = 0

    @asynccontextmanager
    async def enter_lane(self) -> AsyncIterator[TaskLane]:
        """Wait for a place; it is given back at the end of the block."""
        await self._places.acquire()
        lane = TaskLane(self)
        try:
            yield lane
        finally:
            lane.leave_lane()

    def widen_for(self) -> bool:
        """Give a long task's place to the next task; False if too many long tasks run already."""
        if self._slow_count >= self.width:
            return False
        self._slow_count += 1
        self._places.release()
        return True

    def give_back(self, *, is_slow: bool) -> None:
        if is_slow:
            self._slow_count -= 1
        else:
            self._places.release()


class TaskLane:
    """The place of one running task."""

    def __init__(self, lanes: TaskLanes) -> None:
        self._lanes = lanes
        self._is_slow = False
        self._timer: asyncio.TimerHandle | None = None

    def watch_worker(self, worker: WorkerHandle) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._lanes.slow_seconds, self._make_room, worker)

    def leave_lane(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._lanes.give_back(is_slow=self._is_slow)

    def _make_room(self, worker: WorkerHandle) -> None:
        self._is_slow = self._lanes.widen_for()
        if self._is_slow:
            worker.lower_priority()
