"""Research jobs as MCP tasks, with the job's id and the report as result; and checks of drafts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from citewell.errors import JobNotFound
from citewell.server.app import App
from citewell.server.pipeline import ToolOutcome
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.drafts.check_jobs import CheckState, DraftCheckJobs

_CHECK_TOOL = "check_draft"
_CHECK_PREFIX = "check-"
TASK_TOOLS = frozenset({"research", "follow_up", _CHECK_TOOL})  # whose calls become tasks
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


class DraftCheckTasks:
    """Checks of drafts as tasks; the id of a task is that of its job after a prefix."""

    def __init__(self, app: App, wire: ResultBuilder) -> None:
        self._app = app
        self._wire = wire

    async def look_up_task(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        job_id = task_id.removeprefix(_CHECK_PREFIX)
        checks = self._require_checks()
        try:
            found = await checks.load_state(str(owner), job_id)
        except JobNotFound:
            return None
        state = _TASK_STATES.get(found.status.value, "working")
        task: dict[str, Any] = {
            "taskId": task_id,
            "status": state,
            "statusMessage": found.message,
            "createdAt": _format_time(found.created),
            "lastUpdatedAt": _format_time(found.updated),
            "ttlMs": self._compute_check_ttl_ms(found),
            "pollIntervalMs": _POLL_INTERVAL_MS,
        }
        if state == "completed":  # a failed check is a tool error, not a protocol error
            outcome = await self._app.deliver_result(
                _CHECK_TOOL, lambda: checks.load_check_report(str(owner), job_id), owner=owner
            )
            task["result"] = self._wire(outcome)
        return task

    async def receive_responses(
        self, owner: Owner, task_id: str, _responses: Mapping[str, Any]
    ) -> bool:
        """True if the task exists. A check never asks its client anything."""
        return await self.look_up_task(owner, task_id) is not None

    async def cancel_task(self, owner: Owner, task_id: str) -> bool:
        try:
            await self._require_checks().cancel_check(
                str(owner), task_id.removeprefix(_CHECK_PREFIX)
            )
        except JobNotFound:
            return False
        return True

    def _compute_check_ttl_ms(self, found: CheckState) -> int | None:
        """From its creation until its report expires; None while it is not known."""
        if not found.status.is_final:
            return None
        taken = (found.updated - found.created).total_seconds()
        return round(1000 * (taken + self._app.settings.artifact_ttl))

    def _require_checks(self) -> DraftCheckJobs:
        from citewell.services.drafts.check_jobs import DraftCheckJobs

        return self._app.require_service(DraftCheckJobs)


class ServerTasks:
    """All tasks: those of checks are known by their prefix, all others are research jobs."""

    def __init__(self, research: ResearchTasks, checks: DraftCheckTasks) -> None:
        self._research = research
        self._checks = checks

    async def look_up_task(self, owner: Owner, task_id: str) -> dict[str, Any] | None:
        return await self._choose_tasks(task_id).look_up_task(owner, task_id)

    async def receive_responses(
        self, owner: Owner, task_id: str, responses: Mapping[str, Any]
    ) -> bool:
        return await self._choose_tasks(task_id).receive_responses(owner, task_id, responses)

    async def cancel_task(self, owner: Owner, task_id: str) -> bool:
        return await self._choose_tasks(task_id).cancel_task(owner, task_id)

    def _choose_tasks(self, task_id: str) -> ResearchTasks | DraftCheckTasks:
        return self._checks if task_id.startswith(_CHECK_PREFIX) else self._research


def build_task_id(tool: str, job_id: str) -> str:
    """The id of the task that a call of this tool became."""
    return f"{_CHECK_PREFIX}{job_id}" if tool == _CHECK_TOOL else job_id


def _format_time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
