"""One stdio session on the SDK, from the moment the front hands over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import sys
import threading
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from citewell import config
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.server.front import Front
from citewell.server.logs import configure
from citewell.server.protocol import build
from citewell.server.wire import Lines, Loaded, Wire

logger = logging.getLogger(__name__)

_PARENT_CHECK = 2.0  # seconds; a parent that died without closing the pipe is noticed by then

Incoming = SessionMessage | Exception


def run(overrides: Mapping[str, Any], *, wire: Wire, lines: Lines, front: Front | None) -> int:
    try:
        settings = config.load(**overrides)
        configure(settings.log_level)
        app = App(settings)
    except CitewellError as error:
        sys.stderr.write(f"citewell: {error.message}\n")
        return 2
    return asyncio.run(_serve(app, wire=wire, lines=lines, front=front))


async def _serve(app: App, *, wire: Wire, lines: Lines, front: Front | None) -> int:
    server = build(app)
    to_server, incoming = anyio.create_memory_object_stream[Incoming](float("inf"))
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](64)
    for line in front.seen if front else ():
        to_server.send_nowait(_message(line))
    pump = threading.Thread(
        target=_pump, args=(asyncio.get_running_loop(), lines, to_server), daemon=True, name="pump"
    )
    pump.start()
    watch = asyncio.create_task(_watch_parent(lines))
    write = asyncio.create_task(_write(from_server, wire, front.answered if front else []))
    try:
        await server.run(incoming, outgoing, server.create_initialization_options())
        await write
    finally:
        watch.cancel()
        await app.aclose()
    return 0


def _pump(loop: asyncio.AbstractEventLoop, lines: Lines, to_server: Any) -> None:
    """Carry lines from the reader's thread into the loop until the client is gone."""
    while True:
        line = lines.get()
        if isinstance(line, Loaded):
            continue
        with contextlib.suppress(RuntimeError):  # the loop has closed: there is nobody to tell
            if line is None:
                loop.call_soon_threadsafe(to_server.close)
            else:
                loop.call_soon_threadsafe(_feed, to_server, _message(line))
        if line is None:
            return


def _feed(to_server: Any, message: Incoming) -> None:
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        to_server.send_nowait(message)


def _message(line: bytes) -> Incoming:
    """A frame for the SDK, or the reason it is none, which the SDK answers in the protocol's words."""
    try:
        text = line.decode("utf-8", "replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error


async def _write(from_server: Any, wire: Wire, answered: list[Any]) -> None:
    """Send what the SDK says, less what the front has said already."""
    spoken = list(answered)
    frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    writer = threading.Thread(target=_drain, args=(frames, wire), daemon=True, name="stdout")
    writer.start()
    async with from_server:
        async for message in from_server:
            if spoken and _is_reply(message.message, spoken):
                continue
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            frames.put(text.encode("utf-8", "replace") + b"\n")
    frames.put(None)
    await asyncio.to_thread(writer.join, 5)


def _drain(frames: queue.SimpleQueue[bytes | None], wire: Wire) -> None:
    """A client that reads slowly must not hold up the loop."""
    while (frame := frames.get()) is not None:
        wire.write(frame)


def _is_reply(message: Any, spoken: list[Any]) -> bool:
    """Whether this answers a request the front has answered; each is swallowed once."""
    if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
        return False
    for index, request_id in enumerate(spoken):
        if type(request_id) is type(message.id) and request_id == message.id:
            del spoken[index]
            return True
    return False


async def _watch_parent(lines: Lines) -> None:
    """End with the process that started us, even when something else keeps our stdin open."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - only a poll can tell
        await asyncio.sleep(_PARENT_CHECK)
    lines.put(None)
