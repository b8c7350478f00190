"""Decodes Content-Encoding with a limit on the decoded size, against decompression bombs."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable

from citewell.core.errors import MalformedResponse, TooLarge

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_MAX_ENCODING_LAYERS = 2  # encodings that a server may stack by mistake; more is an attack
_MAX_STREAM_MEMBERS = 64  # each one copies the rest of the body, so their number is limited
_MAX_ZSTD_WINDOW_LOG = 23  # RFC 9659 limits the zstd window in HTTP to 8 MB


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
