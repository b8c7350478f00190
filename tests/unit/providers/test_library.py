"""The user's own documents as a provider."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from citewell.errors import Misconfigured
from citewell.model.search_queries import SearchHit, SearchHits, SearchQuery
from citewell.providers.library import SPEC, Provider


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


def ask(kit: Any) -> SearchHits:
    return asyncio.run(Provider(kit).search_web(SearchQuery(text="x")))


@pytest.mark.parametrize("index", [None, Measured(empty=True)])
def test_an_empty_library_says_how_to_fill_it(index: Any) -> None:
    with pytest.raises(Misconfigured, match="`citewell library add PATH`") as caught:
        ask(SimpleNamespace(library=index))

    assert caught.value.extra["reason"] == "not_configured"


def test_a_library_without_a_match_answers_with_nothing() -> None:
    assert ask(SimpleNamespace(library=Measured(empty=False))) == SearchHits()


def test_an_index_answers_in_its_own_words() -> None:
    assert ask(SimpleNamespace(library=Shelf())).hits[0].title == "x"


def test_it_asks_nobody_and_does_not_search_the_whole_web() -> None:
    assert SPEC.base_url == ""
    assert not SPEC.covers_whole_web
