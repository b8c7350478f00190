"""The plain ways of reading a page: ask for markdown, else take the HTML and find its content."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from citewell.errors import CitewellError, NetworkFailed, Refused, TooLarge, Unavailable
from citewell.fetch import complaints, walls
from citewell.fetch.charset import Decoded, decode
from citewell.fetch.hidden import remove
from citewell.fetch.kinds import sniff
from citewell.fetch.ladder import Climb, Draft, Unsure
from citewell.fetch.metadata import About, describe
from citewell.net.limits import read_delay
from citewell.net.message import Request, Response

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

logger = logging.getLogger(__name__)

MARKDOWN_TIMEOUT = 5.0
_MARKDOWN_FIRST = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
_HTML_FIRST = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"
_ERROR_PAGE = 256 * 1024
_LEAST = 100  # bytes of text; less is not trusted
_LINE_OF_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|[-*+] \S|\d+\. \S|> |```|\|.+\|)|\[[^\]]+\]\([^)]+\)|\*\*\S", re.MULTILINE
)
_MARKUP = re.compile(r"<!doctype html|<html[\s>]|<body[\s>]", re.IGNORECASE)


class Sender(Protocol):
    async def send(self, request: Request) -> Response: ...


class Door:
    """Fetches pages and says in the reader's words what went wrong on the way."""

    def __init__(
        self,
        sender: Sender,
        *,
        max_bytes: int,
        document_bytes: int | None = None,
        beginning: int | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._sender = sender
        self._max_bytes = max_bytes
        self._document_bytes = document_bytes
        self._beginning = beginning  # cut what is longer, rather than refuse it
        self._now = now

    async def get(self, url: str, *, accept: str, timeout: float) -> Response:  # noqa: ASYNC109 - handed to the exchange
        request = Request(
            url=url,
            headers=_headers(accept, packed=self._beginning is None),
            timeout=timeout,
            max_bytes=self._max_bytes,
            document_bytes=self._document_bytes,
            beginning=self._beginning,
            page=True,
        )
        try:
            response = await self._sender.send(request)
        except Refused as error:
            raise complaints.rejected(url, error.message) from None
        except TooLarge:
            raise complaints.too_large(url, self._max_bytes) from None
        except NetworkFailed as error:
            raise complaints.unreachable(url, error.message) from None
        except Unavailable as error:
            raise complaints.misled(url, error.message) from None
        _judge(url, response, now=self._now)
        return response


def _headers(accept: str, *, packed: bool) -> dict[str, str]:
    headers = {"accept": accept, "accept-language": "en;q=0.8, *;q=0.5"}
    return headers if packed else headers | {"accept-encoding": "identity"}


def _judge(url: str, response: Response, *, now: Callable[[], float]) -> None:
    """Do nothing for a 2xx without a wall's header; raise what any other answer means."""
    status = response.status
    if status in {404, 410}:
        raise complaints.missing(url, f"HTTP {status}")
    if wall := _announced(response) or (None if 200 <= status < 300 else _shown(response)):
        raise complaints.walled(url, wall.by)
    if 200 <= status < 300:
        return
    if status in {401, 402, 407}:
        raise complaints.login(url, f"HTTP {status}")
    if status in {403, 451}:
        raise complaints.walled(url, f"HTTP {status}")
    if status == 429:
        raise complaints.limited(url, read_delay(response.headers, now=now))
    if 400 <= status < 500:
        raise complaints.refused(url, status)
    raise complaints.failed(url, status)


def _announced(response: Response) -> walls.Wall | None:
    return walls.bot(walls.Seen(status=response.status, headers=response.headers, html="", text=""))


def _shown(response: Response) -> walls.Wall | None:
    """A wall in the body of an error page."""
    decoded = decode(response.body[:_ERROR_PAGE], content_type=_type(response))
    return walls.bot(_seen(response, decoded.text, _parse(decoded.text)))


class Papers(Protocol):
    """Reads what is no page."""

    def takes(self, url: str, response: Response) -> bool: ...

    async def draft(self, url: str, response: Response) -> Draft: ...


class MarkdownTier:
    """Some servers offer markdown to whoever asks; those that do not mostly send their HTML."""

    name = "markdown"

    def __init__(self, door: Door, *, timeout: float = MARKDOWN_TIMEOUT) -> None:
        self._door = door
        self._timeout = timeout

    async def read(self, climb: Climb) -> Draft:
        response = await self._door.get(climb.url, accept=_MARKDOWN_FIRST, timeout=self._timeout)
        if response.content_type not in {"text/markdown", "text/x-markdown"}:
            climb.answer = response
            raise complaints.empty(climb.url, "not offered")
        decoded = decode(response.body, content_type=_type(response) or "charset=utf-8")
        if _MARKUP.search(decoded.text[:2000]):
            climb.answer = response
            raise complaints.empty(climb.url, "HTML under the name of markdown")
        if wall := walls.bot(_bare(response, decoded.text)):
            raise complaints.walled(climb.url, wall.by)
        draft = Draft(
            final_url=response.url,
            content=decoded.text,
            content_type="markdown",
            about=About(title=_first_heading(decoded.text)),
            charset=decoded.charset,
            extracted_by=self.name,
        )
        return _trusted(draft, climb.url, sure=bool(_LINE_OF_MARKDOWN.search(decoded.text)))


class HtmlTier:
    """Takes what any browser would get, and finds the main content in it."""

    name = "html"

    def __init__(self, door: Door, *, timeout: float, papers: Papers | None = None) -> None:
        self._door = door
        self._timeout = timeout
        self._papers = papers

    async def read(self, climb: Climb) -> Draft:
        response = climb.answer or await self._door.get(
            climb.url, accept=_HTML_FIRST, timeout=self._timeout
        )
        if self._papers is not None and self._papers.takes(climb.url, response):
            return await self._papers.draft(climb.url, response)
        kind = sniff(response.body, response.content_type)
        if not kind.readable:
            raise complaints.unreadable(climb.url, kind.name)
        return await asyncio.to_thread(self._make, climb.url, response, kind.name)

    def _make(self, url: str, response: Response, kind: str) -> Draft:
        """One page that trips over a fault of ours must not take others down with it."""
        try:
            return self._drafted(url, response, kind)
        except (CitewellError, Unsure):
            raise
        except Exception:
            logger.exception("the reader failed on a page")
            raise complaints.faulty(url) from None

    def _drafted(self, url: str, response: Response, kind: str) -> Draft:
        decoded = decode(response.body, content_type=_type(response))
        if kind != "html":
            return _trusted(_as_is(response, decoded, kind), url, least=1)
        return self._extracted(url, response, decoded)

    def _extracted(self, url: str, response: Response, decoded: Decoded) -> Draft:
        from citewell.fetch.html.extract import extract_tree

        tree = _parse(decoded.text)
        about = describe(tree, url=response.url)
        unseen = remove(tree)
        found = extract_tree(tree, url=response.url)
        look = replace(_seen(response, decoded.text, tree), extracted=found.words)
        if wall := walls.detect(look):
            raise _walled(url, wall)
        draft = Draft(
            final_url=response.url,
            content=found.markdown,
            content_type="html",
            kind=found.kind,
            charset=decoded.charset,
            about=about,
            extracted_by=self.name,
            hidden=unseen.counts,
            etag=response.headers.get("etag"),
            last_modified=response.headers.get("last-modified"),
        )
        if unseen.mostly:  # a script would have shown it: a browser may know better
            raise Unsure(draft, complaints.empty(url, "mostly hidden"))
        return _trusted(draft, url)


def _parse(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.limits import tame

    return LexborHTMLParser(tame(html))


def _seen(response: Response, html: str, tree: LexborHTMLParser) -> walls.Seen:
    """The answer as the wall detectors want it; the tree loses what a reader would not see."""
    title = tree.css_first("title")
    name = " ".join(title.text().split()) if title is not None else ""
    for node in tree.css("script, style, noscript, template, svg, head"):
        node.decompose()
    text = tree.body.text(separator=" ") if tree.body is not None else ""
    return replace(_bare(response, " ".join(text.split())), html=html, title=name)


def _bare(response: Response, text: str) -> walls.Seen:
    return walls.Seen(
        status=response.status,
        headers=response.headers,
        html=text,
        text=text,
        path=urlsplit(response.url).path,
        redirected=bool(response.hops),
    )


def _walled(url: str, wall: walls.Wall) -> CitewellError:
    say: dict[walls.WallKind, Callable[[str, str], CitewellError]] = {
        walls.WallKind.BOT: complaints.walled,
        walls.WallKind.CONSENT: complaints.consent,
        walls.WallKind.LOGIN: complaints.login,
        walls.WallKind.PAYWALL: complaints.paywall,
        walls.WallKind.MISSING: complaints.gone,
        walls.WallKind.SHELL: complaints.empty,
    }
    return say[wall.kind](url, wall.by)


def _as_is(response: Response, decoded: Decoded, kind: str) -> Draft:
    return Draft(
        final_url=response.url,
        content=decoded.text,
        content_type=kind,
        about=About(title=urlsplit(response.url).path.rpartition("/")[2]),
        charset=decoded.charset,
        extracted_by=HtmlTier.name,
    )


def _trusted(draft: Draft, url: str, *, sure: bool = True, least: int = _LEAST) -> Draft:
    """The draft when there is enough of it; Unsure for a little, an error for nothing."""
    size = len(draft.content.strip().encode("utf-8", "replace"))
    if size == 0:
        raise complaints.empty(url, "empty")
    if size < least or not sure:
        raise Unsure(draft, complaints.empty(url, f"{size} bytes"))
    return draft


def _first_heading(markdown: str) -> str:
    match = re.search(r"^#\s+(.+?)\s*#*$", markdown, re.MULTILINE)
    return match[1] if match else ""


def _type(response: Response) -> str:
    return response.headers.get("content-type", "")
