"""Research jobs as MCP tasks: the task has the job's id, and its result is the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from citewell.server.app import App
from citewell.server.pipeline import ToolOutcome
from citewell.tooling import Owner

TASK_TOOLS = frozenset({"research", "follow_up"})  # tools whose calls become tasks
_POLL_INTERVAL_MS = 2000  # how often a client is asked to poll
_TASK_STATES = {"completed": "completed", "failed": "completed", "cancelled": "cancelled"}

ResultBuilder = Callable[
    [ToolOutcome], dict[str, Any]
]  # converts an outcome to the result of tools/call


class ResearchTasks:
    """Reads and cancels jobs through the public tools, so that owners, limits and audit apply here too."""

    def __init__(self, app: App, wire: ResultBuilder) -> None:
        self._app = app
        self._wire = wire

    async def look_up_task(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        body = await self._call_job_tool("research_status", owner, task_id)
        if body is None:
            return None
        state = _TASK_STATES.get(body["status"], "working")
        task = {
            "taskId": task_id,
            "status": state,
            "statusMessage": body["nextStep"],
            "createdAt": body["createdAt"],
            "lastUpdatedAt": body["updatedAt"],
            "ttlMs": self._compute_ttl_ms(body["elapsedMs"]),
            "pollIntervalMs": _POLL_INTERVAL_MS,
        }
        if state == "completed":  # a failed job is a tool error, not a protocol error
            report = await self._app.call_tool("get_results", {"jobId": task_id}, owner=owner)
            task["result"] = self._wire(report)
        return task

    async def receive_responses(
        self, owner: Owner, task_id: str, _responses: Mapping[str, Any]
    ) -> bool:
        """True if the task exists. Research never asks its client anything, so responses are ignored."""
        return await self._call_job_tool("research_status", owner, task_id) is not None

    async def cancel_task(self, owner: Owner, task_id: str) -> bool:
        return await self._call_job_tool("research_cancel", owner, task_id) is not None

    async def _call_job_tool(self, tool: str, owner: Owner, job_id: str) -> dict[str, Any] | None:
        outcome = await self._app.call_tool(tool, {"jobId": job_id}, owner=owner)
        return None if outcome.is_error else outcome.body

    def _compute_ttl_ms(self, elapsed: int) -> int | None:
        kept = self._app.settings.research_retention
        return None if kept is None else elapsed + round(1000 * kept)
