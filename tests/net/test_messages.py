from __future__ import annotations

import gzip
import tracemalloc
import zlib
from typing import Any

import brotli  # type: ignore[import-untyped]  # ships no types
import pytest

from citewell.core.errors import MalformedResponse, RefusedByPolicy, TooLarge, UpstreamUnavailable
from citewell.net.http.file_downloads import build_redirect_request
from citewell.net.http.messages import HttpRequest, RedirectPolicy, decode_content
from citewell.net.url_grammar import parse_url

START = "https://example.org/start"
ASKED = HttpRequest(
    url=START,
    headers={"Authorization": "Bearer k3y", "X-Plain": "kept"},
    secret_headers={"X-Key": "k3y"},
)


def onward(
    location: str | None, request: HttpRequest = ASKED, status: int = 302
) -> HttpRequest | None:
    return build_redirect_request(request, parse_url(request.url), status=status, location=location)


def expect_redirect(location: str, request: HttpRequest = ASKED, status: int = 302) -> HttpRequest:
    followed = onward(location, request, status)
    assert followed is not None
    return followed


def test_the_same_origin_keeps_everything() -> None:
    followed = expect_redirect("https://EXAMPLE.org:443/next")

    assert followed.headers == ASKED.headers
    assert followed.secret_headers == ASKED.secret_headers


@pytest.mark.parametrize(
    "location",
    ["http://example.org/start", "https://example.org:8443/", "https://www.example.org/", "//example.com/"],
)  # fmt: skip
def test_another_scheme_port_or_host_gets_no_secret(location: str) -> None:
    followed = expect_redirect(location)

    assert followed.secret_headers == {}
    assert followed.headers == {"X-Plain": "kept"}


@pytest.mark.parametrize(
    ("status", "location"), [(200, "/a"), (304, "/a"), (300, "/a"), (302, None), (302, "")]
)
def test_what_is_no_redirect_is_final(status: int, location: str | None) -> None:
    assert onward(location, status=status) is None


def test_a_redirect_is_final_when_none_is_wanted() -> None:
    assert onward("/a", request=HttpRequest(url=START, redirects=RedirectPolicy.NONE)) is None


@pytest.mark.parametrize("location", ["http://[bad/", "https://[::1"])
def test_a_place_that_is_none_is_the_upstreams_failure(location: str) -> None:
    with pytest.raises(UpstreamUnavailable):
        onward(location)


@pytest.mark.parametrize(
    "location", ["javascript:alert(1)", "http://a\tb.org/", "https://user@example.org/"]
)
def test_a_place_outside_the_grammar_is_refused(location: str) -> None:
    with pytest.raises(RefusedByPolicy):
        onward(location)


def test_a_head_request_stays_one() -> None:
    request = HttpRequest(url=START, method="HEAD")

    assert expect_redirect("/a", request, status=303).method == "HEAD"


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
