"""Research jobs as tasks of MCP: the job's id is the task's, and its report the task's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from citewell.server.app import App
from citewell.server.pipeline import Outcome
from citewell.tooling import Owner

TOOLS = frozenset({"research", "follow_up"})  # whose calls become tasks
_POLL = 2000  # milliseconds between two looks that are worth their while
_STATES = {"completed": "completed", "failed": "completed", "cancelled": "cancelled"}

Wire = Callable[[Outcome], dict[str, Any]]  # an outcome as the result of tools/call


class Handles:
    """Every look goes through the same tools, so owners, limits and the audit hold here too."""

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def look(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        body = await self._asked("research_status", owner, task_id)
        if body is None:
            return None
        state = _STATES.get(body["status"], "working")
        task = {
            "taskId": task_id,
            "status": state,
            "statusMessage": body["nextStep"],
            "createdAt": body["createdAt"],
            "lastUpdatedAt": body["updatedAt"],
            "ttlMs": self._ttl(body["elapsedMs"]),
            "pollIntervalMs": _POLL,
        }
        if state == "completed":  # a job that failed is a tool's error, no error of the protocol
            report = await self._app.call("get_results", {"jobId": task_id}, owner=owner)
            task["result"] = self._wire(report)
        return task

    async def answer(self, owner: Owner, task_id: str, _responses: Mapping[str, Any]) -> bool:
        """Research asks its client nothing, so there is nothing to take."""
        return await self._asked("research_status", owner, task_id) is not None

    async def cancel(self, owner: Owner, task_id: str) -> bool:
        return await self._asked("research_cancel", owner, task_id) is not None

    async def _asked(self, tool: str, owner: Owner, job_id: str) -> dict[str, Any] | None:
        outcome = await self._app.call(tool, {"jobId": job_id}, owner=owner)
        return None if outcome.is_error else outcome.body

    def _ttl(self, elapsed: int) -> int | None:
        kept = self._app.settings.research_retention
        return None if kept is None else elapsed + round(1000 * kept)
