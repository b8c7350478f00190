"""Deletes expired artifacts from the object store, every hour while the process runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from citewell.services.people.expiry_sweep import ExpirySweep


class ArtifactUpkeep:
    def __init__(self, delete_expired: Callable[[], Awaitable[int]]) -> None:
        """`delete_expired` does nothing while another process does it."""
        self._sweep = ExpirySweep(delete_expired)

    def keep_sweeping(self) -> None:
        self._sweep.keep_sweeping()

    async def aclose(self) -> None:
        await self._sweep.aclose()
