"""The last resort: Exa's own copy of a page, paid for, where a key was given and nothing else worked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from citewell.errors import CitewellError
from citewell.fetch import complaints, walls
from citewell.fetch.ladder import Climb, Draft, Unsure
from citewell.fetch.metadata import About
from citewell.net import address
from citewell.net.answer import Answer, Items, Maybe, Part, read
from citewell.net.guard import Guard
from citewell.net.target import read_url
from citewell.net.upstream import Upstream
from citewell.text.dates import read_date
from citewell.text.markup import clean

TIMEOUT = 30.0

_LEAST = 100  # bytes; as on the other tiers


class _Page(Part):
    title: Maybe[str] = None
    author: Maybe[str] = None
    publishedDate: Maybe[str] = None  # noqa: N815 - the upstream's word
    text: Maybe[str] = None


class _Fault(Part):
    tag: Maybe[str] = None


class _Status(Part):
    source: Maybe[str] = None  # cached or crawled
    error: Maybe[_Fault] = None


class _Contents(Answer):
    results: Items[_Page] = ()
    statuses: Items[_Status] = ()


class ExaTier:
    """Sends the address to Exa; only a public one, and never one that our own policy refused."""

    name = "exa"

    def __init__(
        self,
        upstream: Upstream,
        *,
        key: str,
        public: Guard,
        timeout: float = TIMEOUT,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`public` knows no exceptions for private hosts: what it refuses stays on this machine."""
        self._upstream = upstream
        self._key = {"x-api-key": key}
        self._public = public
        self._timeout = timeout
        self._now = now

    async def read(self, climb: Climb) -> Draft:
        await self._check_public(climb.url)
        contents = await self._ask(climb.url)
        status = next(iter(contents.statuses), _Status())
        page = next((page for page in contents.results if (page.text or "").strip()), None)
        if page is None:
            raise _failure(climb.url, status)
        draft = self._draft(climb.url, page, source=status.source)
        if wall := walls.bot(_seen(draft)):
            raise complaints.walled(climb.url, wall.by)
        size = len(draft.content.encode("utf-8", "replace"))
        if size < _LEAST:
            raise Unsure(draft, complaints.empty(climb.url, f"{size} bytes"))
        return draft

    async def _check_public(self, url: str) -> None:
        if _is_private(self._upstream.base_url):
            return  # a stand-in of the operator's own: nothing leaves the house
        try:
            target = self._public.target(url)
            await self._public.addresses(target.host, target.port)
        except CitewellError:
            raise complaints.empty(url, "not sent, for its host is not public") from None

    async def _ask(self, url: str) -> _Contents:
        """One paid request, never repeated. What is wrong with the account says nothing of the page."""
        try:
            response = await self._upstream.post(
                "/contents",
                json={"urls": [url], "text": True},
                idempotent=False,
                secret_headers=self._key,
                timeout=self._timeout,
            )
            return read(_Contents, response)
        except CitewellError as error:
            raise complaints.empty(url, error.detail or error.message.rstrip(".")) from None

    def _draft(self, url: str, page: _Page, *, source: str | None) -> Draft:
        published = read_date(page.publishedDate, now=self._now())
        about = About(
            title=clean(page.title),
            author=clean(page.author) or None,
            published=published.isoformat() if published else None,
            published_basis=self.name if published else None,
        )
        return Draft(
            final_url=url,
            content=(page.text or "").strip(),
            content_type="text",
            about=about,
            extracted_by="exa:crawled" if source == "crawled" else "exa:cached",
        )


def _is_private(base_url: str) -> bool:
    literal = read_url(base_url).literal
    return literal is not None and not address.is_public(literal)


def _seen(draft: Draft) -> walls.Seen:
    text = draft.content
    return walls.Seen(status=200, headers={}, html=text, text=text, title=draft.about.title)


def _failure(url: str, status: _Status) -> CitewellError:
    tag = (status.error.tag if status.error else None) or "no text"
    if tag == "CRAWL_NOT_FOUND":
        return complaints.missing(url, tag)
    return complaints.empty(url, tag)
