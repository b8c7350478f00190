"""Runs one stdio client on the SDK, after the instant start has handed over."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from citewell.audit.settings import AuditSettings
from citewell.core import config
from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.core.settings import CoreSettings
from citewell.core.tooling import build_local_owner
from citewell.server.app import App
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.server.log_output import configure_logging
from citewell.server.protocol import cached_replies
from citewell.server.protocol.sdk_server import build_sdk_server
from citewell.server.startup import resume_jobs
from citewell.server.stdio.instant_start import InstantStart
from citewell.server.stdio.stdio_wire import LineQueue, SdkLoaded, StdioWire
from citewell.text.safety.secret_masking import mask_secrets

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

StdinLine = bytes | SdkLoaded | None


_PARENT_CHECK_SECONDS = 2.0  # how often to check for a parent that died without closing the pipe
_RESUME_DELAY_SECONDS = 1.0  # unfinished jobs are resumed after the client's first requests


def run_stdio_session(
    overrides: Mapping[str, Any],
    *,
    wire: StdioWire,
    lines: LineQueue,
    front: InstantStart | None,
    parent: int,
) -> int:
    """Serve the client until it disconnects; the exit code is 2 if the settings cannot be used."""
    app = _build_session_app(overrides, front)
    asyncio.run(_serve_stdio_client(app, wire=wire, lines=lines, front=front, parent=parent))
    return 2 if isinstance(app, MisconfiguredApp) else 0


def check_session_settings(overrides: Mapping[str, Any]) -> int:
    """The exit code for a client that left before it said anything; prints what is wrong."""
    app = _build_session_app(overrides, None)
    asyncio.run(app.aclose())
    return 2 if isinstance(app, MisconfiguredApp) else 0


def _build_session_app(overrides: Mapping[str, Any], front: InstantStart | None) -> App:
    """The app; with invalid settings one that answers every call with the error, so that the user sees it."""
    try:
        settings = config.load_settings(**overrides)
        # Clients show the stderr of their servers to people, or keep it in logs of their own, so
        # that audit lines go there only if AUDIT_OUTPUT_PATH or AUDIT_ENABLED asks for them.
        if not settings[AuditSettings].audit_path and "AUDIT_ENABLED" not in settings.raw:
            settings = settings.replace(audit_enabled=False)
        configure_logging(settings[CoreSettings].log_level, settings[CoreSettings].log_format)
        return App(settings, local_owner=build_local_owner(settings[CoreSettings].stdio_user))
    except CitewellError as error:
        sys.stderr.write(f"citewell: {mask_secrets(error.message)}\n")
        return MisconfiguredApp(error, front.tools if front else None)


async def _serve_stdio_client(
    app: App, *, wire: StdioWire, lines: LineQueue, front: InstantStart | None, parent: int
) -> None:
    server = build_sdk_server(app)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](
        float("inf")
    )
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](64)
    exchange = LineExchange(app, wire, to_server, front.answered if front else [])
    for line in front.seen if front else ():
        exchange.feed_sdk(line)
    pump = threading.Thread(
        target=_forward_lines,
        args=(asyncio.get_running_loop(), lines, exchange),
        daemon=True,
        name="pump",
    )
    pump.start()
    watch = asyncio.create_task(_wait_for_parent_exit(lines, parent))
    write = asyncio.create_task(exchange.write_replies(from_server))
    _end_on_signal(signal.SIGTERM, lines)
    is_ready = not isinstance(app, MisconfiguredApp)
    jobs = resume_jobs(app, delay=_RESUME_DELAY_SECONDS) if is_ready else contextlib.nullcontext()
    try:
        async with jobs:
            await server.run(incoming, outgoing, server.create_initialization_options())
            await write
    finally:
        watch.cancel()
        await app.aclose()


def _forward_lines(
    loop: asyncio.AbstractEventLoop, lines: LineQueue, exchange: LineExchange
) -> None:
    """Pass lines from the reader thread to the event loop until the client disconnects."""
    while True:
        batch: list[StdinLine] = [lines.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                batch.append(lines.get_nowait())
        with contextlib.suppress(RuntimeError):  # the loop has closed
            loop.call_soon_threadsafe(exchange.receive_lines, batch)
        if None in batch:
            return


def _end_on_signal(number: signal.Signals, lines: LineQueue) -> None:
    """Treat the first signal as a disconnect; a second one ends the process at once."""
    loop = asyncio.get_running_loop()

    def leave() -> None:
        loop.remove_signal_handler(number)
        lines.put(None)

    with contextlib.suppress(NotImplementedError):  # Windows: the process just ends
        loop.add_signal_handler(number, leave)


async def _wait_for_parent_exit(lines: LineQueue, parent: int) -> None:
    """Disconnect when the parent process exits, even if something else keeps stdin open."""
    while os.getppid() == parent:  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(_PARENT_CHECK_SECONDS)
    lines.put(None)


# An app for invalid settings, which answers every call with the configuration error.


class MisconfiguredApp(App):
    """Lists `tools`, or the default ones, and answers every call with `problem`."""

    def __init__(
        self, problem: CitewellError, tools: Iterable[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(Settings(cache_enabled=False, audit_enabled=False))

        async def raise_problem(_: ToolInvocation) -> ToolOutcome:
            raise problem

        self._run = partial(self._calls.run_call, answer=raise_problem)
        if tools is not None:
            self.tools = {wire["name"]: wire for wire in tools}


# Takes lines from stdin and writes frames to stdout: cached answers directly, the rest by the SDK.


class LineExchange:
    def __init__(self, app: App, wire: StdioWire, to_server: Any, answered: list[Any]) -> None:
        self._app = app
        self._to_server = to_server
        self._spoken = list(answered)
        self._offered = frozenset(app.tools)
        self._short = False  # True once the SDK has answered a call in a supported protocol version
        self._known_version = False
        self._waiting: deque[StdinLine] = deque()
        self._taking: asyncio.Task[None] | None = None
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=_write_queued_frames, args=(self._frames, wire), daemon=True, name="stdout"
        )

    def receive_lines(self, batch: list[StdinLine]) -> None:
        """Queue the lines that have arrived and start answering them; called in the event loop."""
        self._waiting.extend(batch)
        if self._taking is None or self._taking.done():
            self._taking = asyncio.create_task(self._answer_waiting_lines())

    async def _answer_waiting_lines(self) -> None:
        while self._waiting:
            line = self._waiting.popleft()
            reply = None
            if self._short and isinstance(line, bytes):
                reply = await cached_replies.find_cached_reply(self._app, line, self._offered)
            if reply is None:
                self.feed_sdk(line)
            else:
                self._frames.put(reply + b"\n")

    def feed_sdk(self, line: StdinLine) -> None:
        """Pass a line to the SDK; None means that the client has disconnected."""
        if isinstance(line, SdkLoaded):
            return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if line is None:
                self._to_server.close()
                return
            try:
                text = line.decode("utf-8", "replace")
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
            except ValueError:
                self._frames.put(build_line_error(line))
            else:
                self._to_server.send_nowait(SessionMessage(message))

    async def write_replies(self, from_server: Any) -> None:
        """Write the SDK's messages, leaving out replies that the instant start has already sent."""
        self._writer.start()
        async with from_server:
            async for item in from_server:
                message = item.message
                self._note_protocol_version(message)
                if self._spoken and _is_already_answered(message, self._spoken):
                    continue
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._frames.put(text.encode("utf-8", "replace") + b"\n")
        self._frames.put(None)
        await asyncio.to_thread(self._writer.join, 5)

    def _note_protocol_version(self, message: Any) -> None:
        if self._short or not isinstance(message, types.JSONRPCResponse):
            return
        if message.result.get("protocolVersion") in cached_replies.SUPPORTED_VERSIONS:
            self._known_version = True
        elif self._known_version and "structuredContent" in message.result:
            self._short = True


def build_line_error(line: bytes) -> bytes:
    """The JSON-RPC error for a line that is not a message, with the line's id if it has one."""
    code, words, request_id = PARSE_ERROR, "This line is not JSON.", None
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        code, words = INVALID_REQUEST, "This is not a JSON-RPC 2.0 message."
        given = found.get("id") if isinstance(found, dict) else None
        request_id = given if type(given) in {int, str} else None
    reply = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": words}}
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


def _write_queued_frames(frames: queue.SimpleQueue[bytes | None], wire: StdioWire) -> None:
    """Write frames on a thread, because a slow client would block the loop; waiting frames are joined."""
    while (frame := frames.get()) is not None:
        parts = [frame]
        with contextlib.suppress(queue.Empty):
            while (further := frames.get_nowait()) is not None:
                parts.append(further)
            frames.put(None)
        wire.write_frame(b"".join(parts))


def _is_already_answered(message: Any, spoken: list[Any]) -> bool:
    """True if the instant start has answered this request; its id is then removed from `spoken`."""
    if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
        return False
    for index, request_id in enumerate(spoken):
        if type(request_id) is type(message.id) and request_id == message.id:
            del spoken[index]
            return True
    return False
