"""The user's own documents as a provider."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from citewell.model.search import Found, Hit, Query
from citewell.providers.library import SPEC, Provider


class Shelf:
    async def search(self, query: Query) -> Found:
        return Found(hits=(Hit(title=query.text, url="https://a.example/note"),))


def ask(kit: Any) -> Found:
    return asyncio.run(Provider(kit).web(Query(text="x")))


def test_without_an_index_nothing_is_found() -> None:
    assert ask(SimpleNamespace(library=None)) == Found()


def test_an_index_answers_in_its_own_words() -> None:
    assert ask(SimpleNamespace(library=Shelf())).hits[0].title == "x"


def test_it_asks_nobody_and_does_not_search_the_whole_web() -> None:
    assert SPEC.base_url == ""
    assert not SPEC.general
