"""Spec 4's two verbs over the user's library and the web: find documents, get one whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.base import UNTRUSTED, Value
from citewell.model.page import Page
from citewell.model.routing import Trace
from citewell.services.read import Read
from citewell.services.web.search import Ask, Web

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
    """A web document's id is its address, so an id stays good for as long as the page does."""

    def __init__(self, *, web: Web, read: Read) -> None:
        self._web = web
        self._read = read

    async def search(self, query: str, *, trace: Trace) -> Listing:
        answer = await self._web.search(Ask(query=query, count=LISTED), trace=trace)
        return Listing(
            results=tuple(
                ListedDocument(id=hit.url, title=hit.title or hit.url, url=hit.url)
                for hit in answer.results
            )
        )

    async def fetch(
        self,
        document_id: str,
        *,
        progress: Callable[[float, float | None, str | None], Awaitable[None]] | None = None,
    ) -> Document:
        address = document_id.strip()
        if not address.lower().startswith(("http://", "https://")):
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
