"""Answers are reused while they are fresh, and say how old they are.

Identical calls in flight share one piece of work, here and in other processes on the same store;
cancelling one caller never fails the others.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.services.library.asking import answering
from citewell.store.flight import Fresh, Loaded, Loader
from citewell.tooling import Tool

SHARED = "shared"
_ROUTED, _DIRECT = b"r", b"d"  # whether the answer came through the router


def cache_key(invocation: Invocation) -> str:
    """Tool, its version and every result-affecting argument, by construction."""
    parts = [invocation.name, invocation.tool.version, invocation.arguments.keyed()]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Caching:
    def __init__(self, loader: Loader, *, isolation: str = SHARED) -> None:
        self._loader = loader
        self._isolated = isolation == "tenant"

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        ttl = invocation.tool.ttl
        if ttl is None or answering() is not None:  # the library's answers are not for others
            return await proceed(invocation)

        async def make() -> Fresh:
            outcome = await proceed(invocation)
            routed = _ROUTED if invocation.call.trace.attempted else _DIRECT
            text = json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
            kept = min(ttl, Tool.SHORT) if outcome.empty else ttl
            return Fresh(value=routed + text.encode("utf-8", "surrogatepass"), ttl=kept)

        loaded = await self._loader.load(self._owner(invocation), cache_key(invocation), make)
        return _outcome(loaded, told_when_fresh=invocation.tool.fresh_meta)

    def held(self, invocation: Invocation) -> int:
        """The bytes of an answer that is in memory, so that nothing has to be waited for; 0 if it is not."""
        if invocation.tool.ttl is None:
            return 0
        return self._loader.held(self._owner(invocation), cache_key(invocation))

    def _owner(self, invocation: Invocation) -> str:
        return invocation.call.owner.tenant if self._isolated else SHARED


def _outcome(loaded: Loaded, *, told_when_fresh: bool) -> Outcome:
    entry = loaded.entry
    text = entry.value[1:].decode("utf-8", "surrogatepass")
    meta: dict[str, Any] = {}
    if loaded.cached or told_when_fresh:
        meta = freshness(age=entry.age_seconds, ttl=entry.ttl, cached=loaded.cached)
    if loaded.cached and entry.value[:1] == _ROUTED:
        meta["routed"] = True
    return Outcome(body=json.loads(text), text=text, meta=meta)


def freshness(*, age: float, ttl: float, cached: bool) -> dict[str, Any]:
    share = age / ttl if ttl else 1.0
    label = "fresh" if share < 0.5 else "aging" if share < 0.8 else "expiring"
    return {
        "cached": cached,
        "ageSeconds": int(age),
        "maxAgeSeconds": int(ttl),
        "freshness": label,
    }
