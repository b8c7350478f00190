"""Tells those who wait in this process that a job has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Bells:
    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def ring(self, job: str) -> None:
        for bell in self._waiting.get(job, ()):
            bell.set()

    @contextmanager
    def listening(self, job: str) -> Iterator[asyncio.Event]:
        bell = asyncio.Event()
        self._waiting.setdefault(job, set()).add(bell)
        try:
            yield bell
        finally:
            self._waiting[job].discard(bell)
            if not self._waiting[job]:
                del self._waiting[job]
