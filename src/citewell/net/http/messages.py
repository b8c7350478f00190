"""The request and response types that all clients share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from citewell.core.errors import MalformedResponse
from citewell.core.values.counted_words import pluralize

_MEDIA_TYPE_PATTERN = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")
_PERMANENT_STATUSES = frozenset({301, 308})

QueryPairs = Mapping[str, str] | Sequence[tuple[str, str]]


class RedirectPolicy(StrEnum):
    FOLLOW = "follow"  # the guard checks each hop; five at most
    SAME_ORIGIN = "same_origin"  # a redirect to another origin is an error
    NONE = "none"  # a 3xx response is returned as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    url: str
    method: str = "GET"
    params: QueryPairs = field(default_factory=dict, repr=False)  # may contain an API key
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(
        default_factory=dict, repr=False
    )  # not sent to another origin
    json: Any = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    content: bytes | None = field(default=None, repr=False)  # a body as it is, such as a signed one
    timeout: float = 10.0  # seconds for the whole exchange, redirects included
    max_bytes: int = 8 * 2**20  # after decompression
    max_document_bytes: int | None = (
        None  # size limit for responses that are not HTML; None means the same as `max_bytes`
    )
    first_bytes: int | None = None  # read only this many bytes, if the body is not compressed
    redirects: RedirectPolicy = RedirectPolicy.FOLLOW
    page: bool = False  # a page, not an API call: ALLOWED_DOMAINS applies to every hop
    redirect_status: int | None = None  # of the response that redirected here; None: asked for

    def choose_byte_cap(self, content_type: str) -> int:
        """The size limit for a body of this media type."""
        family = content_type.partition(";")[0].strip().lower()
        page = family.startswith("text/html") or family in {"", "application/xhtml+xml"}
        return (
            self.max_bytes if page or self.max_document_bytes is None else self.max_document_bytes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    status: int
    url: str = field(repr=False)  # after redirects
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by ", "
    body: bytes = field(repr=False)
    hops: tuple[str, ...] = field(default=(), repr=False)  # the addresses that redirected, in order
    hop_statuses: tuple[int, ...] = ()  # the status of each of those redirects
    seconds: float = 0.0
    provider: str | None = None  # the upstream's name, for error messages

    @property
    def is_moved(self) -> bool:
        """Whether every redirect on the way said that the page has moved permanently."""
        return bool(self.hop_statuses) and set(self.hop_statuses) <= _PERMANENT_STATUSES

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters; empty if the server sent none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def decode_text(self) -> str:
        """The body decoded as UTF-8, for APIs; the charset of pages is detected in `fetch`."""
        return self.body.decode("utf-8", "replace")

    def parse_json(self) -> Any:
        """The body parsed as JSON; MalformedResponse if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):  # RecursionError for deeply nested brackets
            kind = (
                self.content_type
                if _MEDIA_TYPE_PATTERN.fullmatch(self.content_type)
                else "no media type"
            )
            message = f"Expected JSON and got {kind} of {len(self.body)} {pluralize(len(self.body), 'byte')}."
            raise MalformedResponse(message, provider=self.provider) from None


class RequestSender(Protocol):
    """Anything that can send a request: a client, or a fake in tests."""

    async def send_request(self, request: HttpRequest) -> HttpResponse: ...


# Called with the name of the upstream, or an empty one for an exchange of its own, and the request;
# what it returns is open while the request runs.
WatchRequest = Callable[[str, HttpRequest], AbstractContextManager[None]]


def watch_nothing(_upstream: str, _request: HttpRequest) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(slots=True)
class RequestWatch:
    """Shared by all senders of one network; nobody watches unless `watch` is replaced, as for traces."""

    watch: WatchRequest = watch_nothing
