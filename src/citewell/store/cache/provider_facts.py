"""Small facts that a provider keeps across restarts, such as which instance was healthy."""

from __future__ import annotations

from citewell.store.cache.tiered_cache import TieredCache


class CachedProviderMemory:
    """The ProviderMemory of one provider; no other provider can read its facts."""

    def __init__(self, facts: TieredCache, name: str) -> None:
        self._facts = facts
        self._name = name

    async def recall_fact(self, key: str) -> bytes | None:
        entry = await self._facts.look_up_latest(self._name, key)
        return None if entry is None else entry.value

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        await self._facts.store_entry(self._name, key, value, ttl=ttl)
