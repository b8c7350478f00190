"""Small JSON values kept across restarts. Losing them costs only a few requests."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from citewell.errors import CitewellError
from citewell.ports import ProviderMemory


class JsonMemory:
    """Stores JSON values by name. Does nothing if there is no memory or it fails."""

    def __init__(self, memory: ProviderMemory | None) -> None:
        self._memory = memory

    async def recall_json(self, name: str) -> Any:
        """The stored value; None if there is none or it is unreadable."""
        if self._memory is None:
            return None
        with suppress(CitewellError, ValueError):
            raw = await self._memory.recall_fact(name)
            return json.loads(raw) if raw else None
        return None

    async def remember_json(self, name: str, value: object, *, ttl: float) -> None:
        if self._memory is None:
            return
        with suppress(CitewellError):
            await self._memory.remember_fact(name, json.dumps(value).encode(), ttl=ttl)
