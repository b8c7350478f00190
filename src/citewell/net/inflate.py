"""Undoes Content-Encoding with a bound on what comes out, however small what went in."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from citewell.errors import BadShape, TooLarge

ACCEPT = "gzip, deflate, br, zstd"

_DEEPEST = 2  # layers a server stacks by mistake; more is an attack
_MEMBERS = 64  # each costs a copy of what follows, so their number is bounded
_WINDOW_LOG = 23  # RFC 9659: a zstd window on the web is 8 MB at most


def inflate(body: bytes, encoding: str, limit: int) -> bytes:
    """`body` without its encodings. Memory stays near `limit`, whatever the stream claims.

    Raises TooLarge beyond `limit`, BadShape for a damaged or cut stream or an unknown encoding.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    layers = [name for name in names if name not in {"", "identity"}]
    if len(layers) > _DEEPEST or any(name not in _DECODERS for name in layers):
        raise BadShape("The answer is packed in a way we did not ask for.")
    for name in reversed(layers):
        body = _DECODERS[name](body, limit) if body else body
    return body


def _gzip(data: bytes, limit: int) -> bytes:
    out = bytearray()
    for _ in range(_MEMBERS):
        member, data = _zlib(data, limit - len(out), wbits=31)
        out += member
        if not data.startswith(b"\x1f\x8b"):  # servers pad with zeros
            return bytes(out)
    raise BadShape("The answer is packed in too many pieces.")


def _deflate(data: bytes, limit: int) -> bytes:
    """What the header calls deflate is zlib by the book and raw in the wild."""
    zlib_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _zlib(data, limit, wbits=15 if zlib_header else -15)[0]


def _zlib(data: bytes, limit: int, *, wbits: int) -> tuple[bytes, bytes]:
    stream = zlib.decompressobj(wbits)
    try:
        out = stream.decompress(data, limit + 1)
    except zlib.error:
        raise _damaged() from None
    _check(len(out), limit, whole=stream.eof)
    return out, stream.unused_data


def _brotli(data: bytes, limit: int) -> bytes:
    import brotli  # type: ignore[import-untyped]  # ships no types

    stream = brotli.Decompressor()
    try:
        out: bytes = stream.process(data, output_buffer_limit=limit + 1)
    except brotli.error:
        raise _damaged() from None
    _check(len(out), limit, whole=stream.is_finished())
    return out


def _zstd(data: bytes, limit: int) -> bytes:
    from citewell.net.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

    options: dict[int, int] = {DecompressionParameter.window_log_max: _WINDOW_LOG}
    out = bytearray()
    for _ in range(_MEMBERS):
        stream = ZstdDecompressor(options=options)
        try:
            out += stream.decompress(data, limit + 1 - len(out))
        except ZstdError:
            raise _damaged() from None
        _check(len(out), limit, whole=stream.eof)
        data = stream.unused_data
        if not data:
            return bytes(out)
    raise BadShape("The answer is packed in too many pieces.")


def _check(size: int, limit: int, *, whole: bool) -> None:
    if size > limit:
        raise TooLarge("The answer unpacks to more than may be read.")
    if not whole:
        raise _damaged()


def _damaged() -> BadShape:
    return BadShape("The packed answer is damaged or cut off.")


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
