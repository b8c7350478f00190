"""Traces reach a collector, continue those of callers, and tell nothing of what was searched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx2
import pytest
from mcp import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.e2e.clients import listening
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
QUERY = "zanzibar caching"


class Collector(HTTPServer):
    """A loopback stand-in for an OpenTelemetry collector."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), CollectorHandler)
        self.bodies: list[bytes] = []

    def list_spans(self) -> list[Any]:
        return [
            span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


class CollectorHandler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def configure(environ: Environ, collector: Collector) -> Environ:
    address = f"http://127.0.0.1:{collector.server_port}"
    return environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": address}


def search(environ: Environ, *, mode: str, meta: Any = None) -> None:
    async def run() -> None:
        async with listening(environ) as base, Client(base + "/mcp", mode=mode) as client:
            result = await client.call_tool("web_search", {"query": QUERY}, meta=meta)
            assert not result.is_error

    asyncio.run(run())


@requires("traces.spans", "traces.private")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_is_one_trace_from_the_request_to_the_provider(
    environ: Environ, collector: Collector, mode: str
) -> None:
    search(configure(environ, collector), mode=mode)

    spans = {span.span_id: span for span in collector.list_spans()}
    (call,) = [span for span in spans.values() if span.name == "tools/call web_search"]
    assert spans[call.parent_span_id].name == "POST mcp"
    below = [span.name for span in spans.values() if span.trace_id == call.trace_id]
    assert any(name.startswith("provider ") for name in below)
    assert any(name.startswith("exchange ") for name in below)
    assert "store batch" in {span.name for span in spans.values()}
    raw = b"".join(collector.bodies)
    assert b"zanzibar" not in raw
    assert b"?q=" not in raw


@requires("traces.spans")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_trace_that_a_message_names_is_continued(
    environ: Environ, collector: Collector, mode: str
) -> None:
    search(configure(environ, collector), mode=mode, meta={"traceparent": TRACEPARENT})

    (call,) = [span for span in collector.list_spans() if span.name == "tools/call web_search"]
    assert call.trace_id.hex() == TRACE
    assert call.parent_span_id.hex() == PARENT


@requires("traces.spans", "http.request_id")
def test_the_trace_of_the_header_is_continued(environ: Environ, collector: Collector) -> None:
    async def run() -> str:
        async with listening(configure(environ, collector)) as base, httpx2.AsyncClient() as http:
            response = await http.get(base + "/health/live", headers={"traceparent": TRACEPARENT})
            return response.headers["x-request-id"]

    request_id = asyncio.run(run())

    (span,) = [span for span in collector.list_spans() if span.name == "GET health"]
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert request_id == TRACE


@requires("traces.private")
def test_no_upstream_learns_of_the_trace(
    environ: Environ, collector: Collector, world: World
) -> None:
    search(configure(environ, collector), mode="auto", meta={"traceparent": TRACEPARENT})

    asked = [
        name.lower() for all_ in world.requests.values() for one in all_ for name in one.headers
    ]
    assert asked
    assert not {"traceparent", "tracestate", "x-request-id", "baggage"} & set(asked)


def test_a_collector_that_is_down_costs_no_call(environ: Environ) -> None:
    search(environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}, mode="auto")
