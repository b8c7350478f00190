from __future__ import annotations

import gzip
import tracemalloc
import zlib
from typing import Any

import brotli  # type: ignore[import-untyped]  # ships no types
import pytest

from citewell.core.errors import MalformedResponse, TooLarge
from citewell.net.http.content_decoding import decode_content

try:
    from compression import zstd
except ImportError:
    from backports import zstd

TEXT = b"A sentence that is said more than once. " * 50
LIMIT = 1 << 20
BOMB = bytes(64 << 20)


def _raw_deflate(data: Any) -> Any:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": _raw_deflate,
    "br": lambda data: brotli.compress(data, quality=1),
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("name", PACKERS)
def test_what_was_packed_is_unpacked(name: Any) -> None:
    assert decode_content(PACKERS[name](TEXT), name, LIMIT) == TEXT


@pytest.mark.parametrize("name", PACKERS)
def test_a_body_of_exactly_the_cap_is_read(name: Any) -> None:
    assert decode_content(PACKERS[name](TEXT), name, len(TEXT)) == TEXT
    with pytest.raises(TooLarge):
        decode_content(PACKERS[name](TEXT), name, len(TEXT) - 1)


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_is_too_large_and_costs_little_memory(name: Any) -> None:
    bomb = PACKERS[name](BOMB)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decode_content(bomb, name, LIMIT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(bomb) < LIMIT
    assert peak < 6 * LIMIT


@pytest.mark.parametrize("outer", ["gzip", "br", "zstd"])
def test_a_nested_bomb_is_too_large_and_costs_little_memory(outer: str) -> None:
    bomb = PACKERS[outer](gzip.compress(BOMB))
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decode_content(bomb, f"gzip, {outer}", LIMIT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 6 * LIMIT


def test_two_layers_are_undone_in_order() -> None:
    assert decode_content(brotli.compress(gzip.compress(TEXT)), "gzip, br", LIMIT) == TEXT


@pytest.mark.parametrize("encoding", ["compress", "gzip;q=1", "aes128gcm"])
def test_an_encoding_we_did_not_ask_for_is_refused(encoding: str) -> None:
    with pytest.raises(MalformedResponse):
        decode_content(gzip.compress(TEXT), encoding, LIMIT)


def test_three_layers_are_refused() -> None:
    thrice = gzip.compress(gzip.compress(gzip.compress(TEXT)))

    with pytest.raises(MalformedResponse):
        decode_content(thrice, "gzip, gzip, gzip", LIMIT)


@pytest.mark.parametrize("encoding", ["", "identity", " , identity"])
def test_a_plain_body_stays_as_it_is(encoding: str) -> None:
    assert decode_content(TEXT, encoding, LIMIT) == TEXT


@pytest.mark.parametrize("name", PACKERS)
def test_a_cut_or_damaged_stream_is_a_bad_shape(name: Any) -> None:
    packed = PACKERS[name](TEXT)

    for damaged in (packed[:-6], packed[: len(packed) // 2], b"plain text, not packed at all"):
        with pytest.raises(MalformedResponse):
            decode_content(damaged, name, LIMIT)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_members_are_one_body_and_thousands_are_refused(name: str) -> None:
    member = PACKERS[name](b"part ")

    assert decode_content(member * 3, name, LIMIT) == b"part part part "
    with pytest.raises(MalformedResponse):
        decode_content(member * 5000, name, LIMIT)


def test_padding_after_gzip_is_ignored_and_an_empty_body_stays_empty() -> None:
    assert decode_content(gzip.compress(TEXT) + bytes(12), "gzip", LIMIT) == TEXT
    assert decode_content(b"", "gzip", LIMIT) == b""
