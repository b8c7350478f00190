from __future__ import annotations

import pytest

from citewell.server.http.observing.request_ids import choose_request_id
from tests.requirements import requires

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01".encode()


def choose(*headers: tuple[bytes, bytes]) -> str:
    return choose_request_id(headers, new_id=lambda: "new")


@requires("http.request_id")
@pytest.mark.parametrize(
    ("headers", "chosen"),
    [
        ([], "new"),
        ([(b"x-request-id", b"abc-123")], "abc-123"),
        ([(b"x-request-id", b"a" * 200)], "a" * 200),
        ([(b"x-request-id", b"a" * 201)], "new"),
        ([(b"x-request-id", b"")], "new"),
        ([(b"x-request-id", b"a b")], "new"),
        ([(b"x-request-id", b"a\r\nSet-Cookie: x")], "new"),
        ([(b"x-request-id", "é".encode())], "new"),
        ([(b"x-request-id", b'{"a":1}')], "new"),
        ([(b"x-request-id", b"one"), (b"x-request-id", b"two")], "new"),
        ([(b"traceparent", PARENT)], TRACE),
        ([(b"x-request-id", b"mine"), (b"traceparent", PARENT)], "mine"),
        ([(b"x-request-id", b"not mine"), (b"traceparent", PARENT)], TRACE),
        ([(b"traceparent", b"00-" + b"0" * 32 + b"-b7ad6b7169203331-01")], "new"),
        ([(b"traceparent", b"ff" + PARENT[2:])], "new"),
        ([(b"traceparent", PARENT.upper())], "new"),
        ([(b"traceparent", PARENT + b"x")], "new"),
    ],
)
def test_an_id_is_taken_over_only_if_it_is_short_and_safe(
    headers: list[tuple[bytes, bytes]], chosen: str
) -> None:
    assert choose(*headers) == chosen
