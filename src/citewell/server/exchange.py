"""Lines in, frames out: what is in memory is answered here, the rest by the SDK.

Lines are taken one after the other, so none overtakes another, and a line that is no message is
answered as JSON-RPC asks instead of leaving its sender to wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import threading
from collections import deque
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from citewell.server import held
from citewell.server.app import App
from citewell.server.wire import Loaded, Wire

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

Line = bytes | Loaded | None


class Exchange:
    def __init__(self, app: App, wire: Wire, to_server: Any, answered: list[Any]) -> None:
        self._app = app
        self._to_server = to_server
        self._spoken = list(answered)
        self._offered = frozenset(app.tools)
        self._short = False  # open once the SDK has answered a call at a version we know
        self._known_version = False
        self._waiting: deque[Line] = deque()
        self._taking: asyncio.Task[None] | None = None
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=_drain, args=(self._frames, wire), daemon=True, name="stdout"
        )

    def take(self, batch: list[Line]) -> None:
        """Called in the loop with what has arrived, in its order."""
        self._waiting.extend(batch)
        if self._taking is None or self._taking.done():
            self._taking = asyncio.create_task(self._take_all())

    async def _take_all(self) -> None:
        while self._waiting:
            line = self._waiting.popleft()
            found = None
            if self._short and isinstance(line, bytes):
                found = await held.answer(self._app, line, self._offered)
            if found is None:
                self.feed(line)
            else:
                self._frames.put(found + b"\n")

    def feed(self, line: Line) -> None:
        """Hand a line to the SDK; None says that the client is gone."""
        if isinstance(line, Loaded):
            return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if line is None:
                self._to_server.close()
                return
            try:
                text = line.decode("utf-8", "replace")
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
            except ValueError:
                self._frames.put(complaint(line))
            else:
                self._to_server.send_nowait(SessionMessage(message))

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


def complaint(line: bytes) -> bytes:
    """The answer to a line that is no message, under its own id where it has one."""
    code, words, request_id = PARSE_ERROR, "This line is not JSON.", None
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        code, words = INVALID_REQUEST, "This is not a JSON-RPC 2.0 message."
        given = found.get("id") if isinstance(found, dict) else None
        request_id = given if type(given) in {int, str} else None
    reply = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": words}}
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


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
