"""Large results, stored for a limited time under the hash of their content, one set per owner.

`ExpirySweep` deletes what is past its time.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from citewell.core.errors import CitewellError, NotFound
from citewell.store.cache.tiered_cache import ResultCache, TimedValue
from citewell.store.encryption import run_off_loop_if_large
from citewell.store.failures import StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactInfo:
    id: str  # SHA-256 of the body, in hexadecimal
    size_bytes: int
    media_type: str
    expires_at: float  # wall clock, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredArtifact:
    artifact: ArtifactInfo
    body: bytes


class ArtifactStore:
    """Artifacts in a space of the cache of their own."""

    def __init__(self, cache: ResultCache, *, ttl: float, clock: Callable[[], float]) -> None:
        self._cache = cache
        self._ttl = ttl
        self._clock = clock

    async def store_artifact(self, owner: str, body: bytes, mime: str) -> ArtifactInfo:
        """Store `body`; raises StoreError if it does not fit, so that the caller can inline it instead."""
        name, value = await run_off_loop_if_large(
            len(body),
            lambda: (
                hashlib.sha256(body).hexdigest(),
                mime.replace("\n", " ").encode() + b"\n" + body,
            ),
        )
        expires = self._clock() + self._ttl
        if not await self._cache.store_entry(owner, name, value, ttl=self._ttl):
            raise StoreError("There is no room to store a result of this size.")
        return ArtifactInfo(id=name, size_bytes=len(body), media_type=mime, expires_at=expires)

    async def load_artifact(self, owner: str, id: str) -> StoredArtifact:  # noqa: A002 - the name in the resource template
        """Raises NotFound if it has expired, never existed, or belongs to another owner."""
        entry = await self._cache.look_up_entry(owner, id)
        if entry is None:
            raise NotFound("This artifact does not exist or has expired. Run the tool again.")
        mime, body = _split_media_type(entry.value)
        expires = self._clock() - entry.age_seconds + entry.ttl
        return StoredArtifact(
            artifact=ArtifactInfo(id=id, size_bytes=len(body), media_type=mime, expires_at=expires),
            body=body,
        )


def read_stored_artifact(kept: TimedValue) -> StoredArtifact:
    """The artifact in an entry; its id is computed from the body."""
    mime, body = _split_media_type(kept.value)
    info = ArtifactInfo(
        id=hashlib.sha256(body).hexdigest(),
        size_bytes=len(body),
        media_type=mime,
        expires_at=kept.made_at + kept.ttl,
    )
    return StoredArtifact(artifact=info, body=body)


def _split_media_type(value: bytes) -> tuple[str, bytes]:
    mime, _, body = value.partition(b"\n")
    return mime.decode(), body


logger = logging.getLogger(__name__)
SWEEP_INTERVAL_SECONDS = 3600.0


class ExpirySweep:
    """Runs `delete_expired` at once and then every hour; reads hide what is expired in any case."""

    def __init__(
        self,
        delete_expired: Callable[[], Awaitable[int]],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._delete_expired = delete_expired
        self._pause = pause
        self._task: asyncio.Task[None] | None = None

    def keep_sweeping(self) -> None:
        """Begin, if it has not begun; needs a running event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._sweep_forever())

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self._delete_expired()
            except CitewellError as error:
                logger.warning("What is past its time was not deleted. %s", error.message)
            await self._pause(SWEEP_INTERVAL_SECONDS)
