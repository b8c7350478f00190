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
from citewell.server import held
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
    desk = _Exchange(app, wire, to_server, front.answered if front else [])
    pump = threading.Thread(
        target=_pump, args=(asyncio.get_running_loop(), lines, desk), daemon=True, name="pump"
    )
    pump.start()
    watch = asyncio.create_task(_watch_parent(lines))
    write = asyncio.create_task(desk.write(from_server))
    try:
        await server.run(incoming, outgoing, server.create_initialization_options())
        await write
    finally:
        watch.cancel()
        await app.aclose()
    return 0


def _pump(loop: asyncio.AbstractEventLoop, lines: Lines, desk: _Exchange) -> None:
    """Carry lines from the reader's thread into the loop until the client is gone."""
    while True:
        batch: list[bytes | Loaded | None] = [lines.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                batch.append(lines.get_nowait())
        with contextlib.suppress(RuntimeError):  # the loop has closed: there is nobody to tell
            loop.call_soon_threadsafe(desk.take, batch)
        if None in batch:
            return


class _Exchange:
    """Takes lines in and gives frames out; what is in memory is answered here, the rest by the SDK."""

    def __init__(self, app: App, wire: Wire, to_server: Any, answered: list[Any]) -> None:
        self._app = app
        self._to_server = to_server
        self._spoken = list(answered)
        self._offered = frozenset(app.tools)
        self._short = False  # open once the SDK has answered a call at a version we know
        self._known_version = False
        self._answering: set[asyncio.Task[None]] = set()
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=_drain, args=(self._frames, wire), daemon=True, name="stdout"
        )

    def take(self, batch: list[bytes | Loaded | None]) -> None:
        if self._short:
            task = asyncio.create_task(self._answer(batch))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
            return
        for line in batch:
            self._feed(line)

    async def _answer(self, batch: list[bytes | Loaded | None]) -> None:
        for line in batch:
            found = (
                await held.answer(self._app, line, self._offered)
                if isinstance(line, bytes)
                else None
            )
            if found is None:
                self._feed(line)
            else:
                self._frames.put(found + b"\n")

    def _feed(self, line: bytes | Loaded | None) -> None:
        if isinstance(line, Loaded):
            return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if line is None:
                self._to_server.close()
            else:
                self._to_server.send_nowait(_message(line))

    async def write(self, from_server: Any) -> None:
        """Send what the SDK says, less what the front has said already."""
        self._writer.start()
        async with from_server:
            async for item in from_server:
                message = item.message
                self._learn(message)
                if self._spoken and _is_reply(message, self._spoken):
                    continue
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._frames.put(text.encode("utf-8", "replace") + b"\n")
        self._frames.put(None)
        await asyncio.to_thread(self._writer.join, 5)

    def _learn(self, message: Any) -> None:
        if self._short or not isinstance(message, types.JSONRPCResponse):
            return
        if message.result.get("protocolVersion") in held.VERSIONS:
            self._known_version = True
        elif self._known_version and "structuredContent" in message.result:
            self._short = True


def _message(line: bytes) -> Incoming:
    """A frame for the SDK, or the reason it is none, which the SDK answers in the protocol's words."""
    try:
        text = line.decode("utf-8", "replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error


def _drain(frames: queue.SimpleQueue[bytes | None], wire: Wire) -> None:
    """A client that reads slowly must not hold up the loop; what has piled up leaves together."""
    while (frame := frames.get()) is not None:
        parts = [frame]
        with contextlib.suppress(queue.Empty):
            while (further := frames.get_nowait()) is not None:
                parts.append(further)
            frames.put(None)
        wire.write(b"".join(parts))


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
