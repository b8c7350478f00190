"""Erases one user from the state, the cache and the files beside them, and makes a receipt."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.config import Settings
from citewell.store.cache_store import CacheStore
from citewell.store.keys.master_keys import build_master_keyring
from citewell.store.leftover_files import LeftoverSummary, purge_leftover_files
from citewell.store.people.record_times import format_utc_time
from citewell.store.state_store import OwnerErasure, StateStore
from citewell.store.subjects.erasure_store import ErasureRecord
from citewell.tooling import Owner

# What stays after an erasure, and why: a code for programs and a sentence for people.
KEPT_PARTS = {
    "audit": "Audit rows stay, because the chain covers them. Their personal parts were encrypted with the user's keys and can no longer be read; the user is a keyed hash in them.",
    "erasure": "This receipt, in which the user is a keyed hash, so that a restored backup can be erased again.",
    "backups": "Backups made before hold the user's rows and encrypted keys. `citewell restore` erases the user again; `citewell keys rotate --forget` makes the keys in them unreadable at once.",
    "limits": "Counters of rate limits and daily quotas, under keyed hashes, until they expire within a day.",
    "others": "What other members of a workspace contributed, and answers of others.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """What was erased and what is kept; of the user it holds a keyed hash only."""

    id: str
    subject: str
    begun: float
    erased: float | None  # None while the erasure is unfinished
    deleted: Mapping[str, int]
    files: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "receiptId": self.id,
            "subject": self.subject,
            "begunAt": format_utc_time(self.begun),
            "erasedAt": None if self.erased is None else format_utc_time(self.erased),
            "status": "unfinished" if self.erased is None else "erased",
            "deleted": dict(self.deleted),
            "cache": "The user's artifacts were deleted, and all shared answers and facts.",
            "files": dict(self.files),
            "kept": [{"what": what, "why": why} for what, why in KEPT_PARTS.items()],
        }


class SubjectEraser:
    def __init__(
        self,
        state: StateStore,
        cache: CacheStore,
        settings: Settings,
        *,
        erase_elsewhere: Callable[[Owner], Awaitable[Mapping[str, int]]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`erase_elsewhere` erases what neither store knows, and tells how much of what."""
        self._state = state
        self._cache = cache
        self._settings = settings
        self._erase_elsewhere = erase_elsewhere
        self._clock = clock

    async def erase_subject(self, owner: Owner) -> ErasureReceipt:
        """Erase the user everywhere. If it is broken off, the next call completes it.

        Raises StoreError if a store fails; then the erasure stays recorded as unfinished.
        """
        name = str(owner)
        erasure = await self._state.erase_owner(name)
        await self._cache.erase_owner(name)
        keys = build_master_keyring(self._state.master_key_source)
        leftovers = await purge_leftover_files(self._settings, keys, name)
        further = await self._erase_elsewhere(owner) if self._erase_elsewhere else {}
        receipt = self._build_receipt(erasure, leftovers, further)
        stored = {"deleted": dict(receipt.deleted), "files": dict(receipt.files)}
        await self._state.erasures.finish_erasure(erasure.id, stored)
        return receipt

    async def list_receipts(self) -> tuple[ErasureReceipt, ...]:
        """Every erasure, oldest first, also those that were broken off."""
        return tuple(_read_receipt(one) for one in await self._state.erasures.list_erasures())

    async def list_erasure_records(self) -> tuple[ErasureRecord, ...]:
        """What a restore on another machine needs to erase the same users again."""
        return await self._state.erasures.list_erasures()

    def _build_receipt(
        self, erasure: OwnerErasure, leftovers: LeftoverSummary, further: Mapping[str, int]
    ) -> ErasureReceipt:
        return ErasureReceipt(
            id=erasure.id,
            subject=erasure.tag,
            begun=erasure.begun,
            erased=self._clock(),
            deleted={**erasure.deleted, **further},
            files={
                "purged": leftovers.purged,
                "deleted": leftovers.deleted,
                "unreadable": list(leftovers.unreadable),
            },
        )


def _read_receipt(record: ErasureRecord) -> ErasureReceipt:
    return ErasureReceipt(
        id=record.id,
        subject=record.owner,
        begun=record.begun,
        erased=record.finished,
        deleted=record.receipt.get("deleted", {}),
        files=record.receipt.get("files", {}),
    )
