from __future__ import annotations

import asyncio
import logging
from collections.abc import MutableMapping
from typing import Any

import pytest

from citewell.server.http.observing.request_records import (
    RequestRecorder,
    ServerState,
    choose_request_id,
    find_request_record,
    note_refusal,
)
from citewell.server.log_output import find_log_context
from tests.requirements import requires

Scope = MutableMapping[str, Any]


def build_scope(path: str = "/mcp", method: str = "POST", **more: Any) -> dict[str, Any]:
    return {
        "type": "http",
        "path": path,
        "method": method,
        "headers": [],
        "query_string": b"q=secret-words",
        **more,
    }


async def receive() -> dict[str, Any]:
    return {"type": "http.request"}


def pass_through(
    scope: Scope, *, status: int = 200, level: int | None = None, reason: str = ""
) -> tuple[ServerState, list[dict[str, Any]]]:
    state, sent = ServerState(), []

    async def answer(scope: Scope, _receive: Any, send: Any) -> None:
        if reason:
            note_refusal(scope, reason)
        context = find_log_context()
        assert context is not None
        assert context.request_id == find_request_record(scope).id
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        sent.append(message)

    layer = RequestRecorder(answer, state, access_level=level, new_id=lambda: "new")
    asyncio.run(layer(scope, receive, send))
    return state, sent


@requires("http.request_id")
def test_the_id_is_sent_back() -> None:
    _, sent = pass_through(build_scope(headers=[(b"x-request-id", b"mine")]))

    assert (b"x-request-id", b"mine") in sent[0]["headers"]


def test_a_response_is_counted_by_method_kind_of_path_and_status() -> None:
    state, _ = pass_through(build_scope("/mcp/all"))

    assert state.responses == {("POST", "mcp", 200): 1}
    assert state.active_requests == 0


@pytest.mark.parametrize("path", ["/wp-login.php", "/a/b/c", "/mcpx"])
def test_strange_paths_and_methods_make_no_new_kinds(path: str) -> None:
    state, _ = pass_through(build_scope(path, "BREW"), status=404)

    assert state.responses == {("other", "other", 404): 1}


def test_a_refusal_is_counted_with_its_reason() -> None:
    state, _ = pass_through(build_scope(), status=429, reason="tenant_rate")

    assert state.refusals == {(429, "tenant_rate"): 1}


def test_a_fault_in_a_route_counts_as_500() -> None:
    state = ServerState()

    async def break_down(*_: Any) -> None:
        raise RuntimeError("a fault")

    with pytest.raises(RuntimeError):
        asyncio.run(RequestRecorder(break_down, state)(build_scope(), receive, break_down))

    assert state.responses == {("POST", "mcp", 500): 1}


@requires("http.access_log")
def test_the_access_line_has_no_query(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "citewell.access"):
        pass_through(build_scope("/mcp\n2026 ERROR forged"), level=logging.INFO)

    (record,) = caplog.records
    assert record.getMessage().startswith("POST /mcp\\n2026 ERROR forged 200 ")
    assert "secret-words" not in record.getMessage() + str(record.__dict__)


@requires("http.access_log")
def test_probes_are_logged_for_debugging_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "citewell.access"):
        pass_through(build_scope("/health/live", "GET"), level=logging.INFO)

    assert not caplog.records


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
