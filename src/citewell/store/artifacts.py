"""Large results kept for a while under the hash of their content, each for its owner alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import NotFound
from citewell.store.cache import Cache
from citewell.store.failures import StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    id: str  # SHA-256 of the body, in hexadecimal
    bytes: int
    mime: str
    expires_at: float  # wall clock, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    artifact: Artifact
    body: bytes


class Artifacts(Protocol):
    async def put(self, owner: str, body: bytes, mime: str) -> Artifact:
        """Keep it; raises StoreError when there is no room, and the caller inlines it instead."""
        ...

    async def get(self, owner: str, id: str) -> Stored:  # noqa: A002 - the word of the resource template
        """Raises NotFound when it has expired, never was, or is somebody else's."""
        ...


class CachedArtifacts:
    """Artifacts in a space of the cache of their own."""

    def __init__(self, cache: Cache, *, ttl: float, clock: Callable[[], float]) -> None:
        self._cache = cache
        self._ttl = ttl
        self._clock = clock

    async def put(self, owner: str, body: bytes, mime: str) -> Artifact:
        name = hashlib.sha256(body).hexdigest()
        expires = self._clock() + self._ttl
        if not await self._cache.put(owner, name, _wrapped(mime, body), ttl=self._ttl):
            raise StoreError("There is no room to keep a result of this size.")
        return Artifact(id=name, bytes=len(body), mime=mime, expires_at=expires)

    async def get(self, owner: str, id: str) -> Stored:  # noqa: A002 - the word of the resource template
        entry = await self._cache.get(owner, id)
        if entry is None:
            raise NotFound("This artifact does not exist or has expired. Run the tool again.")
        mime, body = _unwrapped(entry.value)
        expires = self._clock() - entry.age_seconds + entry.ttl
        return Stored(
            artifact=Artifact(id=id, bytes=len(body), mime=mime, expires_at=expires), body=body
        )


def _wrapped(mime: str, body: bytes) -> bytes:
    return mime.replace("\n", " ").encode() + b"\n" + body


def _unwrapped(value: bytes) -> tuple[str, bytes]:
    mime, _, body = value.partition(b"\n")
    return mime.decode(), body
