"""Reuses answers until they expire, and tells the client how old they are.

Identical calls that run at the same time share one run of the tool, also across processes with the
same store. Cancelling one of them does not affect the others.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import Any

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue, LoadedEntry
from citewell.store.cache.tiered_cache import CacheEntry

_ROUTED_MARK, _DIRECT_MARK = (
    b"r",
    b"d",
)  # first byte of a stored answer: whether a provider was asked
_ENTRY_VERSION = 2  # a line with the answer's sources, then its text
MAX_KNOWN_CALLS = 4096
_KEY_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def build_call_key(invocation: ToolInvocation) -> str:
    """A hash of the tool, its cache version and all arguments that affect the result."""
    parts = [
        invocation.name,
        _ENTRY_VERSION,
        invocation.tool.cache_version,
        invocation.arguments.collect_cache_key(),
    ]
    return hashlib.sha256(_KEY_ENCODER.encode(parts).encode("utf-8", "surrogatepass")).hexdigest()


def find_call_key(invocation: ToolInvocation) -> str:
    """The call's key, which is built once."""
    if invocation.cache_key is None:
        invocation.cache_key = build_call_key(invocation)
    return invocation.cache_key


class KnownCallKeys:
    """The keys of recent calls by a hash of what was sent, so that a repeated call is not validated again.

    No argument itself is kept.
    """

    def __init__(self) -> None:
        self._keys: OrderedDict[bytes, str] = OrderedDict()

    def find_key(self, call_hash: bytes) -> str | None:
        return self._keys.get(call_hash)

    def add_key(self, call_hash: bytes, key: str) -> None:
        self._keys[call_hash] = key
        if len(self._keys) > MAX_KNOWN_CALLS:
            self._keys.popitem(last=False)


def hash_sent_call(invocation: ToolInvocation) -> bytes:
    """A hash of the tool and its arguments before validation.

    Python writes two JSON values alike only if they are the same in type, value and order.
    """
    text = repr((invocation.name, invocation.raw_arguments))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


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

        from citewell.services.sessions import session_codec

        async def make() -> FreshValue:
            outcome = await proceed(invocation)
            routed = _ROUTED_MARK if invocation.call.trace.attempted else _DIRECT_MARK
            text = json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
            kept = min(ttl, invocation.tool.empty_ttl_seconds) if outcome.found_nothing else ttl
            head = routed + session_codec.encode_sources(outcome.sources) + b"\n"
            return FreshValue(value=head + text.encode("utf-8", "surrogatepass"), ttl=kept)

        loaded = await self._loader.load_or_make(owner, find_call_key(invocation), make)
        return _build_cached_outcome(loaded, always_show_freshness=invocation.tool.shows_freshness)

    def find_held_answer(self, invocation: ToolInvocation) -> CacheEntry | None:
        """The answer, if it is cached in memory."""
        owner = self._find_cache_owner(invocation)
        if invocation.tool.ttl_seconds is None or owner is None:
            return None
        return self._loader.find_held_entry(owner, find_call_key(invocation))

    async def give_held_answer(self, invocation: ToolInvocation) -> ToolOutcome:
        """The answer that was found in memory, as text alone."""
        if invocation.held is None:
            raise RuntimeError("No answer was found in memory")
        self._loader.count_held_use()
        entry = invocation.held
        meta = _describe_entry(entry, cached=True)
        return ToolOutcome(text=_decode_answer(entry), meta=meta)

    def _find_cache_owner(self, invocation: ToolInvocation) -> str | None:
        return self._sharing.find_cache_owner(invocation.call.owner.tenant)


def _build_cached_outcome(loaded: LoadedEntry, *, always_show_freshness: bool) -> ToolOutcome:
    from citewell.services.sessions import session_codec

    text = _decode_answer(loaded.entry)
    shows_freshness = loaded.is_cached or always_show_freshness
    meta = _describe_entry(loaded.entry, cached=loaded.is_cached) if shows_freshness else {}
    head = loaded.entry.value[: loaded.entry.value.index(b"\n")]
    sources = session_codec.decode_sources(head[1:])
    return ToolOutcome(body=json.loads(text), text=text, meta=meta, sources=sources)


def _decode_answer(entry: CacheEntry) -> str:
    start = entry.value.index(b"\n") + 1
    return entry.value[start:].decode("utf-8", "surrogatepass")


def _describe_entry(entry: CacheEntry, *, cached: bool) -> dict[str, Any]:
    meta = describe_freshness(age=entry.age_seconds, ttl=entry.ttl, cached=cached)
    if cached and entry.value.startswith(_ROUTED_MARK):
        meta["routed"] = True
    return meta


def describe_freshness(*, age: float, ttl: float, cached: bool) -> dict[str, Any]:
    share = age / ttl if ttl else 1.0
    label = "fresh" if share < 0.5 else "aging" if share < 0.8 else "expiring"
    return {
        "cached": cached,
        "ageSeconds": int(age),
        "maxAgeSeconds": int(ttl),
        "freshness": label,
    }
