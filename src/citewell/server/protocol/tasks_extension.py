"""MCP's tasks extension, with research jobs and checks of drafts as tasks that the client polls until they are done.

Only for requests that declare the extension. Follows ext-tasks, specification 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from pydantic import Field

from citewell.core.errors import JobNotFound
from citewell.core.tooling import Owner
from citewell.research.settings import ResearchSettings
from citewell.server.app import App
from citewell.server.call_values import ToolOutcome
from citewell.store.settings import StoreSettings

if TYPE_CHECKING:
    from citewell.drafts.check_jobs import DraftCheckJobs

_CHECK_TOOL = "check_draft"
_CHECK_PREFIX = "check-"
TASK_TOOLS = frozenset({"research", "follow_up", _CHECK_TOOL})  # whose calls become tasks
_POLL_INTERVAL_MS = 2000  # how often a client is asked to poll
_TASK_STATES = {"completed": "completed", "failed": "completed", "cancelled": "cancelled"}

ResultBuilder = Callable[
    [ToolOutcome], dict[str, Any]
]  # converts an outcome to the result of tools/call

TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
_CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_FIRST_TASKS_YEAR = "2026"  # earlier protocol versions have no other result types

TaskRequestContext = ServerRequestContext[Any, Any]


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

    def __init__(self, board: ServerTasks, identify: Callable[[TaskRequestContext], Owner]) -> None:
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


# Research jobs as MCP tasks, with the job's id and the report as result; and checks of drafts.


class ServerTasks:
    """Checks of drafts, whose tasks have the id of their job after a prefix, and research jobs.

    Research jobs are read and cancelled through the public tools, so that owners, limits and audit
    apply here too. Neither asks its client anything. A job that failed is a tool error, not a
    protocol error.
    """

    def __init__(self, app: App, wire: ResultBuilder) -> None:
        self._app = app
        self._wire = wire

    async def look_up_task(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        """The task as `tasks/get` returns it; None if the id is unknown or has another owner."""
        if task_id.startswith(_CHECK_PREFIX):
            return await self._look_up_check(owner, task_id)
        body = await self._call_job_tool("research_status", owner, task_id)
        if body is None:
            return None
        retention = self._app.settings[ResearchSettings].research_retention
        task = {
            "taskId": task_id,
            "status": _TASK_STATES.get(body["status"], "working"),
            "statusMessage": body["nextStep"],
            "createdAt": body["createdAt"],
            "lastUpdatedAt": body["updatedAt"],
            "ttlMs": None if retention is None else body["elapsedMs"] + round(1000 * retention),
            "pollIntervalMs": _POLL_INTERVAL_MS,
        }
        if task["status"] == "completed":
            report = await self._app.call_tool("get_results", {"jobId": task_id}, owner=owner)
            task["result"] = self._wire(report)
        return task

    async def _look_up_check(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        job_id = task_id.removeprefix(_CHECK_PREFIX)
        checks = self._require_checks()
        try:
            check = await checks.load_state(str(owner), job_id)
        except JobNotFound:
            return None
        ttl: int | None = None
        if check.status.is_final:  # from its creation until its report expires
            taken = (check.updated - check.created).total_seconds()
            ttl = round(1000 * (taken + self._app.settings[StoreSettings].artifact_ttl))
        task: dict[str, Any] = {
            "taskId": task_id,
            "status": _TASK_STATES.get(check.status.value, "working"),
            "statusMessage": check.message,
            "createdAt": _format_time(check.created),
            "lastUpdatedAt": _format_time(check.updated),
            "ttlMs": ttl,
            "pollIntervalMs": _POLL_INTERVAL_MS,
        }
        if task["status"] == "completed":
            outcome = await self._app.deliver_result(
                _CHECK_TOOL, lambda: checks.load_check_report(str(owner), job_id), owner=owner
            )
            task["result"] = self._wire(outcome)
        return task

    async def receive_responses(
        self, owner: Owner, task_id: str, _responses: Mapping[str, Any]
    ) -> bool:
        if task_id.startswith(_CHECK_PREFIX):
            return await self.look_up_task(owner, task_id) is not None
        return await self._call_job_tool("research_status", owner, task_id) is not None

    async def cancel_task(self, owner: Owner, task_id: str) -> bool:
        if not task_id.startswith(_CHECK_PREFIX):
            return await self._call_job_tool("research_cancel", owner, task_id) is not None
        try:
            await self._require_checks().cancel_check(
                str(owner), task_id.removeprefix(_CHECK_PREFIX)
            )
        except JobNotFound:
            return False
        return True

    async def _call_job_tool(self, tool: str, owner: Owner, job_id: str) -> dict[str, Any] | None:
        outcome = await self._app.call_tool(tool, {"jobId": job_id}, owner=owner)
        return None if outcome.is_error else outcome.body

    def _require_checks(self) -> DraftCheckJobs:
        from citewell.drafts.check_jobs import DraftCheckJobs

        return self._app.require_service(DraftCheckJobs)


def build_task_id(tool: str, job_id: str) -> str:
    """The id of the task that a call of this tool became."""
    return f"{_CHECK_PREFIX}{job_id}" if tool == _CHECK_TOOL else job_id


def _format_time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
