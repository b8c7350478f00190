"""The headers of a request, sorted once."""

from __future__ import annotations

from typing import Any

from citewell.server.http.header_values import find_header_values

HEADERS = [(b"host", b"a"), (b"accept", b"x"), (b"accept", b"y")]


def test_all_values_of_a_header_are_found_in_their_order() -> None:
    scope: dict[str, Any] = {"headers": HEADERS}

    assert find_header_values(scope, b"accept") == (b"x", b"y")
    assert find_header_values(scope, b"host") == (b"a",)
    assert find_header_values(scope, b"origin") == ()


def test_headers_that_a_layer_replaced_are_sorted_again() -> None:
    scope: dict[str, Any] = {"headers": HEADERS}
    find_header_values(scope, b"host")

    assert find_header_values(scope | {"headers": [(b"host", b"b")]}, b"host") == (b"b",)
