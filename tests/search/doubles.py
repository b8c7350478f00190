"""Providers that answer from a script, and a web service built on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.search_service import WebSearchService

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ALL_FILTERS = frozenset(SearchFilter) - {SearchFilter.CATEGORY}


def spec(name: str, **changes: Any) -> ProviderSpec:
    given: dict[str, Any] = {
        "title": name.title(),
        "homepage": f"https://{name}.example.com",
        "base_url": f"https://api.{name}.example.com",
        "offers": frozenset({Offer.WEB}),
        "filters": ALL_FILTERS,
        "max_results": 50,
    }
    return ProviderSpec(name=name, **(given | changes))


def keyed(env: str) -> tuple[ProviderOption, ...]:
    return (ProviderOption(env=env, help="A key.", secret=True, required=True),)


def hit(path: str, **changes: Any) -> SearchHit:
    given = {"title": f"Title of {path}", "url": f"https://example.org/{path}"}
    return SearchHit(**(given | changes))


def hits(count: int, prefix: str = "page") -> tuple[SearchHit, ...]:
    return tuple(hit(f"{prefix}-{number}") for number in range(count))


Answer = SearchHits | CitewellError | Sequence[SearchHit]


@dataclass
class Scripted:
    """Gives one answer each time, or lets a function of the query choose it."""

    answer: Answer | Callable[[SearchQuery], Answer] = ()
    asked: list[SearchQuery] = field(default_factory=list)

    async def search_web(self, query: SearchQuery) -> SearchHits:
        self.asked.append(query)
        answer = self.answer(query) if callable(self.answer) else self.answer
        if isinstance(answer, CitewellError):
            raise answer
        return answer if isinstance(answer, SearchHits) else SearchHits(hits=tuple(answer))


@dataclass
class NewsToo(Scripted):
    news_asked: list[SearchQuery] = field(default_factory=list)

    async def search_news(self, query: SearchQuery) -> SearchHits:
        self.news_asked.append(query)
        return SearchHits(hits=hits(query.count, "news"))


class Shop:
    """A catalogue of scripted providers, in the order given."""

    def __init__(
        self,
        *stock: tuple[ProviderSpec, Any],
        environ: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        self.specs = {item.name: item for item, _ in stock}
        self.providers = {item.name: provider for item, provider in stock}
        self.connected: list[tuple[str, dict[str, str]]] = []
        self.settings = Settings(raw=dict(environ or {}), **settings)
        self.catalogue = ProviderCatalogue(
            self.settings, self._connect, names=tuple(self.specs), load_spec=self.specs.__getitem__
        )

    def web(self, **changes: Any) -> WebSearchService:
        given: dict[str, Any] = {"now": lambda: NOW}
        return WebSearchService(
            settings=self.settings, catalogue=self.catalogue, **(given | changes)
        )

    def _connect(self, item: ProviderSpec, options: Mapping[str, str]) -> object:
        self.connected.append((item.name, dict(options)))
        return self.providers[item.name]
