"""A loop whose clock jumps to the next timer instead of waiting for it, for tests of long times."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_THREAD_SECONDS = 0.001  # really waited before a jump, for work that threads do meanwhile


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def select(self, timeout: float | None = None) -> Any:
        """What is ready; if nothing is, the clock moves on by `timeout`."""
        if timeout is None:
            return super().select(None)
        ready = super().select(min(timeout, _THREAD_SECONDS))
        if not ready:
            self.now += max(0.0, timeout)
        return ready


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_in_jumping_time(main: Coroutine[Any, Any, T]) -> T:
    """What `main` returns; its sleeps and timeouts pass at once, in their order."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(main)
