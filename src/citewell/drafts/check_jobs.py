"""Checks of drafts as durable jobs, for clients that ask later: they survive a restart.

A job stores neither the draft nor the report. Both are artifacts of the owner, which expire, and the
job has their ids; a job itself may be kept for as long as research is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from citewell.core.errors import InternalError, InvalidInput, JobNotFound, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.values.research import ResearchStatus
from citewell.core.values.wire_values import WireValue
from citewell.drafts.settings import DraftsSettings
from citewell.jobs.durable_job import JobOrder, JobView, JsonValue
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.step_values import DRAFT_CHECK_KIND, ResearchAssignment
from citewell.store.cache.answer_sharing import run_as_owner
from citewell.store.cache.artifact_store import ArtifactStore

if TYPE_CHECKING:
    from citewell.drafts.draft_check import DraftRequest, DraftRequests

_STEP_KEY = "check"
_PROGRESS_EVENT = "check.progress"
_FIRST_MESSAGE = "The check is queued."
_LOST_DRAFT = "The draft is no longer stored, so it could not be checked. Send it again."
_LOST_REPORT = "The report of this check is no longer stored. Check the draft again."


class QueuedCheck(WireValue):
    """What check_draft returns to a client that asks for the report later."""

    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """How far the check of a job is."""

    job_id: str
    status: ResearchStatus
    message: str
    created: datetime
    updated: datetime


class DraftCheckWorkflow:
    """Runs the check of a job; after a restart it begins again with what is cached by then."""

    def __init__(
        self,
        find_requests: Callable[[], DraftRequests],
        artifacts: ArtifactStore,
        *,
        max_seconds: float,
    ) -> None:
        """After `max_seconds` what was not reached is reported as unchecked."""
        self._find_requests = find_requests
        self._artifacts = artifacts
        self._max_seconds = max_seconds

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        def find_requests() -> DraftRequests:
            from citewell.drafts.draft_check import DraftRequests

            return kit.require_service(DraftRequests)

        return cls(
            find_requests,
            kit.store.artifacts,
            max_seconds=kit.settings[DraftsSettings].draft_task_timeout,
        )

    async def __call__(self, run: WorkflowRun) -> JsonValue:
        return await run.run_step(_STEP_KEY, lambda: self._check_draft(run))

    async def _check_draft(self, run: WorkflowRun) -> JsonValue:
        # Research jobs run on the same engine and should not wait for what only checks import.
        from citewell.drafts.draft_check import DraftRequest

        owner = run.job.owner
        try:
            kept = await self._artifacts.load_artifact(owner, run.job.args["draft"])
        except NotFound:
            raise InvalidInput(_LOST_DRAFT) from None
        last = ""

        async def note_progress(_done: float, _total: float | None, message: str | None) -> None:
            nonlocal last
            if message and message != last:
                last = message
                await run.emit_event(_PROGRESS_EVENT, message=message)

        with run_as_owner(owner, private=True):
            report = await self._find_requests().check_request(
                DraftRequest(**json.loads(kept.body)),
                owner=owner,
                progress=note_progress,
                seconds=self._max_seconds,
            )
        stored = await _store_json(self._artifacts, owner, report.to_wire())
        return {"report": stored}


class DraftCheckJobs:
    def __init__(self, jobs: JobService, artifacts: ArtifactStore) -> None:
        self._jobs = jobs
        self._artifacts = artifacts

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_jobs(), kit.store.artifacts)

    async def start_check(self, owner: str, request: DraftRequest) -> QueuedCheck:
        """Queue the check; raises StoreError if the draft cannot be stored until it begins."""
        draft = await _store_json(self._artifacts, owner, asdict(request))
        # In the form of a research job, so that every view of jobs can show it.
        shown = ResearchAssignment(
            query="Check of a draft", tier="", providers=(), mode="fast", scope="web"
        )
        order = JobOrder(
            kind=DRAFT_CHECK_KIND, args={**shown.to_json(), "tool": "check_draft", "draft": draft}
        )
        view = await self._jobs.dispatch_job(owner, order)
        self._jobs.start_runner()
        return QueuedCheck(job_id=view.job.id)

    async def load_state(self, owner: str, job_id: str) -> CheckState:
        """Raises JobNotFound if there is no such check of this owner."""
        view = await self._require_check(owner, job_id)
        events = await self._jobs.store.list_stored_events(
            owner, job_id, after=max(0, view.seq - 1)
        )
        progress = [event for event in events if event.type == _PROGRESS_EVENT]
        updated = max((event.happened for event in events), default=view.job.created)
        return CheckState(
            job_id=job_id,
            status=view.status,
            message=str(progress[-1].payload["message"]) if progress else _describe_status(view),
            created=datetime.fromtimestamp(view.job.created, UTC),
            updated=datetime.fromtimestamp(view.finished or updated, UTC),
        )

    async def load_check_report(self, owner: str, job_id: str) -> dict[str, Any]:
        """The report in its wire form; raises why there is none."""
        view = await self._require_check(owner, job_id)
        if view.status is not ResearchStatus.COMPLETED:
            error = view.error or {}
            message = str(error.get("message") or "The check ended without a report.")
            is_input = error.get("kind") == InvalidInput.kind
            raise InvalidInput(message) if is_input else InternalError(message)
        result = await self._jobs.store.look_up_job_result(owner, job_id)
        try:
            kept = await self._artifacts.load_artifact(owner, result["report"])
        except NotFound:
            raise NotFound(_LOST_REPORT) from None
        body: dict[str, Any] = json.loads(kept.body)
        return body

    async def cancel_check(self, owner: str, job_id: str) -> None:
        """Request the end of a check; one that has ended does not change. Raises JobNotFound."""
        await self._require_check(owner, job_id)
        await self._jobs.cancel_job(owner, job_id)

    async def _require_check(self, owner: str, job_id: str) -> JobView:
        view = await self._jobs.store.require_job_view(owner, job_id)
        if view.job.kind != DRAFT_CHECK_KIND:
            raise JobNotFound("There is no such check of a draft.")
        return view


def _describe_status(view: JobView) -> str:
    if view.is_worker_lost:
        return "The process that ran this check was lost; another one will continue it."
    if view.cancelling and not view.status.is_final:
        return "The check is being cancelled."
    words = {
        ResearchStatus.COMPLETED: "The draft is checked.",
        ResearchStatus.FAILED: "The check failed.",
        ResearchStatus.CANCELLED: "The check was cancelled.",
        ResearchStatus.RUNNING: "The check has begun.",
    }
    return words.get(view.status, _FIRST_MESSAGE)


async def _store_json(artifacts: ArtifactStore, owner: str, value: dict[str, Any]) -> str:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return (await artifacts.store_artifact(owner, body, "application/json")).id
