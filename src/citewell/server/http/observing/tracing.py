"""Traces of an HTTP server for OpenTelemetry: requests, tool calls and what they ask of others.

A span has names, hosts, statuses and durations. It has no query, argument, address or text. The
trace of a caller is continued, and passed on to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell import __version__
from citewell.core.errors import CitewellError, Misconfigured
from citewell.net.http.messages import HttpRequest
from citewell.net.url_grammar import parse_url
from citewell.server.app import App
from citewell.server.call_values import NextStep, ToolInvocation, ToolOutcome
from citewell.server.http.observing import request_records
from citewell.server.settings import ServerSettings
from citewell.store.sql.database import BatchWatch

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_TRACE_PATH = "/v1/traces"  # of OTLP over HTTP, after the endpoint


def build_request_tracing(app: App) -> RequestTracing | None:
    """Traces of this app, if an endpoint is set; raises Misconfigured without the extra `otel`."""
    settings = app.settings
    server_settings = settings[ServerSettings]
    if server_settings.trace_endpoint is None:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider  # noqa: F401 - both are of the extra
    except ImportError:
        raise Misconfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT needs the extra otel: pip install 'citewell[otel]'.",
            action="inform_user",
        ) from None
    endpoint = server_settings.trace_endpoint.rstrip("/") + _TRACE_PATH
    tracing = RequestTracing(
        OTLPSpanExporter(endpoint=endpoint), service=server_settings.trace_service
    )
    app.wrap_calls(tracing.trace_call)
    app.network.watching.watch = tracing.watch_request
    watching = getattr(app.open_state().database, "watching", None)
    if isinstance(watching, BatchWatch):
        watching.watch = tracing.watch_batch
    return tracing


class RequestTracing:
    """Makes spans with a provider of its own; the global one of OpenTelemetry is left alone."""

    def __init__(self, exporter: SpanExporter, *, service: str = "citewell") -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        names = {"service.name": service, "service.version": __version__}
        self.provider: TracerProvider = TracerProvider(
            resource=Resource.create(names), shutdown_on_exit=False
        )
        self.provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self.provider.get_tracer("citewell", __version__)
        self._propagator = TraceContextTextMapPropagator()
        # A message may run in another task than its HTTP request, so they meet by the request's id.
        self._parents: dict[str, Context] = {}

    def wrap_routes(self, inner: ASGIApp) -> ASGIApp:
        """The layer that makes a span of every HTTP request; inside of the layer that names them."""

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await self._trace_request(inner, scope, receive, send)
            else:
                await inner(scope, receive, send)

        return traced

    def adopt_message_trace(self, request_id: str, meta: Mapping[str, Any] | None) -> None:
        """Continue the trace that the `_meta` of a message names, rather than the one of its header."""
        given = {key: value for key, value in (meta or {}).items() if isinstance(value, str)}
        if request_id in self._parents and "traceparent" in given:
            self._parents[request_id] = self._propagator.extract(
                {"traceparent": given["traceparent"]}
            )

    async def trace_call(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        """Make a span of a tool call."""
        from opentelemetry.trace import SpanKind, StatusCode

        with self._tracer.start_as_current_span(
            f"tools/call {invocation.name}",
            context=self._parents.get(invocation.request_id),
            kind=SpanKind.INTERNAL,
            attributes={"mcp.method.name": "tools/call", "gen_ai.tool.name": invocation.name},
            record_exception=False,
        ) as span:
            outcome = await proceed(invocation)
            span.set_attribute("citewell.cached", bool(outcome.meta.get("cached")))
            if outcome.is_error:
                span.set_attribute("error.type", str(outcome.meta.get("errorKind", "error")))
                span.set_status(StatusCode.ERROR)
            return outcome

    @contextmanager
    def watch_batch(self, statements: int) -> Iterator[None]:
        """A span of one batch that the store commits."""
        with self._tracer.start_as_current_span(
            "store batch",
            attributes={"citewell.statements": statements},
            record_exception=False,
        ):
            yield

    @contextmanager
    def watch_request(self, upstream: str, request: HttpRequest) -> Iterator[None]:
        """A span of a request to a provider, or of one exchange, such as the fetch of a page."""
        from opentelemetry.trace import SpanKind, StatusCode

        try:
            host = parse_url(request.url).host
        except CitewellError:
            host = ""
        kind = "page" if request.page else "exchange"
        with self._tracer.start_as_current_span(
            f"provider {upstream}" if upstream else f"{kind} {request.method}",
            kind=SpanKind.INTERNAL if upstream else SpanKind.CLIENT,
            attributes={
                "http.request.method": request.method,
                "server.address": host,
                **({"citewell.provider": upstream} if upstream else {}),
            },
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except CitewellError as error:
                span.set_attribute("error.type", error.kind)
                span.set_status(StatusCode.ERROR)
                raise

    async def _trace_request(
        self, inner: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        from opentelemetry import trace

        record = request_records.find_request_record(scope)
        header = request_records.find_single_header(scope["headers"], request_records.TRACE_HEADER)
        caller = self._propagator.extract({"traceparent": header} if header else {})
        kind = request_records.find_path_kind(scope["path"])
        with self._tracer.start_as_current_span(
            f"{scope['method']} {kind}",
            context=caller,
            kind=trace.SpanKind.SERVER,
            attributes={
                "http.request.method": scope["method"],
                "http.route": kind,
                "citewell.request_id": record.id,
            },
            record_exception=False,
        ) as span:

            async def watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(trace.StatusCode.ERROR)
                await send(message)

            self._parents[record.id] = trace.set_span_in_context(span)
            try:
                await inner(scope, receive, watched)
            finally:
                self._parents.pop(record.id, None)
