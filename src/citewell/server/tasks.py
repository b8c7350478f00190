"""MCP's tasks extension: a long call is answered with a handle that the client asks after until it is done.

Only requests that declare the extension see any of it. Specification 2026-07-28 of ext-tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from pydantic import Field

from citewell.tooling import Owner

EXTENSION = "io.modelcontextprotocol/tasks"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SINCE = "2026"  # earlier clients cannot read a result of another type

Context = ServerRequestContext[Any, Any]


class Board(Protocol):
    """Where tasks are kept. None, or False, for an id that is unknown or another owner's."""

    async def look(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        """The task as `tasks/get` shows it, with its result where it is completed."""
        ...

    async def answer(self, owner: Owner, task_id: str, responses: Mapping[str, Any]) -> bool:
        """Take what the client says to requests of the task; what nobody asked for is ignored."""
        ...

    async def cancel(self, owner: Owner, task_id: str) -> bool:
        """Ask for its end; one that has ended stays as it is."""
        ...


class TaskParams(types.RequestParams):
    task_id: str = Field(alias="taskId", max_length=200)


class UpdateParams(TaskParams):
    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


def declared(context: Context) -> bool:
    """Whether this very request says that its sender knows tasks."""
    meta: Any = (context.params or {}).get("_meta")
    given = meta.get(_CAPABILITIES) if isinstance(meta, Mapping) else None
    known = given.get("extensions") if isinstance(given, Mapping) else None
    return context.protocol_version >= _SINCE and isinstance(known, Mapping) and EXTENSION in known


def created(task: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a call that has become a task; its result comes by asking, however quick it was."""
    handle = {name: value for name, value in task.items() if name != "result"}
    return {**handle, "resultType": "task"}


class Tasks:
    """The three methods of the extension over a board."""

    def __init__(self, board: Board, identify: Callable[[Context], Owner]) -> None:
        self._board = board
        self._identify = identify

    def install(self, server: Server[Any]) -> None:
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._get)
        server.add_request_handler("tasks/update", UpdateParams, self._update)
        server.add_request_handler("tasks/cancel", TaskParams, self._cancel)

    async def _get(self, context: Context, params: TaskParams) -> dict[str, Any]:
        owner = self._admitted(context, params)
        task = await self._board.look(owner, params.task_id)
        if task is None:
            raise _unknown()
        return {**task, "resultType": "complete"}

    async def _update(self, context: Context, params: UpdateParams) -> dict[str, Any]:
        owner = self._admitted(context, params)
        if not await self._board.answer(owner, params.task_id, params.input_responses):
            raise _unknown()
        return {"resultType": "complete"}

    async def _cancel(self, context: Context, params: TaskParams) -> dict[str, Any]:
        owner = self._admitted(context, params)
        if not await self._board.cancel(owner, params.task_id):
            raise _unknown()
        return {"resultType": "complete"}

    def _admitted(self, context: Context, params: TaskParams) -> Owner:
        if context.protocol_version < _SINCE:
            raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found")
        if not declared(context):
            raise missing()
        _check_header(context, params.task_id)
        return self._identify(context)


def missing() -> MCPError:
    """The request needs a client that knows tasks."""
    return MCPError(
        code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        message="Missing required client capability",
        data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def _check_header(context: Context, task_id: str) -> None:
    """Over HTTP the task is named in a header too, for whoever routes requests by it."""
    headers = getattr(context.request, "headers", None)
    if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        raise MCPError(
            code=types.HEADER_MISMATCH,
            message=f"{MCP_NAME_HEADER} header does not match the request body's 'taskId' parameter",
        )


def _unknown() -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message="There is no such task.")
