"""Takes lines from stdin and writes frames to stdout: cached answers directly, the rest by the SDK.

Lines are handled in their order. A line that is not a JSON-RPC message is answered with an error,
so that its sender does not wait for ever.
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

from citewell.server.app import App
from citewell.server.protocol import cached_replies
from citewell.server.stdio.stdio_wire import SdkLoaded, StdioWire

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

StdinLine = bytes | SdkLoaded | None


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
            found = None
            if self._short and isinstance(line, bytes):
                found = await cached_replies.find_cached_reply(self._app, line, self._offered)
            if found is None:
                self.feed_sdk(line)
            else:
                self._frames.put(found + b"\n")

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
