"""MCP's tasks extension: a long call returns a task id at once, and the client polls until it is done.

Only for requests that declare the extension. Follows ext-tasks, specification 2026-07-28.
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

TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
_CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_FIRST_TASKS_YEAR = "2026"  # earlier protocol versions have no other result types

TaskRequestContext = ServerRequestContext[Any, Any]


class TaskSource(Protocol):
    """Access to tasks. Methods return None or False for an id that is unknown or has another owner."""

    async def look_up_task(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        """The task as `tasks/get` returns it, with its result if it is completed."""
        ...

    async def receive_responses(
        self, owner: Owner, task_id: str, responses: Mapping[str, Any]
    ) -> bool:
        """Receive the client's responses to requests of the task; unexpected ones are ignored."""
        ...

    async def cancel_task(self, owner: Owner, task_id: str) -> bool:
        """Request cancellation; a finished task does not change."""
        ...


class TaskParams(types.RequestParams):
    task_id: str = Field(alias="taskId", max_length=200)


class TaskUpdateParams(TaskParams):
    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


def has_tasks_capability(context: TaskRequestContext) -> bool:
    """True if this request declares the tasks extension."""
    meta: Any = (context.params or {}).get("_meta")
    given = meta.get(_CLIENT_CAPABILITIES_KEY) if isinstance(meta, Mapping) else None
    known = given.get("extensions") if isinstance(given, Mapping) else None
    return (
        context.protocol_version >= _FIRST_TASKS_YEAR
        and isinstance(known, Mapping)
        and TASKS_EXTENSION in known
    )


def build_task_handle(task: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a call that became a task. Its result has to be polled, even if it is finished."""
    handle = {name: value for name, value in task.items() if name != "result"}
    return {**handle, "resultType": "task"}


class TasksExtension:
    """Handles the three methods of the extension with a task source."""

    def __init__(self, board: TaskSource, identify: Callable[[TaskRequestContext], Owner]) -> None:
        self._board = board
        self._identify = identify

    def add_request_handlers(self, server: Server[Any]) -> None:
        server.extensions[TASKS_EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._handle_task_get)
        server.add_request_handler("tasks/update", TaskUpdateParams, self._handle_task_update)
        server.add_request_handler("tasks/cancel", TaskParams, self._handle_task_cancel)

    async def _handle_task_get(
        self, context: TaskRequestContext, params: TaskParams
    ) -> dict[str, Any]:
        owner = self._require_task_owner(context, params)
        task = await self._board.look_up_task(owner, params.task_id)
        if task is None:
            raise _build_unknown_task_error()
        return {**task, "resultType": "complete"}

    async def _handle_task_update(
        self, context: TaskRequestContext, params: TaskUpdateParams
    ) -> dict[str, Any]:
        owner = self._require_task_owner(context, params)
        if not await self._board.receive_responses(owner, params.task_id, params.input_responses):
            raise _build_unknown_task_error()
        return {"resultType": "complete"}

    async def _handle_task_cancel(
        self, context: TaskRequestContext, params: TaskParams
    ) -> dict[str, Any]:
        owner = self._require_task_owner(context, params)
        if not await self._board.cancel_task(owner, params.task_id):
            raise _build_unknown_task_error()
        return {"resultType": "complete"}

    def _require_task_owner(self, context: TaskRequestContext, params: TaskParams) -> Owner:
        if context.protocol_version < _FIRST_TASKS_YEAR:
            raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found")
        if not has_tasks_capability(context):
            raise build_capability_error()
        _check_task_header(context, params.task_id)
        return self._identify(context)


def build_capability_error() -> MCPError:
    """The error for a client that does not declare the tasks extension."""
    return MCPError(
        code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        message="Missing required client capability",
        data={"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}},
    )


def _check_task_header(context: TaskRequestContext, task_id: str) -> None:
    """Check that the header over HTTP, which proxies may route by, names the same task as the body."""
    headers = getattr(context.request, "headers", None)
    if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        raise MCPError(
            code=types.HEADER_MISMATCH,
            message=f"{MCP_NAME_HEADER} header does not match the request body's 'taskId' parameter",
        )


def _build_unknown_task_error() -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message="The task does not exist.")
