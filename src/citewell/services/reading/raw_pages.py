"""Fetches a page's bytes as the server sent them: guarded and size-limited, but not cleaned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.errors import NetworkFailed, RefusedByPolicy
from citewell.fetch import page_errors
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.plain_tiers import PageFetcher
from citewell.model.page import MAX_PAGE_BYTES
from citewell.net.guard.url_grammar import parse_url
from citewell.net.http.messages import HttpResponse, RequestSender
from citewell.net.robots_rules import RobotsPolicy

_ANY_CONTENT_TYPE = "*/*"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    final_url: str
    text: str
    encoding: str | None  # "base64" for binary content
    content_type: str  # the server's header; empty if it sent none
    length: int  # bytes of the body that are in `text`
    truncated: bool
    original_length: int | None  # bytes of the whole body, if known
    charset: str | None
    fetched_at: datetime


class RawPageFetcher:
    """Fetches without extraction: for JSON, markup and scripts that extraction would remove."""

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        robots: RobotsPolicy | None,
        timeout: float,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`robots` is None if the operator turned the robots.txt check off."""
        self._sender = sender
        self._tasks = tasks
        self._robots = robots
        self._timeout = timeout
        self._now = now

    async def fetch_raw_page(self, url: str, *, max_length: int) -> RawPage:
        """At most `max_length` bytes of the body; raises the errors of the page reader."""
        await self._check_permitted(url)
        length = min(max_length, MAX_PAGE_BYTES)
        door = PageFetcher(
            self._sender, self._tasks, max_bytes=MAX_PAGE_BYTES, max_prefix_bytes=length + 1
        )
        response = await door.fetch_response(url, accept=_ANY_CONTENT_TYPE, timeout=self._timeout)
        kind = response.headers.get("content-type", "")
        body = response.body[:length]
        truncated = len(body) < len(response.body)
        found = await self._tasks.decode_raw_body(url, response, length=length)
        return RawPage(
            final_url=response.url,
            text=found.text,
            encoding=found.encoding,
            content_type=kind,
            length=len(body),
            truncated=truncated,
            original_length=_read_announced_length(response)
            or (None if truncated else len(response.body)),
            charset=found.charset,
            fetched_at=self._now(),
        )

    async def _check_permitted(self, url: str) -> None:
        try:
            parse_url(url)
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        if self._robots is None:
            return
        try:
            await self._robots.check_robots(url)
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        except NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None


def _read_announced_length(response: HttpResponse) -> int | None:
    """The body length from the Content-Length header; None if absent, invalid or of a compressed body."""
    length = response.headers.get("content-length", "")
    packed = response.headers.get("content-encoding", "")
    return int(length) if length.isdigit() and len(length) < 16 and not packed else None
