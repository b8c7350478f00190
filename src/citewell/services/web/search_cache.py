"""Web searches made by other services, cached like those of the search tool."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import SearchAnswer
from citewell.services.library.library_access import find_library_owner
from citewell.services.web.search_service import SearchRequest, WebSearchService
from citewell.store.cache.single_flight import CachedLoader, FreshValue

SEARCH_FRESH_SECONDS = 1800.0  # seconds
EMPTY_ANSWER_SECONDS = 60.0  # seconds for an answer without results
SHARED_SEARCHES_OWNER = "shared"
_SEARCH_ANSWER_VERSION = 1  # raised when SearchAnswer changes its shape


class CachedWebSearch:
    def __init__(
        self, web: WebSearchService, *, loader: CachedLoader, isolated: bool = False
    ) -> None:
        """If `isolated`, tenants share no cached answers, and a call without a tenant is not cached."""
        self._web = web
        self._loader = loader
        self._isolated = isolated

    async def search_cached(
        self, ask: SearchRequest, *, trace: RoutingTrace, tenant: str | None = None
    ) -> SearchAnswer:
        owner = tenant if self._isolated else SHARED_SEARCHES_OWNER
        if owner is None or find_library_owner() is not None:  # private answers must not be cached
            return await self._web.search_web_pages(ask, trace=trace)

        async def make() -> FreshValue:
            answer = await self._web.search_web_pages(ask, trace=trace)
            ttl = SEARCH_FRESH_SECONDS if answer.result_count else EMPTY_ANSWER_SECONDS
            text = json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
            return FreshValue(value=text.encode("utf-8", "replace"), ttl=ttl)

        loaded = await self._loader.load_or_make(owner, _build_search_key(ask), make)
        return SearchAnswer.model_validate_json(loaded.entry.value)


def _build_search_key(ask: SearchRequest) -> str:
    text = json.dumps(
        ["search", _SEARCH_ANSWER_VERSION, asdict(ask)], sort_keys=True, ensure_ascii=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
