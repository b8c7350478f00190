"""Spec 4's two verbs over the user's library and the web: find documents, get one whole."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from citewell.errors import CitewellError, InvalidInput
from citewell.model.base import UNTRUSTED, Value
from citewell.model.page import Page
from citewell.model.routing import Trace
from citewell.model.search import Hit
from citewell.services.library import names
from citewell.services.library.asking import sharing
from citewell.services.library.documents import citation
from citewell.services.library.index import Index
from citewell.services.read import Read
from citewell.services.searches import Searches
from citewell.services.web import merge
from citewell.services.web.search import Ask
from citewell.store.library import Match
from citewell.text import urls

logger = logging.getLogger(__name__)

WHOLE = 1_000_000  # characters; what a "full text" may weigh before it is cut and says so
LISTED = 10


class ListedDocument(Value):
    id: str
    title: str
    url: str


class Listing(Value):
    results: tuple[ListedDocument, ...]


class Document(Value):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any] | None = None


class Connector:
    """A web document's id is its address, so an id stays good for as long as the page does.

    A document of the library goes by its id there, and is cited by its address if it has one.
    """

    def __init__(self, *, searches: Searches, read: Read, library: Index | None = None) -> None:
        self._searches = searches
        self._read = read
        self._library = library

    async def search(self, query: str, *, trace: Trace, tenant: str | None = None) -> Listing:
        """Library and web by reciprocal rank, the library first among equals."""
        own = await self._own(query)
        try:
            web = await self._web(query, trace, tenant)
        except CitewellError:
            if not own:
                raise
            web = ()  # what the library has is an answer by itself
        ids = {urls.key(citation(match.card)): match.card.id for match in own}
        mine = [Hit(title=match.card.title, url=citation(match.card)) for match in own]
        ranked = merge.fuse([mine, web])[:LISTED]
        return Listing(results=tuple(_listed(one.hit, ids) for one in ranked))

    async def _own(self, query: str) -> tuple[Match, ...]:
        """A library that cannot be opened does not keep anybody from the web."""
        library = self._library.library() if self._library is not None else None
        if library is None:
            return ()
        try:
            return await library.search(query, limit=LISTED)
        except CitewellError as error:
            logger.warning("the library could not be searched: %s", error.message)
            return ()

    async def _web(self, query: str, trace: Trace, tenant: str | None) -> Sequence[Hit]:
        with sharing():
            answer = await self._searches.search(
                Ask(query=query, count=LISTED), trace=trace, tenant=tenant
            )
        return [Hit(title=hit.title, url=hit.url) for hit in answer.results]

    async def fetch(
        self,
        document_id: str,
        *,
        progress: Callable[[float, float | None, str | None], Awaitable[None]] | None = None,
    ) -> Document:
        address = document_id.strip()
        if not names.is_id(address) and not address.lower().startswith(("http://", "https://")):
            raise InvalidInput("fetch takes an id that search returned, or an http(s) address.")
        if progress is not None:
            await progress(0, 1, "reading the page")
        page = await self._read.read(address, max_length=WHOLE)
        return Document(
            id=document_id,
            title=page.title or page.final_url,
            text=page.content,
            url=page.final_url,
            metadata=_metadata(page),
        )


def _listed(hit: Hit, ids: dict[str, str]) -> ListedDocument:
    name = ids.get(urls.key(hit.url), hit.url)
    return ListedDocument(id=name, title=hit.title or hit.url, url=hit.url)


def _metadata(page: Page) -> dict[str, Any]:
    facts = {
        "trust": UNTRUSTED,
        "contentType": page.content_type,
        "language": page.language,
        "author": page.author,
        "site": page.site,
        "publishedAt": page.published,
        "truncated": page.truncated or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
