"""Deep research for a caller: start it, watch it, read it, go on from it, and see what it cost."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from citewell.errors import InvalidTopic, JobNotComplete, MissingFilter
from citewell.model.job import JobView, Order
from citewell.model.research import TICKS_PER_CENT, Findings, Status
from citewell.services.jobs.service import Jobs
from citewell.services.research import accounts, export, shown
from citewell.services.research.asking import (
    Assignment,
    Question,
    assignment,
    checked,
    tier_of,
    titled,
)
from citewell.services.research.choosing import LOCAL, Choice
from citewell.services.research.prior import Prior
from citewell.store.jobs import Reconciled
from citewell.store.ledger import Ledger
from citewell.store.research import ResearchStore
from citewell.store.threads import ThreadStore

KIND = "research"
Progress = Callable[[float, float | None, str | None], Awaitable[None]]
_CONTEXT = 4000  # characters of the parent's report that a follow-up is told


class Research:
    def __init__(
        self,
        *,
        jobs: Jobs,
        store: ResearchStore,
        threads: ThreadStore,
        ledger: Ledger,
        choice: Choice,
        prior: Prior,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._jobs = jobs
        self._store = store
        self._threads = threads
        self._ledger = ledger
        self._choice = choice
        self._prior = prior
        self._clock = clock
        self._monotonic = monotonic
        self._new_id = new_id

    async def start(self, owner: str, question: Question) -> dict[str, Any]:
        """Dispatched before it returns; what earlier jobs know is offered beside it."""
        question = checked(question)
        tier = tier_of(question.tier)
        names = self._choice.chosen(question.providers, tier=tier, mode=question.mode)
        work = Assignment(query=question.query, tier=tier.name, providers=names, mode=question.mode)
        prior = await self._prior.about(owner, question.query)
        thread = self._new_id()
        view = await self._dispatch(owner, work, thread=thread, title=titled(question.query))
        answer = shown.started(view, work, thread=thread)
        return {**answer, "priorWork": prior} if prior else answer

    async def follow_up(
        self, owner: str, job_id: str, *, topic: int, query: str | None, tier: str | None
    ) -> dict[str, Any]:
        parent, findings = await self._finished(owner, job_id)
        before = assignment(parent.job.args)
        asked = query.strip() if query and query.strip() else _suggested(findings, topic)
        question = checked(Question(query=asked, tier=tier or before.tier, mode=before.mode))
        work = Assignment(
            query=question.query,
            tier=question.tier,
            providers=self._choice.chosen(
                self._usable(before.providers), tier=tier_of(question.tier), mode=question.mode
            ),
            mode=question.mode,
            parent=job_id,
            context=findings.synthesis[:_CONTEXT],
        )
        thread = parent.job.thread or self._new_id()
        view = await self._dispatch(owner, work, thread=thread, title=None)
        return shown.followed(view, work, thread=thread)

    async def status(
        self, owner: str, job_id: str, *, wait: float = 0, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Where the job stands now, or once a provider or the job itself has come further.

        Smaller news within `wait` seconds goes to `progress`, so that a caller asks less often.
        """
        view = await self._jobs.view(owner, job_id)
        events = await self._jobs.events(owner, job_id)
        first, end = shown.milestone(view), self._monotonic() + wait
        while shown.milestone(view) == first and not view.status.final:
            if progress is not None and wait:
                await progress(view.seq, None, shown.news(view, events))
            left = end - self._monotonic()
            if left <= 0:
                break
            view = await self._jobs.wait(owner, job_id, since=view.seq, seconds=left)
            events = await self._jobs.events(owner, job_id)
        return shown.status(view, events, now=self._clock())

    async def results(
        self, owner: str, job_id: str, *, reports: bool = False, claims: bool = False
    ) -> dict[str, Any]:
        view = await self._jobs.view(owner, job_id)
        if not view.status.final:
            raise _incomplete(view)
        written = await self._reports(owner, view)
        if view.status is not Status.COMPLETED:
            if not written:
                raise _incomplete(view)
            return shown.cut_short(view, written)
        findings = await self._findings(owner, view)
        answer = shown.results(view, findings)
        if reports:
            answer["providerReports"] = written
        if claims:
            answer["claims"] = shown.claims(findings)
        return answer

    async def cancel(self, owner: str, job_id: str) -> dict[str, Any]:
        view = await self._jobs.cancel(owner, job_id)
        return shown.status(view, now=self._clock())

    async def document(self, owner: str, job_id: str, form: str) -> str:
        """A completed job as a document in one of export.FORMATS."""
        view, findings = await self._finished(owner, job_id)
        return await self._rendered(owner, view, findings, export.named(form))

    async def exported(self, owner: str, job_id: str, form: str) -> dict[str, Any]:
        """The document with what it is about; JSON comes as the object itself."""
        view, findings = await self._finished(owner, job_id)
        document = await self._rendered(owner, view, findings, form)
        stamp = accounts.stamp(self._clock())
        return export.told(view, findings, form, document=document, exported_at=stamp)

    async def credit(self, owner: str, dollars: str, *, note: str = "") -> None:
        """Raises InvalidInput for what is no sum of money above zero."""
        await self._ledger.credit(owner, accounts.ticks(dollars), source="top_up", note=note)

    async def reconcile(
        self, owner: str, job_id: str, step: str, *, dollars: str
    ) -> dict[str, Any]:
        """Put right what an uncertain call cost, once somebody has looked at the provider's bill."""
        outcome = Reconciled(cost=accounts.ticks(dollars, least=0), note="reconciled by hand")
        view = await self._jobs.reconcile(owner, job_id, step, outcome)
        return shown.status(view, now=self._clock())

    async def erase(self, owner: str, job_id: str) -> None:
        """Let go of a job with its whole thread: questions, reports, claims; the ledger stays."""
        view = await self._jobs.view(owner, job_id)
        if view.job.thread is not None:
            await self._threads.erase(owner, view.job.thread)

    def serve(self) -> None:
        """Carry out queued jobs in this process, those that others left behind first."""
        self._jobs.start()

    async def aclose(self) -> None:
        await self._jobs.stop()

    async def jobs(self, owner: str, *, limit: int = 20) -> list[dict[str, Any]]:
        found = await self._jobs.listed(owner, limit=limit)
        return [accounts.job_row(view) for view in found]

    async def threads(self, owner: str, *, limit: int, offset: int) -> dict[str, Any]:
        found = await self._threads.threads(owner, limit=limit, offset=offset)
        rows = [shown.thread_row(thread) for thread in found]
        return {"threads": rows, "count": len(rows), "limit": limit, "offset": offset}

    async def thread(self, owner: str, thread_id: str) -> dict[str, Any]:
        thread = await self._threads.thread(owner, thread_id)
        messages = await self._threads.messages(owner, thread_id)
        views = list(await self._jobs.of_thread(owner, thread_id, limit=100))
        if views:  # only the newest is shown with its steps
            views[0] = await self._jobs.view(owner, views[0].job.id)
        held = {view.job.id: await self._store.report(owner, view.job.id) for view in views}
        return shown.thread(thread, messages, views, held)

    async def balance(self, owner: str, *, transactions: bool = False) -> dict[str, Any]:
        answer = accounts.balance(await self._ledger.balance(owner))
        if transactions:
            rows = await self._ledger.transactions(owner, limit=50)
            answer["transactions"] = [accounts.transaction(row) for row in rows]
        return answer

    async def usage(self, owner: str, period: str) -> dict[str, Any]:
        since = accounts.since(period, now=self._clock())
        spent = await self._ledger.usage(owner, since=since)
        recent = await self._jobs.listed(owner, limit=20, since=since)
        return accounts.usage(period, spent, recent)

    def providers(self, tier: str | None) -> dict[str, Any]:
        return {"providers": self._choice.listed(), "budgetTiers": self._choice.tiers(tier)}

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
            raise MissingFilter("Give threadId, jobId or query: one of them is needed.")
        if job:
            await self._jobs.view(owner, job)
        elif thread:
            job = await self._latest(owner, thread)
            if job is None:
                return {"claims": [], "total": 0}
        found = await self._store.claims(
            owner, job=job, query=words or None, level=level, limit=limit
        )
        return {"claims": [shown.claim(one) for one in found.claims], "total": found.total}

    async def evidence(self, owner: str, claim_id: str, *, history: bool) -> dict[str, Any]:
        held = await self._store.claim(owner, claim_id)
        answer = shown.evidence(held)
        if history:
            events = await self._store.history(owner, claim_id)
            answer["history"] = [shown.claim_event(event) for event in events]
        return answer

    async def _dispatch(
        self, owner: str, work: Assignment, *, thread: str, title: str | None
    ) -> JobView:
        paid = any(name != LOCAL for name in work.providers)
        cap = tier_of(work.tier).cap_cents * TICKS_PER_CENT if paid else 0
        order = Order(
            kind=KIND,
            args=work.json(),
            cap=cap,
            thread=thread,
            title=title,
            question=work.query,
        )
        view = await self._jobs.dispatch(owner, order)
        self._jobs.start()
        return view

    async def _complete(self, owner: str, job_id: str) -> JobView:
        view = await self._jobs.view(owner, job_id)
        if view.status is not Status.COMPLETED:
            raise _incomplete(view)
        return view

    async def _finished(self, owner: str, job_id: str) -> tuple[JobView, Findings]:
        view = await self._complete(owner, job_id)
        return view, await self._findings(owner, view)

    async def _rendered(self, owner: str, view: JobView, findings: Findings, form: str) -> str:
        reports = await self._reports(owner, view) if form == "json" else {}
        return await asyncio.to_thread(export.document, view, findings, form, reports=reports)

    async def _latest(self, owner: str, thread: str) -> str | None:
        await self._threads.thread(owner, thread)
        views = await self._jobs.of_thread(owner, thread, limit=100)
        return next((view.job.id for view in views if view.status is Status.COMPLETED), None)

    async def _findings(self, owner: str, view: JobView) -> Findings:
        findings = await self._store.findings(owner, view.job.id)
        if findings is None:
            raise _incomplete(view)
        return findings

    async def _reports(self, owner: str, view: JobView) -> dict[str, str]:
        """What each provider wrote, as far as it came."""
        written = {}
        for name in assignment(view.job.args).providers:
            if view.step(shown.report_key(name)) is None:
                continue
            kept = await self._jobs.step_result(owner, view.job.id, shown.report_key(name))
            if isinstance(kept, dict) and kept.get("text"):
                written[name] = str(kept["text"])
        return written

    def _usable(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The parent's providers that are still configured."""
        active = {row["name"] for row in self._choice.listed() if row["isActive"]}
        return tuple(name for name in names if name in active)


def _suggested(findings: Findings, index: int) -> str:
    if not 0 <= index < len(findings.follow_ons):
        topics = [one.topic for one in findings.follow_ons]
        raise InvalidTopic(
            f"There is no suggestion {index}; the job has {len(topics)}, counted from 0.",
            extra={"availableSuggestions": topics},
        )
    return findings.follow_ons[index].topic


def _incomplete(view: JobView) -> JobNotComplete:
    why = f" {view.error['message']}" if view.error and view.error.get("message") else ""
    words = {
        Status.FAILED: f"The job failed and has no results.{why}",
        Status.CANCELLED: "The job was cancelled before it had results.",
    }
    message = words.get(
        view.status, "The job is still at work. research_status with wait_seconds says when."
    )
    extra = {"status": view.status.value, "jobId": view.job.id}
    return JobNotComplete(message, extra=extra)
