"""A page's bytes as the server sent them: guarded and bounded like any reading, but not cleaned."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from citewell.errors import NetworkFailed, Refused
from citewell.fetch import complaints
from citewell.fetch.charset import decode
from citewell.fetch.kinds import sniff
from citewell.fetch.tiers import Door, Sender
from citewell.net.message import Response
from citewell.net.target import read_url

LONGEST = 5_000_000  # bytes
_ANY = "*/*"


class Robots(Protocol):
    async def check(self, url: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    final_url: str
    text: str
    encoding: str | None  # base64 for bytes that are no text
    content_type: str  # the server's header, empty when it sent none
    length: int  # bytes of the body that are in `text`
    truncated: bool
    original: int | None  # bytes of the whole body, where they are known
    charset: str | None
    fetched_at: datetime


class Verbatim:
    """Fetches without reading: for JSON, markup and scripts that reading would tidy away."""

    def __init__(
        self,
        sender: Sender,
        *,
        robots: Robots | None,
        timeout: float,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`robots` is None where the operator chose not to ask."""
        self._sender = sender
        self._robots = robots
        self._timeout = timeout
        self._now = now

    async def fetch(self, url: str, *, max_length: int) -> Raw:
        """At most `max_length` bytes of the body; raises what the reader of pages raises."""
        await self._permitted(url)
        length = min(max_length, LONGEST)
        door = Door(self._sender, max_bytes=LONGEST, beginning=length + 1)
        response = await door.get(url, accept=_ANY, timeout=self._timeout)
        kind = response.headers.get("content-type", "")
        body = response.body[:length]
        truncated = len(body) < len(response.body)
        text, encoding, charset = _shown(body, response.body, kind)
        return Raw(
            final_url=response.url,
            text=text,
            encoding=encoding,
            content_type=kind,
            length=len(body),
            truncated=truncated,
            original=_announced(response) or (None if truncated else len(response.body)),
            charset=charset,
            fetched_at=self._now(),
        )

    async def _permitted(self, url: str) -> None:
        try:
            read_url(url)
        except Refused as error:
            raise complaints.rejected(url, error.message) from None
        if self._robots is None:
            return
        try:
            await self._robots.check(url)
        except Refused as error:
            raise complaints.disallowed(url, error.message) from None
        except NetworkFailed as error:
            raise complaints.unreachable(url, error.message) from None


def _announced(response: Response) -> int | None:
    """The length that the server gave for the body as it is here."""
    length = response.headers.get("content-length", "")
    packed = response.headers.get("content-encoding", "")
    return int(length) if length.isdigit() and len(length) < 16 and not packed else None


def _shown(body: bytes, whole: bytes, kind: str) -> tuple[str, str | None, str | None]:
    """The bytes as JSON can carry them: in their charset, or in base64 when they are no text."""
    if not sniff(whole, kind.partition(";")[0].strip().lower()).readable:
        return base64.b64encode(body).decode("ascii"), "base64", None
    charset = decode(whole, content_type=kind).charset
    # A character cut in two at the end is left out; one broken inside is shown as such.
    decoder = codecs.getincrementaldecoder(charset)("replace")
    return decoder.decode(body, final=len(body) == len(whole)), None, charset
