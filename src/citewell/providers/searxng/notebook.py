"""What we write down for the next process; losing it costs a few requests, never an answer."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from citewell.errors import CitewellError
from citewell.ports import Memory


class Notebook:
    """JSON values by name. Without a memory, or with one that fails, nothing is kept."""

    def __init__(self, memory: Memory | None) -> None:
        self._memory = memory

    async def read(self, name: str) -> Any:
        """None when nothing readable was kept."""
        if self._memory is None:
            return None
        with suppress(CitewellError, ValueError):
            raw = await self._memory.recall(name)
            return json.loads(raw) if raw else None
        return None

    async def write(self, name: str, value: object, *, ttl: float) -> None:
        if self._memory is None:
            return
        with suppress(CitewellError):
            await self._memory.remember(name, json.dumps(value).encode(), ttl=ttl)
