"""Web searches made by other services, cached like those of the search tool."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Self

from citewell.core.service_kit import ServiceKit
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchAnswer
from citewell.search.search_service import SearchRequest, WebSearchService
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue

SEARCH_FRESH_SECONDS = 1800.0  # seconds
EMPTY_ANSWER_SECONDS = 60.0  # seconds for an answer without results
_SEARCH_ANSWER_VERSION = 1  # raised when SearchAnswer changes its shape


class CachedWebSearch:
    def __init__(
        self,
        web: WebSearchService,
        *,
        loader: CachedLoader,
        sharing: AnswerSharing = SHARED_WITH_EVERYBODY,
    ) -> None:
        self._web = web
        self._loader = loader
        self._sharing = sharing

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_service(WebSearchService), loader=kit.store.loader, sharing=kit.sharing
        )

    async def search_cached(
        self, request: SearchRequest, *, trace: RoutingTrace, tenant: str | None = None
    ) -> SearchAnswer:
        owner = self._sharing.find_cache_owner(tenant)
        if owner is None:
            return await self._web.search_web_pages(request, trace=trace)

        async def make() -> FreshValue:
            answer = await self._web.search_web_pages(request, trace=trace)
            ttl = SEARCH_FRESH_SECONDS if answer.result_count else EMPTY_ANSWER_SECONDS
            text = json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
            return FreshValue(value=text.encode("utf-8", "replace"), ttl=ttl)

        loaded = await self._loader.load_or_make(owner, _build_search_key(request), make)
        return SearchAnswer.model_validate_json(loaded.entry.value)


def _build_search_key(request: SearchRequest) -> str:
    text = json.dumps(
        ["search", _SEARCH_ANSWER_VERSION, asdict(request)], sort_keys=True, ensure_ascii=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
