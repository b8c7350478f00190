"""Deep research for callers: start jobs, wait for them, read and export results, see costs."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import Any, Self

from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.research import (
    TICKS_PER_CENT,
    ResearchFindings,
    ResearchStatus,
    WritingRequest,
)
from citewell.evidence.judging.claim_judging import ClaimJudging, build_lexical_judging
from citewell.jobs import step_values
from citewell.jobs.durable_job import JobOrder, JobView
from citewell.jobs.job_service import JobService
from citewell.jobs.step_values import (
    DRAFT_CHECK_KIND,
    LOCAL_PROVIDER,
    RESEARCH_JOB_KIND,
    SINGLE_CALL_KIND,
    ResearchAssignment,
    ResearchQuestion,
)
from citewell.jobs.store.job_store import ReconciledCall
from citewell.jobs.store.ledger_store import SqlLedgerStore
from citewell.jobs.store.thread_store import SqlThreadStore
from citewell.research import history_views, job_export, job_views
from citewell.research.planning.private_material import can_quote_library, check_public_topic
from citewell.research.planning.provider_choice import ProviderChoice
from citewell.research.planning.thread_context import (
    LIBRARY_SCOPE,
    ScopeRules,
    complete_follow_up,
    list_ancestors,
)
from citewell.research.reporting import evidence_pack
from citewell.research.reporting.model_synthesis import apply_client_draft
from citewell.research.research_store import SqlResearchStore
from citewell.research.settings import ResearchSettings

_MAX_CONTEXT_CHARS = 4000  # characters of the parent's report that a follow-up receives


class ResearchService:
    def __init__(
        self,
        *,
        jobs: JobService,
        store: SqlResearchStore,
        threads: SqlThreadStore,
        ledger: SqlLedgerStore,
        choice: ProviderChoice,
        scopes: ScopeRules | None = None,
        judging: Callable[[], ClaimJudging] = build_lexical_judging,
        evidence_tokens: int = evidence_pack.DEFAULT_PACK_TOKENS,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._jobs = jobs
        self._store = store
        self._threads = threads
        self._ledger = ledger
        self._choice = choice
        self._scopes = scopes or ScopeRules()
        self._judging = judging
        self._evidence_tokens = evidence_tokens
        self._clock = clock
        self._monotonic = monotonic
        self._new_id = new_id

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.research.research_assembly import open_job_service

        settings, state = kit.settings, kit.open_state()
        jobs = open_job_service(kit)
        return cls(
            jobs=jobs,
            store=state.research,
            threads=state.threads,
            ledger=state.ledger,
            choice=kit.require_service(ProviderChoice),
            scopes=ScopeRules.from_settings(settings),
            judging=lambda: kit.require_service(ClaimJudging),
            evidence_tokens=settings[ResearchSettings].evidence_tokens,
        )

    async def start_research(self, owner: str, question: ResearchQuestion) -> dict[str, Any]:
        """Check the question and queue a job; the answer also lists earlier jobs on a similar question."""
        question = step_values.check_question(question)
        tier = step_values.require_tier(question.tier)
        scope = self._scopes.choose_scope(question.scope)
        self._check_local_providers(question.providers, scope)
        names = self._choice.choose_providers(
            question.providers, tier=tier, mode=question.mode, local_only=scope == LIBRARY_SCOPE
        )
        work = ResearchAssignment(
            query=question.query,
            tier=tier.name,
            providers=names,
            mode=question.mode,
            scope=scope,
            share_library=question.share_library,
        )
        prior = await history_views.find_prior_work(
            self._store, self._jobs.store, owner, question.query
        )
        thread = self._new_id()
        view = await self._dispatch_assignment(
            owner, work, thread=thread, title=step_values.trim_title(question.query)
        )
        answer = job_views.build_started_view(view, work, thread=thread)
        return {**answer, "priorWork": prior} if prior else answer

    async def start_follow_up(
        self,
        owner: str,
        job_id: str,
        *,
        topic: int,
        query: str | None,
        tier: str | None,
        scope: str | None = None,
        share_library: bool = False,
    ) -> dict[str, Any]:
        parent, findings = await self._load_parent_job(owner, job_id)
        before = step_values.parse_assignment(parent.job.args)
        scope = self._scopes.choose_scope(scope, parent=before.scope)
        asked = (query or "").strip() or _choose_suggestion(findings, topic)
        is_private = can_quote_library(parent.job.args, findings)
        if is_private and not (query or "").strip() and scope != LIBRARY_SCOPE:
            check_public_topic(asked, findings)
        question = step_values.check_question(
            ResearchQuestion(query=asked, tier=tier or before.tier, mode=before.mode)
        )
        views = [parent]  # and the jobs that it follows
        if before.parent and parent.job.thread:
            views += await self._jobs.store.list_jobs_of_thread(owner, parent.job.thread, limit=100)
        earlier = list_ancestors(parent.job.id, {view.job.id: view.job.args for view in views})
        followed = complete_follow_up(question.query, earlier, scope=scope)
        work = ResearchAssignment(
            query=question.query,
            researched=followed.text if followed.added else "",
            added=followed.added,
            tier=question.tier,
            providers=self._choice.choose_providers(
                self._keep_usable(before.providers, scope),
                tier=step_values.require_tier(question.tier),
                mode=question.mode,
                local_only=scope == LIBRARY_SCOPE,
            ),
            mode=question.mode,
            scope=scope,
            share_library=share_library,
            parent=job_id,
            context=findings.synthesis[:_MAX_CONTEXT_CHARS],
            context_is_private=is_private,
        )
        thread = parent.job.thread or self._new_id()
        view = await self._dispatch_assignment(owner, work, thread=thread, title=None)
        return job_views.build_follow_up_view(view, work, thread=thread)

    async def wait_for_status(
        self, owner: str, job_id: str, *, wait: float = 0, progress: ProgressCallback | None = None
    ) -> dict[str, Any]:
        """The job's status now, or as soon as the status of the job or of a provider changes.

        Waits at most `wait` seconds; smaller news meanwhile goes to `progress`.
        """
        view = await self._jobs.store.require_job_view(owner, job_id)
        events = await self._jobs.store.list_stored_events(owner, job_id)
        first, end = job_views.list_milestones(view), self._monotonic() + wait
        while job_views.list_milestones(view) == first and not view.status.is_final:
            if progress is not None and wait:
                await progress(view.seq, None, job_views.describe_progress(view, events))
            left = end - self._monotonic()
            if left <= 0:
                break
            view = await self._jobs.wait_for_news(owner, job_id, since=view.seq, seconds=left)
            events = await self._jobs.store.list_stored_events(owner, job_id)
        return job_views.build_status_view(view, events, now=self._clock())

    async def load_results(
        self,
        owner: str,
        job_id: str,
        *,
        reports: bool = False,
        claims: bool = False,
        evidence: bool = False,
        draft: str | None = None,
    ) -> dict[str, Any]:
        """The report and sources; of a failed or cancelled job, the reports written before.

        With a `draft` the report is what stands of it after the check; it is not stored. The
        evidence is added if no model wrote the report, or if it is asked for.
        Raises JobNotComplete if the job still runs or has nothing to show.
        """
        view = await self._jobs.store.require_job_view(owner, job_id)
        if not view.status.is_final:
            raise _build_incomplete_error(view)
        written = await self._load_provider_reports(owner, view)
        if view.status is not ResearchStatus.COMPLETED:
            if not written:
                raise _build_incomplete_error(view)
            return job_views.build_partial_view(view, written)
        findings = await self._require_findings(owner, view)
        if draft is not None:
            findings = await apply_client_draft(findings, draft, self._judging(), owner=owner)
        answer = job_views.build_results_view(view, findings)
        if evidence or (
            self._evidence_tokens and findings.synthesis_by == evidence_pack.EXTRACTIVE_WRITER
        ):
            answer["evidencePack"] = evidence_pack.build_evidence_pack(
                findings, tokens=self._evidence_tokens or evidence_pack.DEFAULT_PACK_TOKENS
            )
        if reports:
            answer["providerReports"] = written
        if claims:
            answer["claims"] = job_views.build_claim_views(findings)
        return answer

    async def load_writing_request(self, owner: str, job_id: str) -> WritingRequest | None:
        """What a client's own model needs to write the report; None if there is nothing to cite."""
        view = await self._jobs.store.require_job_view(owner, job_id)
        if view.status is not ResearchStatus.COMPLETED:
            return None
        findings = await self._require_findings(owner, view)
        if not findings.passages and not findings.claims:
            return None
        return WritingRequest(
            instructions=evidence_pack.WRITING_INSTRUCTIONS,
            material=evidence_pack.render_writing_material(findings),
            tag=job_id,
        )

    async def cancel_research_job(self, owner: str, job_id: str) -> dict[str, Any]:
        view = await self._jobs.cancel_job(owner, job_id)
        return await self._build_status(owner, view)

    async def _build_status(self, owner: str, view: JobView) -> dict[str, Any]:
        events = await self._jobs.store.list_stored_events(owner, view.job.id)
        return job_views.build_status_view(view, events, now=self._clock())

    async def render_document(self, owner: str, job_id: str, form: str) -> str:
        """A completed job as a document in one of EXPORT_FORMATS; raises JobNotComplete otherwise."""
        view, findings = await self._load_finished_job(owner, job_id)
        return await self._render_job_document(
            owner, view, findings, job_export.resolve_export_format(form)
        )

    async def export_job(self, owner: str, job_id: str, form: str) -> dict[str, Any]:
        """The document with the facts about its job; in JSON format it is an object, not a text."""
        view, findings = await self._load_finished_job(owner, job_id)
        document = await self._render_job_document(owner, view, findings, form)
        stamp = job_views.format_timestamp(self._clock())
        return job_export.build_export_answer(
            view, findings, form, document=document, exported_at=stamp
        )

    async def add_credit(self, owner: str, dollars: str, *, note: str = "") -> None:
        """Add credit to the owner's budget; raises InvalidInput unless it is an amount above zero."""
        await self._ledger.post_credit(
            owner, history_views.parse_dollars(dollars), source="top_up", note=note
        )

    async def reconcile_cost(
        self, owner: str, job_id: str, step: str, *, dollars: str
    ) -> dict[str, Any]:
        """Store the real cost of an uncertain call, as the provider's bill shows it."""
        outcome = ReconciledCall(
            cost=history_views.parse_dollars(dollars, min_ticks=0), note="reconciled by hand"
        )
        view = await self._jobs.reconcile_call(owner, job_id, step, outcome)
        return await self._build_status(owner, view)

    async def erase_job_thread(self, owner: str, job_id: str) -> None:
        """Delete a job's whole thread with its questions, reports and claims; the ledger is kept."""
        view = await self._jobs.store.require_job_view(owner, job_id)
        if view.job.thread is not None:
            await self._threads.erase_thread(owner, view.job.thread)

    @property
    def jobs(self) -> JobService:
        """Jobs of every kind: the engine that runs research runs checks of drafts too."""
        return self._jobs

    def start_serving(self) -> None:
        """Start running queued jobs in this process, abandoned ones first."""
        self._jobs.start_runner()

    async def aclose(self) -> None:
        await self._jobs.stop_runner()

    async def list_job_rows(self, owner: str, *, limit: int = 20) -> list[dict[str, Any]]:
        found = await self._jobs.store.list_owner_jobs(owner, limit=limit)
        return [history_views.build_job_row(view) for view in found]

    async def list_threads(self, owner: str, *, limit: int, offset: int) -> dict[str, Any]:
        found = await self._threads.list_stored_threads(owner, limit=limit, offset=offset)
        rows = [history_views.build_thread_row(thread) for thread in found]
        return {"threads": rows, "count": len(rows), "limit": limit, "offset": offset}

    async def load_thread_view(self, owner: str, thread_id: str) -> dict[str, Any]:
        thread = await self._threads.load_thread(owner, thread_id)
        messages = await self._threads.list_messages(owner, thread_id)
        views = list(await self._jobs.store.list_jobs_of_thread(owner, thread_id, limit=100))
        if views:  # only the newest is shown with its steps
            views[0] = await self._jobs.store.require_job_view(owner, views[0].job.id)
        held = {view.job.id: await self._store.load_report(owner, view.job.id) for view in views}
        return history_views.build_thread_view(thread, messages, views, held)

    async def load_balance_view(self, owner: str, *, transactions: bool = False) -> dict[str, Any]:
        answer = history_views.build_balance_view(await self._ledger.load_balance(owner))
        if transactions:
            rows = await self._ledger.list_transactions(owner, limit=50)
            answer["transactions"] = [history_views.build_transaction_view(row) for row in rows]
        return answer

    async def load_usage_view(self, owner: str, period: str) -> dict[str, Any]:
        days = history_views.PERIOD_DAYS.get(period)
        since = self._clock() - days * history_views.DAY_SECONDS if days else 0.0  # all time
        spent = await self._ledger.list_provider_spending(owner, since=since)
        recent = await self._jobs.store.list_owner_jobs(owner, limit=20, since=since)
        return history_views.build_usage_view(period, spent, recent)

    def describe_research_providers(self, tier: str | None) -> dict[str, Any]:
        return {
            "providers": self._choice.describe_providers(),
            "budgetTiers": self._choice.describe_tiers(tier),
        }

    async def search_claims(
        self,
        owner: str,
        *,
        thread: str | None,
        job: str | None,
        query: str | None,
        level: str | None,
        limit: int,
    ) -> dict[str, Any]:
        words = (query or "").strip()
        if not (thread or job or words):
            raise errors.MissingFilter("Give at least one of threadId, jobId and query.")
        if job:
            view = await self._jobs.store.require_job_view(owner, job)
            if thread and (await self._threads.load_thread(owner, thread)).id != view.job.thread:
                return {"claims": [], "total": 0}
        elif thread:
            job = await self._find_latest_completed(owner, thread)
            if job is None:
                return {"claims": [], "total": 0}
        found = await self._store.search_stored_claims(
            owner, job=job, query=words or None, level=level, limit=limit
        )
        return {
            "claims": [job_views.build_claim_view(claim) for claim in found.claims],
            "total": found.total,
        }

    async def load_claim_evidence(
        self, owner: str, claim_id: str, *, history: bool
    ) -> dict[str, Any]:
        held = await self._store.load_claim(owner, claim_id)
        answer = job_views.build_evidence_view(held)
        if history:
            events = await self._store.list_claim_events(owner, claim_id)
            answer["history"] = [job_views.build_claim_event_view(event) for event in events]
        return answer

    async def _dispatch_assignment(
        self, owner: str, work: ResearchAssignment, *, thread: str, title: str | None
    ) -> JobView:
        paid = any(name != LOCAL_PROVIDER for name in work.providers)
        cap = step_values.require_tier(work.tier).cap_cents * TICKS_PER_CENT if paid else 0
        order = JobOrder(
            kind=RESEARCH_JOB_KIND,
            args=work.to_json(),
            cap=cap,
            providers=work.providers,
            thread=thread,
            title=title,
            question=work.query,
        )
        view = await self._jobs.dispatch_job(owner, order)
        self._jobs.start_runner()
        return view

    async def _load_parent_job(self, owner: str, job_id: str) -> tuple[JobView, ResearchFindings]:
        """The job that a follow-up continues; raises ThreadBusy while it runs, JobEnded if it failed."""
        view = await self._jobs.store.require_job_view(owner, job_id)
        if not view.status.is_final:
            raise errors.ThreadBusy(
                "The job is still running, so its thread is busy. Wait for it to complete.",
                extra=_describe_job_state(view),
            )
        return await self._load_finished_job(owner, job_id)

    async def _load_finished_job(self, owner: str, job_id: str) -> tuple[JobView, ResearchFindings]:
        view = await self._jobs.store.require_job_view(owner, job_id)
        if view.status is not ResearchStatus.COMPLETED:
            raise _build_incomplete_error(view)
        return view, await self._require_findings(owner, view)

    async def _render_job_document(
        self, owner: str, view: JobView, findings: ResearchFindings, form: str
    ) -> str:
        reports = await self._load_provider_reports(owner, view) if form == "json" else {}
        return await asyncio.to_thread(
            job_export.render_export, view, findings, form, reports=reports
        )

    async def _find_latest_completed(self, owner: str, thread: str) -> str | None:
        await self._threads.load_thread(owner, thread)
        views = await self._jobs.store.list_jobs_of_thread(owner, thread, limit=100)
        return next(
            (view.job.id for view in views if view.status is ResearchStatus.COMPLETED), None
        )

    async def _require_findings(self, owner: str, view: JobView) -> ResearchFindings:
        findings = await self._store.load_findings(owner, view.job.id)
        if findings is None:
            raise _build_incomplete_error(view)
        return findings

    async def _load_provider_reports(self, owner: str, view: JobView) -> dict[str, str]:
        """The report text of each provider that has written one."""
        written = {}
        for name in step_values.parse_assignment(view.job.args).providers:
            key = job_views.build_report_key(name)
            if view.find_step(key) is None:
                continue
            kept = await self._jobs.store.look_up_step_result(owner, view.job.id, key)
            if isinstance(kept, dict) and kept.get("text"):
                written[name] = str(kept["text"])
        return written

    def _keep_usable(self, names: tuple[str, ...], scope: str) -> tuple[str, ...]:
        """The parent's providers that are still configured and that the scope allows."""
        active = {row["name"] for row in self._choice.describe_providers() if row["isActive"]}
        kept = tuple(name for name in names if name in active)
        remote = self._choice.list_remote_providers(kept) if scope == LIBRARY_SCOPE else ()
        return tuple(name for name in kept if name not in remote)

    def _check_local_providers(self, names: tuple[str, ...], scope: str) -> None:
        """Raise InvalidInput if a job that must stay on this machine names a remote provider."""
        remote = self._choice.list_remote_providers(names) if scope == LIBRARY_SCOPE else ()
        if remote:
            remedy = "set scope to web or both"
            if self._scopes.is_local_only:
                remedy = "add a search provider to SEARCH_ROUTING, which names only the library"
            raise errors.InvalidInput(
                f"Research in the library alone sends nothing out, so it cannot use {', '.join(remote)}."
                f" Leave providers out, or {remedy}."
            )


def _choose_suggestion(findings: ResearchFindings, index: int) -> str:
    if not 0 <= index < len(findings.follow_ons):
        topics = [item.topic for item in findings.follow_ons]
        raise errors.InvalidTopic(
            f"There is no suggestion {index}; the job has {len(topics)}, counted from 0.",
            extra={"availableSuggestions": topics},
        )
    return findings.follow_ons[index].topic


def _build_incomplete_error(view: JobView) -> errors.JobNotComplete:
    """Why the job has nothing to show: it still runs, or it ended and never will."""
    extra = _describe_job_state(view)
    if not view.status.is_final:
        message = "The job is still running. Call research_status with wait_seconds."
        return errors.JobNotComplete(message, extra=extra)
    why = f" {view.error['message']}" if view.error and view.error.get("message") else ""
    if view.job.kind == SINGLE_CALL_KIND:
        message = "This job is one paid call of a tool, such as answer; it has no report."
        return errors.JobEnded(message, extra=extra)
    if view.job.kind == DRAFT_CHECK_KIND:
        message = "This job is the check of a draft; its report is the result of its task."
        return errors.JobEnded(message, extra=extra)
    words = {
        ResearchStatus.FAILED: f"The job failed and has no results.{why}",
        ResearchStatus.CANCELLED: "The job was cancelled before it had results.",
    }
    message = words.get(view.status, "The results of the job are no longer stored.")
    return errors.JobEnded(f"{message} Start the research again if you need it.", extra=extra)


def _describe_job_state(view: JobView) -> dict[str, object]:
    return {"status": view.status.value, "jobId": view.job.id}
