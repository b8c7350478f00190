"""Caches the notices that a registry has about a work, so that a second check need not ask again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter

from citewell.model.paper import IntegrityNotice, PaperId, WorkAuthor
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.tiered_cache import ResultCache

NOTICES_TTL_SECONDS = 3600.0  # as long as the record of a work, which has notices too
_NOTICES_VERSION = 2  # raised when NoticedWork changes its shape


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticedWork:
    """A registry's notices about a work; title and authors only if they came in the same answer."""

    events: tuple[IntegrityNotice, ...]
    title: str = ""
    authors: tuple[WorkAuthor, ...] = ()


Notices = NoticedWork | None  # None if the registry does not have the work


class CachedNotices:
    def __init__(self, cached: ResultCache, sharing: AnswerSharing) -> None:
        self._cache = cached
        self._sharing = sharing

    async def load_notices(
        self,
        registry: str,
        paper_id: PaperId,
        fetch: Callable[[], Awaitable[Notices]],
        *,
        tenant: str | None,
    ) -> Notices:
        """The cached answer, or that of `fetch`; what `fetch` raises is raised and not cached."""
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if owner is None:
            return await fetch()
        key = _build_notices_key(registry, paper_id)
        entry = await self._cache.look_up_entry(owner, key)
        if entry is not None:
            return _build_notices_adapter().validate_json(entry.value)
        found = await fetch()
        data = json.dumps(
            _build_notices_adapter().dump_python(found, mode="json"), ensure_ascii=False
        )
        # Registries may send lone surrogates, which UTF-8 does not have.
        value = data.encode("utf-8", "replace")
        await self._cache.store_entry(owner, key, value, ttl=NOTICES_TTL_SECONDS)
        return found


def _build_notices_key(registry: str, paper_id: PaperId) -> str:
    question = ["notices", _NOTICES_VERSION, registry, paper_id.scheme.value, paper_id.value]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


@cache
def _build_notices_adapter() -> TypeAdapter[Notices]:
    return TypeAdapter(Notices)
