"""The server's own searches and reader, as the research engine sees them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from citewell.model.page import Page
from citewell.model.routing import Trace
from citewell.model.search import Hit, Query
from citewell.services.library.asking import PREFIX, asking, sharing
from citewell.services.library.index import Index
from citewell.services.pages import CachedRead
from citewell.services.scholar.ask import Ask as PaperAsk
from citewell.services.scholar.search import Literature
from citewell.services.searches import Searches
from citewell.services.web.search import Ask

_QUERY = 500  # characters of one search
_INDEX = "openalex"
_LIBRARY = 5  # documents of the user's own for one query


class WebFinder:
    name = "web search"

    def __init__(self, searches: Searches, *, tenant: str) -> None:
        self._searches = searches
        self._tenant = tenant

    async def search(self, query: str, *, count: int) -> Sequence[Hit]:
        ask = Ask(query=query[:_QUERY], count=count)
        with sharing():
            answer = await self._searches.search(ask, trace=Trace(), tenant=self._tenant)
        return [
            Hit(
                title=one.title,
                url=one.url,
                snippet=one.snippet,
                published=_moment(one.published_at),
                engine=one.engine,
            )
            for one in answer.results
        ]


class PaperFinder:
    """One broad index of the literature; those that want long pauses between questions are not asked."""

    name = "literature search"

    def __init__(self, literature: Literature) -> None:
        self._literature = literature

    async def search(self, query: str, *, count: int) -> Sequence[Hit]:
        ask = PaperAsk(query=query[:_QUERY], count=min(count, 10), provider=_INDEX)
        with sharing():
            answer = await self._literature.search(ask, trace=Trace())
        return [
            Hit(
                title=paper.title,
                url=paper.pdf_url or paper.url,
                snippet=paper.abstract or "",
                engine=paper.source,
            )
            for paper in answer.papers
            if paper.pdf_url or paper.url
        ]


class LibraryFinder:
    name = "your library"

    def __init__(self, index: Index, *, owner: str) -> None:
        self._index = index
        self._owner = owner

    async def search(self, query: str, *, count: int) -> Sequence[Hit]:
        with asking(self._owner, private=True):
            found = await self._index.search(Query(text=query[:_QUERY], count=min(count, _LIBRARY)))
        return found.hits


class Reader:
    """Pages of the web, and the owner's own documents."""

    def __init__(self, pages: CachedRead, *, owner: str, tenant: str) -> None:
        self._pages = pages
        self._owner = owner
        self._tenant = tenant

    async def read(self, url: str) -> Page:
        if url.startswith(PREFIX):
            with asking(self._owner, private=True):
                return (await self._pages.kept(url)).page
        return (await self._pages.kept(url, tenant=self._tenant)).page


def _moment(stamp: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp) if stamp else None
    except ValueError:
        return None
