"""Small facts a provider wants to find again after a restart, such as which instance was healthy."""

from __future__ import annotations

from citewell.store.cache import TieredCache


class KeptMemory:
    """The `Memory` port for one provider; another name sees nothing of it."""

    def __init__(self, facts: TieredCache, name: str) -> None:
        self._facts = facts
        self._name = name

    async def recall(self, key: str) -> bytes | None:
        entry = await self._facts.latest(self._name, key)
        return None if entry is None else entry.value

    async def remember(self, key: str, value: bytes, *, ttl: float) -> None:
        await self._facts.put(self._name, key, value, ttl=ttl)
