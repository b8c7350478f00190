"""What a dialect needs of a provider's memory."""

from __future__ import annotations

from typing import Protocol


class FactMemory(Protocol):
    """Keeps small facts of a provider across restarts."""

    async def recall_fact(self, key: str) -> bytes | None: ...

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None: ...
