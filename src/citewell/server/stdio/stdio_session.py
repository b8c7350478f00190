"""Serves one stdio client, after the instant start has handed over."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from citewell.audit.settings import AuditSettings
from citewell.core import config
from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.core.settings import CoreSettings
from citewell.core.tooling import build_local_owner, ignore_progress
from citewell.server.app import App
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.server.log_output import configure_logging
from citewell.server.protocol import plain_calls
from citewell.server.protocol.listings import build_listing
from citewell.server.settings import ServerSettings
from citewell.server.startup import resume_jobs
from citewell.server.stdio.instant_start import InstantStart, is_without_params
from citewell.server.stdio.stdio_wire import LineQueue, SessionLoaded, StdioWire
from citewell.text.safety.secret_masking import mask_secrets

if TYPE_CHECKING:
    from citewell.server.stdio.sdk_session import SdkSession

_LOG = logging.getLogger(__name__)

StdinLine = bytes | SessionLoaded | None


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
    exchange = LineExchange(app, wire, front)
    pump = threading.Thread(
        target=_forward_lines,
        args=(asyncio.get_running_loop(), lines, exchange),
        daemon=True,
        name="pump",
    )
    pump.start()
    watch = asyncio.create_task(_wait_for_parent_exit(lines, parent))
    _end_on_signal(signal.SIGTERM, lines)
    is_ready = not isinstance(app, MisconfiguredApp)
    jobs = resume_jobs(app, delay=_RESUME_DELAY_SECONDS) if is_ready else contextlib.nullcontext()
    try:
        async with jobs:
            await exchange.run()
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


# Takes lines from stdin and writes frames to stdout. Plain requests are answered here, the rest by the SDK.


class LineExchange:
    """Answers a client's lines; the SDK is imported for the first one that is no plain request.

    Tool calls, pings and lists are plain. A request is answered here once the client has agreed to a protocol version whose results have the
    same form, and has said that it is initialized.
    """

    def __init__(self, app: App, wire: StdioWire, front: InstantStart | None) -> None:
        self._app = app
        self._offered = frozenset(app.tools)
        self._repeats_text = app.settings[ServerSettings].structured_text
        self._has_agreed = front is not None and front.version in plain_calls.SUPPORTED_VERSIONS
        self._is_initialized = False
        self._answered = front.answered if front else []  # ids
        self._for_sdk: list[bytes] = []  # lines to pass to the SDK once it is imported
        self._calls: dict[int | str, asyncio.Task[bytes]] = {}
        self._sdk: SdkSession | None = None
        self._sdk_run: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=_write_queued_frames, args=(self._frames, wire), daemon=True, name="stdout"
        )
        if front:
            self._take_opening(front)

    def _take_opening(self, front: InstantStart) -> None:
        for line in front.taken:
            self._for_sdk.append(line)
            self._is_initialized |= _is_notice(json.loads(line), "notifications/initialized")
        if front.left is not None:
            self.receive_lines([front.left])

    async def run(self) -> None:
        """Answer until the client disconnects; calls that still run are then cancelled."""
        self._writer.start()
        await self._ended.wait()
        for call in self._calls.values():
            call.cancel()
        if self._calls:
            await asyncio.wait(self._calls.values())
        if self._sdk is not None:
            self._sdk.close()
        if self._sdk_run is not None:
            await self._sdk_run
        self._frames.put(None)
        await asyncio.to_thread(self._writer.join, 5)

    def receive_lines(self, batch: list[StdinLine]) -> None:
        """Take the lines that have arrived; called in the event loop."""
        for line in batch:
            if line is None:
                self._ended.set()
            elif isinstance(line, bytes) and not self._answer_line(line):
                self._leave_to_sdk(line)

    def _answer_line(self, line: bytes) -> bool:
        """False if the SDK has to see the line."""
        try:
            message = _parse_line(line)
        except (ValueError, RecursionError):
            self._write_frame(plain_calls.build_line_error(line))
            return True
        if _is_notice(message, "notifications/initialized"):
            self._is_initialized = True
            if self._sdk_run is None:
                self._for_sdk.append(line)
            return self._sdk_run is None
        if _is_notice(message, "notifications/cancelled"):
            return self._cancel_call(message) or self._sdk_run is None
        if not (self._has_agreed and self._is_initialized):
            return False
        if (result := self._find_result(message)) is not None:
            self._write_frame(plain_calls.encode_result(message["id"], result))
        elif self._is_own_call(message):
            self._start_call(message["id"], message["params"])
        else:
            return False
        return True

    def _find_result(self, message: Any) -> Mapping[str, object] | None:
        """The result of a ping, or of a request that lists what is offered."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return None
        method = message.get("method")
        if type(message.get("id")) not in {int, str} or not isinstance(method, str):
            return None
        if not is_without_params(message.get("params")):
            return None
        return {} if method == "ping" else build_listing(method, self._app, self._app.tools)

    def _is_own_call(self, message: Any) -> bool:
        """Whether the message is a tool call that needs nothing of the SDK."""
        if not plain_calls.is_plain_tool_call(message):
            return False
        name, arguments = message["params"]["name"], message["params"]["arguments"]
        return name in self._offered and not plain_calls.is_written_by_client(name, arguments)

    def _start_call(self, request_id: int | str, params: Mapping[str, Any]) -> None:
        call = asyncio.create_task(self._run_call(request_id, params))
        self._calls[_correlate_id(request_id)] = call
        call.add_done_callback(partial(self._finish_call, request_id))

    async def _run_call(self, request_id: int | str, params: Mapping[str, Any]) -> bytes:
        name, token = params["name"], params.get("_meta", {}).get("progressToken")

        async def report_progress(done: float, total: float | None, message: str | None) -> None:
            self._write_frame(plain_calls.encode_progress(token, done, total, message))

        arguments, named = params["arguments"], str(request_id)
        outcome = await self._app.call_cached_tool(name, arguments, request_id=named)
        if outcome is None:
            report = report_progress if type(token) in {int, str} else ignore_progress
            outcome = await self._app.call_tool(name, arguments, report=report, request_id=named)
        repeat = self._repeats_text or name in plain_calls.TEXT_CONTRACT_TOOLS
        return plain_calls.encode_call_response(request_id, outcome, repeat=repeat)

    def _finish_call(self, request_id: int | str, call: asyncio.Task[bytes]) -> None:
        key = _correlate_id(request_id)
        if self._calls.get(key) is call:
            del self._calls[key]
        if not call.cancelled() and call.exception() is None:
            self._write_frame(call.result())
        elif not call.cancelled():
            _LOG.error("A call failed.", exc_info=call.exception())
            text = "The call failed; the server's log says why."
            self._write_frame(
                plain_calls.encode_error(request_id, plain_calls.INTERNAL_ERROR, text)
            )
        elif self._ended.is_set():  # a call that the client cancelled is not answered
            code = plain_calls.CONNECTION_CLOSED
            self._write_frame(plain_calls.encode_error(request_id, code, "Connection closed"))

    def _cancel_call(self, message: Mapping[str, object]) -> bool:
        """Whether the notice means a call that is answered here."""
        params = message.get("params")
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if not isinstance(request_id, int | str):
            return False
        call = self._calls.get(_correlate_id(request_id))
        return call is not None and call.cancel()

    def _leave_to_sdk(self, line: bytes) -> None:
        if self._sdk is not None:
            self._sdk.feed_line(line)
            return
        self._for_sdk.append(line)
        if self._sdk_run is None:
            self._sdk_run = asyncio.create_task(self._run_sdk())
            self._sdk_run.add_done_callback(lambda _: self._ended.set())

    async def _run_sdk(self) -> None:
        self._sdk = await asyncio.to_thread(self._import_sdk)
        for line in self._for_sdk:
            self._sdk.feed_line(line)
        self._for_sdk.clear()
        if self._ended.is_set():
            self._sdk.close()
        await self._sdk.run()

    def _import_sdk(self) -> SdkSession:
        from citewell.server.stdio.sdk_session import SdkSession

        return SdkSession(
            self._app, self._write_frame, answered=self._answered, agree=self._note_agreement
        )

    def _note_agreement(self) -> None:
        self._has_agreed = True

    def _write_frame(self, frame: bytes) -> None:
        self._frames.put(frame + b"\n")


def _parse_line(line: bytes) -> Any:
    """The JSON of a line; raises ValueError if it is not JSON, or has text that cannot be encoded."""
    message = json.loads(line.decode("utf-8", "replace"), parse_constant=_refuse_constant)
    if b"\\ud" in line.lower():  # perhaps half of a surrogate pair
        json.dumps(message, ensure_ascii=False).encode()
    return message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_notice(message: Any, method: str) -> bool:
    return isinstance(message, dict) and message.get("method") == method and "id" not in message


def _correlate_id(request_id: int | str) -> int | str:
    """The id under which a notice finds its request: clients may send 7 as "7"."""
    try:
        return int(request_id)
    except ValueError:
        return request_id


def _write_queued_frames(frames: queue.SimpleQueue[bytes | None], wire: StdioWire) -> None:
    """Write frames on a thread, because a slow client would block the loop; waiting frames are joined."""
    while (frame := frames.get()) is not None:
        parts = [frame]
        with contextlib.suppress(queue.Empty):
            while (further := frames.get_nowait()) is not None:
                parts.append(further)
            frames.put(None)
        wire.write_frame(b"".join(parts))
