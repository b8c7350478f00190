"""What the benchmark's own client makes of answers, in whatever pieces they arrive."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.clients import message, result, whole

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3\r\n0\r\n\r\n0\r\n\r\n"
PLAIN = HEAD + b"Content-Length: 4\r\n\r\nabcd"


@pytest.mark.parametrize(("wire", "body"), [(CHUNKED, b"abcd0\r\n"), (PLAIN, b"abcd")])
def test_an_answer_is_whole_only_with_its_last_byte(wire: Any, body: bytes) -> None:
    early = [whole(bytearray(wire[:cut])) for cut in range(len(wire))]

    assert set(early) == {None}
    assert whole(bytearray(wire)) == (wire.partition(b"\r\n\r\n")[0], body)


def test_a_refusal_ends_the_benchmark() -> None:
    with pytest.raises(RuntimeError, match="HTTP 429"):
        whole(bytearray(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"))


def test_the_last_event_of_a_stream_is_the_response() -> None:
    stream = b': ping\r\n\r\nevent: message\r\ndata: {"a":1}\r\n\r\nevent: message\r\ndata: {"b":2}\r\n\r\n'

    assert message(stream) == b'{"b":2}'
    assert message(b'{"c":3}') == b'{"c":3}'


@pytest.mark.parametrize("frame", [b'{"error":{"code":1}}', b'{"result":{"isError":true}}'])
def test_a_failed_call_is_not_counted(frame: bytes) -> None:
    with pytest.raises(RuntimeError, match="not an answer"):
        result(frame)
