"""The user's own documents as a provider."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.core.values.search_queries import SearchHit, SearchHits, SearchQuery
from citewell.providers.library import SPEC, Provider
from citewell.routing.ports import ProviderKit


class Shelf:
    async def search_documents(self, query: SearchQuery) -> SearchHits:
        return SearchHits(hits=(SearchHit(title=query.text, url="https://a.example/note"),))


class Measured:
    """Finds nothing, and knows whether there is anything to find."""

    def __init__(self, *, empty: bool) -> None:
        self._empty = empty

    async def search_documents(self, query: SearchQuery) -> SearchHits:
        return SearchHits()

    async def is_empty(self) -> bool:
        return self._empty


def ask(index: Any) -> SearchHits:
    nobody: Any = None
    kit = ProviderKit(upstream=nobody, library=index)
    return asyncio.run(Provider(kit).search_web(SearchQuery(text="x")))


@pytest.mark.parametrize("index", [None, Measured(empty=True)])
def test_an_empty_library_says_how_to_fill_it(index: Any) -> None:
    with pytest.raises(Misconfigured, match="`citewell library add PATH`") as caught:
        ask(index)

    assert caught.value.extra["reason"] == "not_configured"


def test_a_library_without_a_match_answers_with_nothing() -> None:
    assert ask(Measured(empty=False)) == SearchHits()


def test_an_index_answers_in_its_own_words() -> None:
    assert ask(Shelf()).hits[0].title == "x"


def test_it_asks_nobody_and_does_not_search_the_whole_web() -> None:
    assert SPEC.base_url == ""
    assert not SPEC.covers_whole_web
