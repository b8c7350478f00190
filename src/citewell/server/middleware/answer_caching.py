"""Reuses answers until they expire, and tells the client how old they are.

Identical calls that run at the same time share one run of the tool, also across processes with the
same store. Cancelling one of them does not affect the others.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue, LoadedEntry
from citewell.tooling import Tool

_ROUTED_MARK, _DIRECT_MARK = (
    b"r",
    b"d",
)  # first byte of a stored answer: whether a provider was asked


def build_call_key(invocation: ToolInvocation) -> str:
    """A hash of the tool, its cache version and all arguments that affect the result."""
    parts = [
        invocation.name,
        invocation.tool.cache_version,
        invocation.arguments.collect_cache_key(),
    ]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class CacheMiddleware:
    def __init__(
        self, loader: CachedLoader, *, sharing: AnswerSharing = SHARED_WITH_EVERYBODY
    ) -> None:
        self._loader = loader
        self._sharing = sharing

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        ttl, owner = invocation.tool.ttl_seconds, self._find_cache_owner(invocation)
        if ttl is None or owner is None:
            return await proceed(invocation)

        async def make() -> FreshValue:
            outcome = await proceed(invocation)
            routed = _ROUTED_MARK if invocation.call.trace.attempted else _DIRECT_MARK
            text = json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
            kept = min(ttl, Tool.EMPTY_TTL_SECONDS) if outcome.found_nothing else ttl
            return FreshValue(value=routed + text.encode("utf-8", "surrogatepass"), ttl=kept)

        loaded = await self._loader.load_or_make(owner, build_call_key(invocation), make)
        return _build_cached_outcome(loaded, always_show_freshness=invocation.tool.shows_freshness)

    def measure_cached_answer(self, invocation: ToolInvocation) -> int:
        """The size in bytes of the answer, if it is cached in memory; otherwise 0."""
        owner = self._find_cache_owner(invocation)
        if invocation.tool.ttl_seconds is None or owner is None:
            return 0
        return self._loader.count_cached_bytes(owner, build_call_key(invocation))

    def _find_cache_owner(self, invocation: ToolInvocation) -> str | None:
        return self._sharing.find_cache_owner(invocation.call.owner.tenant)


def _build_cached_outcome(loaded: LoadedEntry, *, always_show_freshness: bool) -> ToolOutcome:
    entry = loaded.entry
    text = entry.value[1:].decode("utf-8", "surrogatepass")
    meta: dict[str, Any] = {}
    if loaded.is_cached or always_show_freshness:
        meta = describe_freshness(age=entry.age_seconds, ttl=entry.ttl, cached=loaded.is_cached)
    if loaded.is_cached and entry.value[:1] == _ROUTED_MARK:
        meta["routed"] = True
    return ToolOutcome(body=json.loads(text), text=text, meta=meta)


def describe_freshness(*, age: float, ttl: float, cached: bool) -> dict[str, Any]:
    share = age / ttl if ttl else 1.0
    label = "fresh" if share < 0.5 else "aging" if share < 0.8 else "expiring"
    return {
        "cached": cached,
        "ageSeconds": int(age),
        "maxAgeSeconds": int(ttl),
        "freshness": label,
    }
