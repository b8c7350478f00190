"""The SDK's side of a stdio session: it answers every line that is no plain call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from citewell.server.app import App
from citewell.server.protocol.plain_calls import SUPPORTED_VERSIONS, build_line_error
from citewell.server.protocol.sdk_server import build_sdk_server


class SdkSession:
    """Runs the SDK over lines; `write_frame` takes what it answers, without the line break."""

    def __init__(
        self,
        app: App,
        write_frame: Callable[[bytes], None],
        *,
        answered: list[int | str],
        agree: Callable[[], None],
    ) -> None:
        """The ids in `answered` have had their answer; `agree` is called for a supported version."""
        self._server = build_sdk_server(app)
        self._write_frame = write_frame
        self._answered = answered
        self._agree = agree
        self._to_server, self._incoming = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ](float("inf"))
        self._outgoing, self._from_server = anyio.create_memory_object_stream[SessionMessage](64)

    def feed_line(self, line: bytes) -> None:
        """Pass a line to the SDK, or answer that it is no message."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(
                line.decode("utf-8", "replace"), by_name=False
            )
        except ValueError:
            self._write_frame(build_line_error(line))
            return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._to_server.send_nowait(SessionMessage(message))

    def close(self) -> None:
        """The client has disconnected: the SDK ends what still runs."""
        self._to_server.close()

    async def run(self) -> None:
        """Answer until the client disconnects."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write_replies)
            await self._server.run(
                self._incoming, self._outgoing, self._server.create_initialization_options()
            )

    async def _write_replies(self) -> None:
        async with self._from_server:
            async for item in self._from_server:
                message = item.message
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    if self._is_answered_already(message.id):
                        continue
                    self._note_version(message)
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._write_frame(text.encode("utf-8", "replace"))

    def _is_answered_already(self, request_id: object) -> bool:
        """True if the instant start has answered this request; its id is then forgotten."""
        for index, answered in enumerate(self._answered):
            if type(answered) is type(request_id) and answered == request_id:
                del self._answered[index]
                return True
        return False

    def _note_version(self, message: types.JSONRPCResponse | types.JSONRPCError) -> None:
        result = message.result if isinstance(message, types.JSONRPCResponse) else {}
        if result.get("protocolVersion") in SUPPORTED_VERSIONS:
            self._agree()
