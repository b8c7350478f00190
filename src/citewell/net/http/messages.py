"""The request and response types that all clients share, and Content-Encoding, decoded within a limit against bombs."""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from citewell.core.errors import MalformedResponse, TooLarge
from citewell.core.values.counted_words import pluralize

_MEDIA_TYPE_PATTERN = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")
_PERMANENT_STATUSES = frozenset({301, 308})

QueryPairs = Mapping[str, str] | Sequence[tuple[str, str]]
ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_MAX_ENCODING_LAYERS = 2  # encodings that a server may stack by mistake; more is an attack
_MAX_STREAM_MEMBERS = 64  # each one copies the rest of the body, so their number is limited
_MAX_ZSTD_WINDOW_LOG = 23  # RFC 9659 limits the zstd window in HTTP to 8 MB


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


def decode_content(body: bytes, encoding: str, limit: int) -> bytes:
    """`body` without its encodings; memory use stays near `limit` bytes.

    Raises TooLarge if the result exceeds `limit`, and MalformedResponse for an unknown encoding or
    a damaged or incomplete stream.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    layers = [name for name in names if name not in {"", "identity"}]
    if len(layers) > _MAX_ENCODING_LAYERS or any(name not in _DECODERS for name in layers):
        raise MalformedResponse("The response uses an encoding that was not requested.")
    for name in reversed(layers):
        body = _DECODERS[name](body, limit) if body else body
    return body


def _decode_gzip(data: bytes, limit: int) -> bytes:
    out = bytearray()
    for _ in range(_MAX_STREAM_MEMBERS):
        member, data = _decode_zlib(data, limit - len(out), wbits=31)
        out += member
        if not data.startswith(b"\x1f\x8b"):  # some servers pad with zeros
            return bytes(out)
    raise MalformedResponse("The response is compressed in too many parts.")


def _decode_deflate(data: bytes, limit: int) -> bytes:
    """Accepts zlib, which the standard requires, and raw deflate, which some servers send."""
    zlib_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _decode_zlib(data, limit, wbits=15 if zlib_header else -15)[0]


def _decode_zlib(data: bytes, limit: int, *, wbits: int) -> tuple[bytes, bytes]:
    stream = zlib.decompressobj(wbits)
    try:
        out = stream.decompress(data, limit + 1)
    except zlib.error:
        raise _build_damaged_error() from None
    _check_decoded_size(len(out), limit, whole=stream.eof)
    return out, stream.unused_data


def _decode_brotli(data: bytes, limit: int) -> bytes:
    import brotli  # type: ignore[import-untyped]  # ships no types

    stream = brotli.Decompressor()
    try:
        out: bytes = stream.process(data, output_buffer_limit=limit + 1)
    except brotli.error:
        raise _build_damaged_error() from None
    _check_decoded_size(len(out), limit, whole=stream.is_finished())
    return out


def _decode_zstd(data: bytes, limit: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
    else:
        from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

    options: dict[int, int] = {DecompressionParameter.window_log_max: _MAX_ZSTD_WINDOW_LOG}
    out = bytearray()
    for _ in range(_MAX_STREAM_MEMBERS):
        stream = ZstdDecompressor(options=options)
        try:
            out += stream.decompress(data, limit + 1 - len(out))
        except ZstdError:
            raise _build_damaged_error() from None
        _check_decoded_size(len(out), limit, whole=stream.eof)
        data = stream.unused_data
        if not data:
            return bytes(out)
    raise MalformedResponse("The response is compressed in too many parts.")


def _check_decoded_size(size: int, limit: int, *, whole: bool) -> None:
    if size > limit:
        raise TooLarge("The decompressed response is larger than the limit.")
    if not whole:
        raise _build_damaged_error()


def _build_damaged_error() -> MalformedResponse:
    return MalformedResponse("The compressed response is damaged or incomplete.")


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _decode_gzip,
    "x-gzip": _decode_gzip,
    "deflate": _decode_deflate,
    "br": _decode_brotli,
    "zstd": _decode_zstd,
}
