"""Runs one stdio client on the SDK, after the instant start has handed over."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage

from citewell import config
from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.server.job_resumption import resume_jobs
from citewell.server.log_output import configure_logging
from citewell.server.protocol.sdk_server import build_sdk_server
from citewell.server.stdio.instant_start import InstantStart
from citewell.server.stdio.line_exchange import LineExchange, StdinLine
from citewell.server.stdio.misconfigured_app import MisconfiguredApp
from citewell.server.stdio.stdio_wire import LineQueue, StdioWire
from citewell.text.safety.secret_masking import mask_secrets
from citewell.tooling import build_local_owner

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
        settings = _mute_default_audit(config.load_settings(**overrides))
        configure_logging(settings.log_level, settings.log_format)
        return App(settings, local_owner=build_local_owner(settings.stdio_user))
    except CitewellError as error:
        sys.stderr.write(f"citewell: {mask_secrets(error.message)}\n")
        return MisconfiguredApp(error, front.tools if front else None)


def _mute_default_audit(settings: Settings) -> Settings:
    """The settings without audit lines, unless AUDIT_OUTPUT_PATH or AUDIT_ENABLED asks for them.

    Clients show the stderr of their servers to people, or keep it in logs of their own.
    """
    wanted = settings.audit_path or "AUDIT_ENABLED" in settings.raw
    return settings if wanted else settings.model_copy(update={"audit_enabled": False})


async def _serve_stdio_client(
    app: App, *, wire: StdioWire, lines: LineQueue, front: InstantStart | None, parent: int
) -> None:
    server = build_sdk_server(app)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](
        float("inf")
    )
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](64)
    desk = LineExchange(app, wire, to_server, front.answered if front else [])
    for line in front.seen if front else ():
        desk.feed_sdk(line)
    pump = threading.Thread(
        target=_forward_lines,
        args=(asyncio.get_running_loop(), lines, desk),
        daemon=True,
        name="pump",
    )
    pump.start()
    watch = asyncio.create_task(_wait_for_parent_exit(lines, parent))
    write = asyncio.create_task(desk.write_replies(from_server))
    _end_on_signal(signal.SIGTERM, lines)
    try:
        async with _resume_jobs_if_ready(app):
            await server.run(incoming, outgoing, server.create_initialization_options())
            await write
    finally:
        watch.cancel()
        await app.aclose()


def _forward_lines(loop: asyncio.AbstractEventLoop, lines: LineQueue, desk: LineExchange) -> None:
    """Pass lines from the reader thread to the event loop until the client disconnects."""
    while True:
        batch: list[StdinLine] = [lines.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                batch.append(lines.get_nowait())
        with contextlib.suppress(RuntimeError):  # the loop has closed
            loop.call_soon_threadsafe(desk.receive_lines, batch)
        if None in batch:
            return


def _resume_jobs_if_ready(app: App) -> AbstractAsyncContextManager[None]:
    unready = isinstance(app, MisconfiguredApp)
    return contextlib.nullcontext() if unready else resume_jobs(app, delay=_RESUME_DELAY_SECONDS)


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
