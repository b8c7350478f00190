from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli
import pytest

from citewell.errors import BadShape, TooLarge
from citewell.net.inflate import inflate

try:
    from compression import zstd
except ImportError:
    from backports import zstd

TEXT = b"A sentence that is said more than once. " * 50
LIMIT = 1 << 20
BOMB = bytes(64 << 20)


def _raw_deflate(data):
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
def test_what_was_packed_is_unpacked(name):
    assert inflate(PACKERS[name](TEXT), name, LIMIT) == TEXT


@pytest.mark.parametrize("name", PACKERS)
def test_a_body_of_exactly_the_cap_is_read(name):
    assert inflate(PACKERS[name](TEXT), name, len(TEXT)) == TEXT
    with pytest.raises(TooLarge):
        inflate(PACKERS[name](TEXT), name, len(TEXT) - 1)


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_is_too_large_and_costs_little_memory(name):
    bomb = PACKERS[name](BOMB)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            inflate(bomb, name, LIMIT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(bomb) < LIMIT
    assert peak < 6 * LIMIT


@pytest.mark.parametrize("outer", ["gzip", "br", "zstd"])
def test_a_nested_bomb_is_too_large_and_costs_little_memory(outer):
    bomb = PACKERS[outer](gzip.compress(BOMB))
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            inflate(bomb, f"gzip, {outer}", LIMIT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 6 * LIMIT


def test_two_layers_are_undone_in_order():
    assert inflate(brotli.compress(gzip.compress(TEXT)), "gzip, br", LIMIT) == TEXT


@pytest.mark.parametrize("encoding", ["compress", "gzip;q=1", "aes128gcm"])
def test_an_encoding_we_did_not_ask_for_is_refused(encoding):
    with pytest.raises(BadShape):
        inflate(gzip.compress(TEXT), encoding, LIMIT)


def test_three_layers_are_refused():
    thrice = gzip.compress(gzip.compress(gzip.compress(TEXT)))

    with pytest.raises(BadShape):
        inflate(thrice, "gzip, gzip, gzip", LIMIT)


@pytest.mark.parametrize("encoding", ["", "identity", " , identity"])
def test_a_plain_body_stays_as_it_is(encoding):
    assert inflate(TEXT, encoding, LIMIT) == TEXT


@pytest.mark.parametrize("name", PACKERS)
def test_a_cut_or_damaged_stream_is_a_bad_shape(name):
    packed = PACKERS[name](TEXT)

    for damaged in (packed[:-6], packed[: len(packed) // 2], b"plain text, not packed at all"):
        with pytest.raises(BadShape):
            inflate(damaged, name, LIMIT)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_members_are_one_body_and_thousands_are_refused(name):
    member = PACKERS[name](b"part ")

    assert inflate(member * 3, name, LIMIT) == b"part part part "
    with pytest.raises(BadShape):
        inflate(member * 5000, name, LIMIT)


def test_padding_after_gzip_is_ignored_and_an_empty_body_stays_empty():
    assert inflate(gzip.compress(TEXT) + bytes(12), "gzip", LIMIT) == TEXT
    assert inflate(b"", "gzip", LIMIT) == b""
