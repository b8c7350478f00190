"""Searches made on behalf of other tools, kept like those of the search tool itself."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from citewell.model.routing import Trace
from citewell.model.source import SearchAnswer
from citewell.services.library.asking import answering
from citewell.services.web.search import Ask, Web
from citewell.store.flight import Fresh, Loader

FRESH = 1800.0  # seconds
EMPTY = 60.0  # an answer that found nothing
SHARED = "shared"
_VERSION = 1  # raised when SearchAnswer changes its shape


class Searches:
    def __init__(self, web: Web, *, loader: Loader, isolated: bool = False) -> None:
        """With `isolated` tenants share nothing, and a call without a tenant keeps nothing."""
        self._web = web
        self._loader = loader
        self._isolated = isolated

    async def search(self, ask: Ask, *, trace: Trace, tenant: str | None = None) -> SearchAnswer:
        owner = tenant if self._isolated else SHARED
        if owner is None or answering() is not None:  # what the library answers is not for others
            return await self._web.search(ask, trace=trace)

        async def make() -> Fresh:
            answer = await self._web.search(ask, trace=trace)
            ttl = FRESH if answer.result_count else EMPTY
            text = json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
            return Fresh(value=text.encode("utf-8", "replace"), ttl=ttl)

        loaded = await self._loader.load(owner, _key(ask), make)
        return SearchAnswer.model_validate_json(loaded.entry.value)


def _key(ask: Ask) -> str:
    text = json.dumps(["search", _VERSION, asdict(ask)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
