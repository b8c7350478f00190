"""The two plain tiers: ask for markdown, or fetch HTML and extract its main content."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from citewell.errors import (
    CitewellError,
    NetworkFailed,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.fetch import bot_walls, page_errors
from citewell.fetch.decoding.content_kinds import detect_page_kind
from citewell.fetch.decoding.page_charset import DecodedText, decode_body
from citewell.fetch.hidden_text import remove_hidden_text
from citewell.fetch.metadata.page_metadata import (
    ExtractedMetadata,
    read_page_metadata,
)
from citewell.fetch.tiers.tier_ladder import FetchAttempt, PageDraft, UnsureDraft
from citewell.net.http.messages import HttpRequest, HttpResponse, RequestSender
from citewell.net.http.rate_limit_headers import read_retry_delay

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

logger = logging.getLogger(__name__)

MARKDOWN_TIMEOUT_SECONDS = 5.0
_ACCEPT_MARKDOWN = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
_ACCEPT_HTML = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"
_MAX_ERROR_PAGE_BYTES = 256 * 1024
_MIN_TEXT_BYTES = 100  # bytes of text; shorter drafts are doubtful
_MARKDOWN_LINE = re.compile(
    r"^(?:#{1,6} \S|[-*+] \S|\d+\. \S|> |```|\|.+\|)|\[[^\]]+\]\([^)]+\)|\*\*\S", re.MULTILINE
)
_HTML_MARKUP = re.compile(r"<!doctype html|<html[\s>]|<body[\s>]", re.IGNORECASE)


class PageFetcher:
    """Fetches pages, and turns network errors and HTTP statuses into page errors."""

    def __init__(
        self,
        sender: RequestSender,
        *,
        max_bytes: int,
        document_bytes: int | None = None,
        max_prefix_bytes: int | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._sender = sender
        self._max_bytes = max_bytes
        self._document_bytes = document_bytes
        self._beginning = max_prefix_bytes  # bytes kept of a longer body; None refuses those
        self._now = now

    async def fetch_response(self, url: str, *, accept: str, timeout: float) -> HttpResponse:  # noqa: ASYNC109 - passed on to the request
        request = HttpRequest(
            url=url,
            headers=_build_page_headers(accept, packed=self._beginning is None),
            timeout=timeout,
            max_bytes=self._max_bytes,
            max_document_bytes=self._document_bytes,
            first_bytes=self._beginning,
            page=True,
        )
        try:
            response = await self._sender.send_request(request)
        except RefusedByPolicy as error:
            raise page_errors.build_url_error(url, error.message) from None
        except TooLarge:
            raise page_errors.build_size_error(url, self._max_bytes) from None
        except NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None
        except UpstreamUnavailable as error:
            raise page_errors.build_bad_response_error(
                url, error.message, reason=error.reason
            ) from None
        _check_page_response(url, response, now=self._now)
        return response


def _build_page_headers(accept: str, *, packed: bool) -> dict[str, str]:
    headers = {"accept": accept, "accept-language": "en;q=0.8, *;q=0.5"}
    return headers if packed else headers | {"accept-encoding": "identity"}


def _check_page_response(url: str, response: HttpResponse, *, now: Callable[[], float]) -> None:
    """Raise the error for any response but a 2xx without the header of a bot wall."""
    status = response.status
    if status in {404, 410}:
        raise page_errors.build_not_found_error(url, f"HTTP {status}")
    if wall := _find_header_wall(response) or (
        None if 200 <= status < 300 else _find_error_page_wall(response)
    ):
        raise page_errors.build_wall_error(url, wall.detected_by)
    if 200 <= status < 300:
        return
    if status in {401, 402, 407}:
        raise page_errors.build_login_error(url, f"HTTP {status}")
    if status in {403, 451}:
        raise page_errors.build_wall_error(url, f"HTTP {status}")
    if status == 429:
        raise page_errors.build_rate_limit_error(url, read_retry_delay(response.headers, now=now))
    if 400 <= status < 500:
        raise page_errors.build_status_error(url, status)
    raise page_errors.build_server_error(url, status)


def _find_header_wall(response: HttpResponse) -> bot_walls.PageWall | None:
    return bot_walls.find_bot_wall(
        bot_walls.InspectedPage(status=response.status, headers=response.headers, html="", text="")
    )


def _find_error_page_wall(response: HttpResponse) -> bot_walls.PageWall | None:
    """The bot wall in the body of an error page, if there is one."""
    decoded = decode_body(
        response.body[:_MAX_ERROR_PAGE_BYTES], content_type=_read_content_type(response)
    )
    return bot_walls.find_bot_wall(
        _inspect_html(response, decoded.text, _parse_limited_html(decoded.text))
    )


class DocumentReader(Protocol):
    """Reads responses that are documents."""

    def is_document(self, url: str, response: HttpResponse) -> bool: ...

    async def read_draft(self, url: str, response: HttpResponse) -> PageDraft: ...


class MarkdownTier:
    """Asks for markdown, which some servers offer; HTML that comes instead is left to the next tier."""

    name = "markdown"

    def __init__(self, door: PageFetcher, *, timeout: float = MARKDOWN_TIMEOUT_SECONDS) -> None:
        self._door = door
        self._timeout = timeout

    async def fetch_draft(self, climb: FetchAttempt) -> PageDraft:
        response = await self._door.fetch_response(
            climb.url, accept=_ACCEPT_MARKDOWN, timeout=self._timeout
        )
        if response.content_type not in {"text/markdown", "text/x-markdown"}:
            climb.response = response
            raise page_errors.build_empty_error(climb.url, "not offered")
        decoded = decode_body(
            response.body, content_type=_read_content_type(response) or "charset=utf-8"
        )
        if _HTML_MARKUP.search(decoded.text[:2000]):
            climb.response = response
            raise page_errors.build_empty_error(climb.url, "HTML labelled as markdown")
        if wall := bot_walls.find_bot_wall(_inspect_text(response, decoded.text)):
            raise page_errors.build_wall_error(climb.url, wall.detected_by)
        draft = PageDraft(
            final_url=response.url,
            content=decoded.text,
            content_type="markdown",
            metadata=ExtractedMetadata(title=_find_title_heading(decoded.text)),
            charset=decoded.charset,
            extracted_by=self.name,
        )
        return _require_enough_text(
            draft, climb.url, sure=bool(_MARKDOWN_LINE.search(decoded.text))
        )


class HtmlTier:
    """Fetches the HTML of a page and extracts its main content."""

    name = "html"

    def __init__(
        self, door: PageFetcher, *, timeout: float, document_reader: DocumentReader | None = None
    ) -> None:
        self._door = door
        self._timeout = timeout
        self._papers = document_reader

    async def fetch_draft(self, climb: FetchAttempt) -> PageDraft:
        response = climb.response or await self._door.fetch_response(
            climb.url, accept=_ACCEPT_HTML, timeout=self._timeout
        )
        if self._papers is not None and self._papers.is_document(climb.url, response):
            return await self._papers.read_draft(climb.url, response)
        kind = detect_page_kind(response.body, response.content_type)
        if not kind.is_text:
            raise page_errors.build_unreadable_kind_error(climb.url, kind.name)
        return await asyncio.to_thread(self._build_draft_safely, climb.url, response, kind.name)

    def _build_draft_safely(self, url: str, response: HttpResponse, kind: str) -> PageDraft:
        """Build the draft; a bug in our parsers becomes an error for this page alone, and is logged."""
        try:
            return self._build_draft(url, response, kind)
        except (CitewellError, UnsureDraft):
            raise
        except Exception:
            logger.exception("reading a page failed")
            raise page_errors.build_reader_error(url) from None

    def _build_draft(self, url: str, response: HttpResponse, kind: str) -> PageDraft:
        decoded = decode_body(response.body, content_type=_read_content_type(response))
        if kind != "html":
            return _require_enough_text(
                _build_text_draft(response, decoded, kind), url, min_bytes=1
            )
        return self._build_html_draft(url, response, decoded)

    def _build_html_draft(
        self, url: str, response: HttpResponse, decoded: DecodedText
    ) -> PageDraft:
        from citewell.fetch.html.main_content import extract_from_tree

        tree = _parse_limited_html(decoded.text)
        about = read_page_metadata(tree, url=response.url)
        unseen = remove_hidden_text(tree)
        found = extract_from_tree(tree, url=response.url)
        look = replace(
            _inspect_html(response, decoded.text, tree), extracted_words=found.word_count
        )
        if wall := bot_walls.find_page_wall(look):
            raise _choose_wall_error(url, wall)
        draft = PageDraft(
            final_url=response.url,
            content=found.markdown,
            content_type="html",
            kind=found.kind,
            charset=decoded.charset,
            metadata=about,
            extracted_by=self.name,
            hidden_counts=unseen.counts,
            etag=response.headers.get("etag"),
            last_modified=response.headers.get("last-modified"),
        )
        if (
            unseen.is_mostly_hidden
        ):  # a script would have shown it, so the browser tier may read more
            raise UnsureDraft(draft, page_errors.build_empty_error(url, "mostly hidden"))
        return _require_enough_text(draft, url)


def _parse_limited_html(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.markup_limits import limit_markup

    return LexborHTMLParser(limit_markup(html))


def _inspect_html(
    response: HttpResponse, html: str, tree: LexborHTMLParser
) -> bot_walls.InspectedPage:
    """The page as the wall detectors need it. Removes scripts, styles and the head from the tree."""
    title = tree.css_first("title")
    name = " ".join(title.text().split()) if title is not None else ""
    for node in tree.css("script, style, noscript, template, svg, head"):
        node.decompose()
    text = tree.body.text(separator=" ") if tree.body is not None else ""
    return replace(_inspect_text(response, " ".join(text.split())), html=html, title=name)


def _inspect_text(response: HttpResponse, text: str) -> bot_walls.InspectedPage:
    return bot_walls.InspectedPage(
        status=response.status,
        headers=response.headers,
        html=text,
        text=text,
        path=urlsplit(response.url).path,
        redirected=bool(response.hops),
    )


def _choose_wall_error(url: str, wall: bot_walls.PageWall) -> CitewellError:
    say: dict[bot_walls.WallKind, Callable[[str, str], CitewellError]] = {
        bot_walls.WallKind.BOT: page_errors.build_wall_error,
        bot_walls.WallKind.CONSENT: page_errors.build_consent_error,
        bot_walls.WallKind.LOGIN: page_errors.build_login_error,
        bot_walls.WallKind.PAYWALL: page_errors.build_paywall_error,
        bot_walls.WallKind.MISSING: page_errors.build_soft_404_error,
        bot_walls.WallKind.SHELL: page_errors.build_empty_error,
    }
    return say[wall.kind](url, wall.detected_by)


def _build_text_draft(response: HttpResponse, decoded: DecodedText, kind: str) -> PageDraft:
    return PageDraft(
        final_url=response.url,
        content=decoded.text,
        content_type=kind,
        metadata=ExtractedMetadata(title=urlsplit(response.url).path.rpartition("/")[2]),
        charset=decoded.charset,
        extracted_by=HtmlTier.name,
    )


def _require_enough_text(
    draft: PageDraft, url: str, *, sure: bool = True, min_bytes: int = _MIN_TEXT_BYTES
) -> PageDraft:
    """The draft, if it is long enough. Raises UnsureDraft for a short one, ContentEmpty for none."""
    size = len(draft.content.strip().encode("utf-8", "replace"))
    if size == 0:
        raise page_errors.build_empty_error(url, "empty")
    if size < min_bytes or not sure:
        raise UnsureDraft(draft, page_errors.build_empty_error(url, f"{size} bytes"))
    return draft


def _find_title_heading(markdown: str) -> str:
    match = re.search(r"^#\s+(.+?)\s*#*$", markdown, re.MULTILINE)
    return match[1] if match else ""


def _read_content_type(response: HttpResponse) -> str:
    return response.headers.get("content-type", "")
