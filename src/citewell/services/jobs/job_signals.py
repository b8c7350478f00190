"""Notifies waiting callers in this process that a job has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class JobSignals:
    """One event for each caller that waits for a job; other processes must poll."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def notify_waiters(self, job: str) -> None:
        for bell in self._listeners.get(job, ()):
            bell.set()

    @contextmanager
    def open_listener(self, job: str) -> Iterator[asyncio.Event]:
        bell = asyncio.Event()
        self._listeners.setdefault(job, set()).add(bell)
        try:
            yield bell
        finally:
            self._listeners[job].discard(bell)
            if not self._listeners[job]:
                del self._listeners[job]
