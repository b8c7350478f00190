"""What a request asks for is read once, as the SDK will read it, and the body is given again."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from typing import Any

import pydantic_core
import pytest
from starlette.types import Message, Receive, Scope

from citewell.server.http.cached_call_shortcut import find_call_origin
from citewell.server.http.request_facts import (
    ClientAddresses,
    RequestMessage,
    find_client_address,
    find_header_values,
    name_address_group,
    parse_request_message,
    read_request_message,
)

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "web_search", "arguments": {"query": "x"}},
}


class FakeChannel:
    """Gives the parts of a body one after the other, and then that the client has gone."""

    def __init__(self, *parts: bytes, is_complete: bool = True) -> None:
        self._messages: list[Message] = [
            {
                "type": "http.request",
                "body": part,
                "more_body": not is_complete or index + 1 < len(parts),
            }
            for index, part in enumerate(parts)
        ]
        self.reads = 0

    async def receive(self) -> Message:
        self.reads += 1
        return self._messages.pop(0) if self._messages else {"type": "http.disconnect"}


def build_scope(method: str = "POST") -> Scope:
    return {"type": "http", "method": method, "path": "/mcp", "headers": []}


async def read_whole(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message["body"]
        if not message["more_body"]:
            return body


def test_a_tool_call_in_parts_is_told_and_given_again_whole() -> None:
    body = json.dumps(CALL).encode()
    channel = FakeChannel(body[:10], body[10:40], body[40:])

    async def run() -> tuple[RequestMessage | None, bytes]:
        message, receive = await read_request_message(build_scope(), channel.receive)
        return message, await read_whole(receive)

    message, replayed = asyncio.run(run())

    assert message == RequestMessage(method="tools/call", tool="web_search")
    assert replayed == body


def test_a_second_layer_does_not_read_the_body_again() -> None:
    body = json.dumps(CALL).encode()
    channel = FakeChannel(body)

    async def run() -> tuple[RequestMessage | None, bytes, int]:
        scope = build_scope()
        _, receive = await read_request_message(scope, channel.receive)
        message, receive = await read_request_message(scope, receive)
        return message, await read_whole(receive), channel.reads

    message, replayed, reads = asyncio.run(run())

    assert message is not None
    assert message.tool == "web_search"
    assert (replayed, reads) == (body, 1)


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_other_methods_are_not_read(method: str) -> None:
    channel = FakeChannel(b"{}")

    message, receive = asyncio.run(read_request_message(build_scope(method), channel.receive))

    assert message is None
    assert channel.reads == 0
    assert receive == channel.receive


def test_a_body_over_the_limit_is_passed_on_and_not_collected() -> None:
    channel = FakeChannel(b"[" * 600, b"[" * 600, b"[" * 600)

    async def run() -> tuple[RequestMessage | None, int, bytes]:
        message, receive = await read_request_message(
            build_scope(), channel.receive, max_bytes=1000
        )
        return message, channel.reads, await read_whole(receive)

    message, reads, replayed = asyncio.run(run())

    assert message is None
    assert reads == 2
    assert len(replayed) == 1800


def test_a_body_that_breaks_off_has_no_message() -> None:
    channel = FakeChannel(json.dumps(CALL).encode(), is_complete=False)

    message, _ = asyncio.run(read_request_message(build_scope(), channel.receive))

    assert message is None


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (CALL, RequestMessage(method="tools/call", tool="web_search")),
        ({"method": "tools/list"}, RequestMessage(method="tools/list")),
        ({"method": "prompts/get", "params": {"name": "x"}}, RequestMessage(method="prompts/get")),
        ({"method": "tools/call", "params": {"name": 5}}, RequestMessage(method="tools/call")),
        ({"method": "tools/call", "params": []}, RequestMessage(method="tools/call")),
        ({"method": "tools/call"}, RequestMessage(method="tools/call")),
        ({"method": ["tools/call"]}, RequestMessage(method="")),
        ({"id": 1, "result": {}}, RequestMessage(method="")),
        ([CALL], None),
        ("tools/call", None),
        (None, None),
    ],
)
def test_the_message_is_told_whatever_its_shape(found: Any, message: RequestMessage | None) -> None:
    assert parse_request_message(json.dumps(found).encode()) == message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_call_is_seen_in_every_encoding_that_the_sdk_reads(encoding: str) -> None:
    message = parse_request_message(json.dumps(CALL).encode(encoding))

    assert message == RequestMessage(method="tools/call", tool="web_search")


@pytest.mark.parametrize(
    "value",
    ["1" * 4300, "1" * 4301, "[" * 190 + "]" * 190, "NaN", "-Infinity", "1e999", '"\\ud800"'],
)
def test_no_value_that_the_sdk_reads_hides_the_call(value: str) -> None:
    body = json.dumps(CALL).replace('"x"', value).encode()
    try:
        is_read_by_sdk = bool(pydantic_core.from_json(body))
    except ValueError:
        is_read_by_sdk = False

    message = parse_request_message(body)

    assert not is_read_by_sdk or message == RequestMessage(method="tools/call", tool="web_search")


def test_of_two_methods_the_last_counts_as_for_the_sdk() -> None:
    message = parse_request_message(
        b'{"method":"tools/list","params":{"name":"web_search"},"method":"tools/call"}'
    )

    assert message == RequestMessage(method="tools/call", tool="web_search")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe\xff", b"[" * 100_000, b'{"a":' * 100_000, b"\x00"]
)
def test_what_is_not_json_has_no_message(body: bytes) -> None:
    assert parse_request_message(body) is None


# The address of a caller: never what the caller writes, except through a trusted proxy.


TRUSTED = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))


def build_forwarded_scope(peer: str | None, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    return {"type": "http", "client": (peer, 1234) if peer else None, "headers": headers}


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("192.0.2.1", (), "192.0.2.1"),
        ("192.0.2.1", ("198.51.100.7",), "192.0.2.1"),  # nobody asked for this header
        ("10.0.0.1", ("198.51.100.7",), "198.51.100.7"),
        ("10.0.0.1", ("203.0.113.9, 198.51.100.7",), "198.51.100.7"),  # the left one is a claim
        ("10.0.0.1", ("203.0.113.9, 198.51.100.7, 10.2.3.4",), "198.51.100.7"),
        ("10.0.0.1", ("203.0.113.9", "198.51.100.7"), "198.51.100.7"),
        ("10.0.0.1", ("10.9.9.9, 10.2.3.4",), "10.9.9.9"),
        ("10.0.0.1", ("198.51.100.7:8080",), "198.51.100.7"),
        ("10.0.0.1", ("[2001:db8::1]:443",), "2001:db8::1"),
        ("10.0.0.1", ("2001:db8::1",), "2001:db8::1"),
        ("fd00::1", ("2001:db8::1",), "2001:db8::1"),
        ("::ffff:10.0.0.1", ("198.51.100.7",), "198.51.100.7"),
        ("10.0.0.1", ("198.51.100.7, unknown",), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", (",,,",), "10.0.0.1"),
        ("10.0.0.1", ("\xff\xfe",), "10.0.0.1"),
        ("10.0.0.1", ("1.2.3.4, " + "10.1.1.1, " * 50 + "10.1.1.1",), "10.1.1.1"),
        ("fe80::1%eth0", (), "fe80::1"),
        (None, ("198.51.100.7",), "None"),
    ],
)
def test_the_header_is_read_from_the_right_and_only_behind_trusted_proxies(
    peer: str | None, forwarded: tuple[str, ...], found: str
) -> None:
    assert str(find_client_address(build_forwarded_scope(peer, *forwarded), TRUSTED)) == found


def test_without_trusted_proxies_the_header_means_nothing() -> None:
    assert str(find_client_address(build_forwarded_scope("10.0.0.1", "198.51.100.7"))) == "10.0.0.1"


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:ffff::9", "2001:db8:0:1::/64"),
        ("2001:db8:0:2::1", "2001:db8:0:2::/64"),
    ],
)
def test_ipv6_counts_by_its_network(address: str, group: str) -> None:
    assert name_address_group(ipaddress.ip_address(address)) == group


def test_a_connection_without_an_address_has_a_name_too() -> None:
    assert name_address_group(None) == "unknown"


def test_audit_lines_name_the_caller_behind_the_proxy() -> None:
    seen: list[str | None] = []

    async def note_origin(scope: Any, receive: Any, send: Any) -> None:
        seen.append(find_call_origin(scope).source_ip)

    async def send_nothing(*_: Any) -> Any: ...

    for trusted in (TRUSTED, ()):
        layer = ClientAddresses(note_origin, trusted)
        scope = build_forwarded_scope("10.0.0.1", "198.51.100.7")
        asyncio.run(layer(scope, send_nothing, send_nothing))

    assert seen == ["198.51.100.7", "10.0.0.1"]


# The headers of a request, sorted once.


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
