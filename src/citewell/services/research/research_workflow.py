"""A research job from its question to its report, in steps whose results are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from citewell.errors import CitewellError, NotFound
from citewell.model.citation_checks import PAGE_DEAD
from citewell.model.counted_words import pluralize
from citewell.model.durable_job import Job, JsonValue
from citewell.model.research import (
    GroundingPassage,
    ProviderReport,
    ResearchFindings,
    ResearchRequest,
    ResearchStatus,
    WritingRequest,
)
from citewell.model.routing_trace import RoutingTrace, hold_trace
from citewell.services.jobs.paid_calls import LostCall
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.services.judging.claim_judge import ClaimPair
from citewell.services.judging.claim_judging import ClaimJudging, build_lexical_judging
from citewell.services.research import combined_findings
from citewell.services.research.analysis import search_gaps
from citewell.services.research.analysis.meaning_scores import (
    MeaningScores,
    PassageScorer,
    score_meaning,
)
from citewell.services.research.analysis.model_passages import choose_passages
from citewell.services.research.analysis.page_analysis import analyse_pages
from citewell.services.research.claims import citation_check
from citewell.services.research.claims.judged_citations import CitationJudgements, judge_citations
from citewell.services.research.claims.sentence_verdicts import SentenceJudge
from citewell.services.research.collecting import research_rounds
from citewell.services.research.collecting.research_rounds import ResearchPorts
from citewell.services.research.combined_findings import GatheredMaterial
from citewell.services.research.judge_calls import WorkflowJudgeCaller
from citewell.services.research.planning import private_material
from citewell.services.research.planning.assignments import (
    ResearchAssignment,
    parse_assignment,
    require_tier,
)
from citewell.services.research.planning.private_material import LibraryPermit
from citewell.services.research.planning.provider_choice import ProviderChoice
from citewell.services.research.planning.research_plan import build_research_plan as planned
from citewell.services.research.planning.research_scope import LIBRARY_SCOPE
from citewell.services.research.planning.thread_context import (
    ThreadQuotes,
    describe_completion,
)
from citewell.services.research.provider_calls import ResearchCall, WritingCall
from citewell.services.research.reporting import model_synthesis
from citewell.services.research.reporting.printed_quotes import (
    collect_thread_quotes,
    locate_quotes,
)
from citewell.services.research.reporting.writing_material import (
    WRITING_INSTRUCTIONS,
    render_writing_material,
)
from citewell.services.research.step_values import (
    GROUNDED_PROVIDER,
    LOCAL_PROVIDER,
    PageLead,
    PageLeads,
    PageReading,
    PageReadings,
    ResearchPlan,
)
from citewell.services.research.views.job_views import build_report_key
from citewell.store.jobs.thread_store import ThreadStore
from citewell.store.research.research_store import ResearchStore
from citewell.text.evidence.claim_support import SourceText
from citewell.text.web import addresses

if TYPE_CHECKING:
    from citewell.services.links.link_checks import LinkChecker

P = ParamSpec("P")
R = TypeVar("R")

_PAGES_PER_STEP = 20  # cited pages read in one step
_TIER_TIMEOUT_SECONDS = {"XXS": 600, "XS": 600, "S": 900, "M": 1800, "L": 3600, "XL": 3600}
_MAX_QUOTING_JOBS = 10  # earlier jobs of a thread whose quotations are not repeated
_MAX_ARCHIVE_LOOKUPS = 20  # lost pages for which an archived copy is looked up


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDependencies:
    """The stores, ports and providers that the workflow uses."""

    choice: ProviderChoice
    store: ResearchStore
    threads: ThreadStore
    ports: Callable[[str, str], ResearchPorts]  # by owner and scope
    links: Callable[[], LinkChecker]
    similarity: Callable[[], PassageScorer]
    choose_writer: Callable[
        [Sequence[str]], str | None
    ]  # which of these providers writes the report
    judging: Callable[[], ClaimJudging] = build_lexical_judging
    current_time: Callable[[], datetime] = lambda: datetime.now(UTC)


class ResearchWorkflow:
    """The research workflow; after a crash it runs again and stored steps return their results."""

    def __init__(self, bench: WorkflowDependencies) -> None:
        self._dependencies = bench
        self._compute_lock = asyncio.Lock()

    async def __call__(self, run: WorkflowRun) -> JsonValue:
        work = parse_assignment(run.job.args)
        plan = await self._plan_research(run, work)
        permit = self._open_permit(work)
        # A model that cannot search must wait for the pages that our own search finds.
        blind = [name for name in work.providers if name == GROUNDED_PROVIDER]
        others = [
            name for name in work.providers if name not in {LOCAL_PROVIDER, GROUNDED_PROVIDER}
        ]
        (own, unsearched), told = await asyncio.gather(
            self._run_own_rounds(
                run, work, plan, wanted=LOCAL_PROVIDER in work.providers or bool(blind)
            ),
            self._ask_paid_providers(run, work, others),
        )
        told += [
            await self._ask_research_provider(
                run,
                work,
                name,
                given=await self._run_off_loop(
                    choose_passages, plan, permit.keep_given_pages(name, own)
                ),
            )
            for name in blind
        ]
        reports = tuple(one for one in told if isinstance(one, ProviderReport))
        notes = (*unsearched, *(one for one in told if isinstance(one, str)))
        if not reports and not any(page.is_read for page in own.pages):
            raise _build_nothing_found_error(notes)
        notes += permit.describe_withheld_pages(blind, own)
        cited = await self._read_cited_pages(run, work, reports, own)
        judged = await self._judge_citations(run, work, reports, own, cited)
        notes += judged.notes
        ranked = own if LOCAL_PROVIDER in work.providers else PageReadings()
        meaning = await self._score_meaning(run, plan, ranked)
        notes += (meaning.note,) if meaning.note else ()
        quotes = await self._collect_thread_quotes(run, work)
        notes += (describe_completion(work.researched, work.added),) if work.researched else ()
        gathered = GatheredMaterial(
            plan=plan,
            quoted=locate_quotes(quotes, ranked.pages),
            own_readings=ranked,
            meaning=meaning,
            cited_readings=cited,
            reports=reports,
            notes=(*notes, *(note for one in reports for note in one.notes)),
            is_private=permit.is_material_private(own),
            judged=judged.judged,
        )
        findings = await self._build_findings(run, gathered)
        await run.enter_status(ResearchStatus.SYNTHESIZING)
        findings = await self._write_synthesis(run, work, gathered, findings)
        if gathered.is_private and work.scope != LIBRARY_SCOPE:
            findings = private_material.drop_private_topics(findings)
        return await self._store_findings(run, findings)

    async def _plan_research(self, run: WorkflowRun, work: ResearchAssignment) -> ResearchPlan:
        async def make() -> JsonValue:
            year = self._dependencies.current_time().year
            plan = planned(work.researched or work.query, require_tier(work.tier), year=year)
            if work.researched:
                plan = plan.model_copy(update={"asked": work.query, "added": work.added})
            return plan.model_dump(mode="json")

        return ResearchPlan.model_validate(await run.run_step("plan", make))

    async def _collect_thread_quotes(
        self, run: WorkflowRun, work: ResearchAssignment
    ) -> ThreadQuotes:
        """What earlier jobs of the thread quoted; stored, because the thread may grow meanwhile."""
        thread = run.job.thread
        if work.parent is None or thread is None:
            return ThreadQuotes()

        async def collect() -> JsonValue:
            owner, store = run.job.owner, self._dependencies.store
            messages = await self._dependencies.threads.list_messages(owner, thread)
            names = dict.fromkeys(one.job for one in reversed(messages) if one.job != run.job.id)
            recent = [name for name in names if name is not None][:_MAX_QUOTING_JOBS]
            held = [(name, await store.load_findings(owner, name)) for name in recent]
            done = [(name, findings) for name, findings in held if findings is not None]
            return collect_thread_quotes(done).model_dump(mode="json")

        return ThreadQuotes.model_validate(await run.run_step("thread", collect))

    def _open_permit(self, work: ResearchAssignment) -> LibraryPermit:
        """Which providers of the job may be given text of the library."""
        return LibraryPermit(work, self._dependencies.choice.is_on_this_machine)

    async def _run_own_rounds(
        self, run: WorkflowRun, work: ResearchAssignment, plan: ResearchPlan, *, wanted: bool
    ) -> tuple[PageReadings, tuple[str, ...]]:
        """Search and read in rounds until nothing is missing or the tier's limit is reached.

        Returns the pages, and notes that say which searches failed and why.
        """
        readings = PageReadings()
        notes: dict[str, None] = {}
        queries: Sequence[str] = plan.queries if wanted else ()
        searched: list[str] = []
        receivers: dict[str, None] = {}
        for number in range(1, plan.rounds + 1):
            if not queries:
                break
            fresh, leads = await self._run_own_round(
                run, plan, number, queries, readings, scope=work.scope
            )
            searched += queries
            notes |= dict.fromkeys(leads.notes)
            receivers |= dict.fromkeys(leads.seen_by)
            if not fresh.pages:
                break
            readings = private_material.drop_saved_copies(readings.join_readings(fresh))
            if number == plan.rounds:
                break
            queries = await self._run_off_loop(
                search_gaps.find_gap_queries,
                plan,
                private_material.choose_query_pages(work, readings),
                searched=tuple(searched),
            )
        if wanted:
            await self._record_own_report(run, readings, searched, receivers)
        return readings, tuple(notes)

    async def _run_own_round(
        self,
        run: WorkflowRun,
        plan: ResearchPlan,
        number: int,
        queries: Sequence[str],
        readings: PageReadings,
        *,
        scope: str,
    ) -> tuple[PageReadings, PageLeads]:
        ports = self._dependencies.ports(run.job.owner, scope)
        known = [page.url for page in readings.pages]

        async def search() -> JsonValue:
            with hold_trace(RoutingTrace()) as trace:
                found = await research_rounds.search_round(
                    plan, ports, queries=queries, known=known
                )
            return found.model_copy(update={"seen_by": tuple(trace.receivers)}).model_dump(
                mode="json"
            )

        leads = PageLeads.model_validate(await run.run_step(f"local:search:{number}", search))
        chosen = research_rounds.choose_leads(
            leads,
            max_pages=plan.count_pages_left(number, len(known)),
            already_read=known,
        )

        async def read() -> JsonValue:
            return (await research_rounds.fetch_round(chosen, ports)).model_dump(mode="json")

        fresh = PageReadings.model_validate(await run.run_step(f"local:read:{number}", read))
        count = sum(1 for page in fresh.pages if page.is_read)
        await run.emit_event("pages_read", provider=LOCAL_PROVIDER, round=number, count=count)
        return fresh, leads

    async def _record_own_report(
        self,
        run: WorkflowRun,
        readings: PageReadings,
        searched: Sequence[str],
        receivers: Iterable[str],
    ) -> None:
        """Store a step that marks the local engine as done; its pages are in other steps."""

        async def close() -> JsonValue:
            read = sum(1 for page in readings.pages if page.is_read)
            text = (
                f"Searched for: {'; '.join(searched)}. Read {read} of {len(readings.pages)} {pluralize(len(readings.pages), 'page')}."
                f" Providers that were sent the queries: {', '.join(receivers) or 'none'}."
            )
            return ProviderReport(provider=LOCAL_PROVIDER, text=text).model_dump(mode="json")

        await run.run_step(build_report_key(LOCAL_PROVIDER), close)

    async def _ask_paid_providers(
        self, run: WorkflowRun, work: ResearchAssignment, names: Sequence[str]
    ) -> list[ProviderReport | str]:
        return list(
            await asyncio.gather(*(self._ask_research_provider(run, work, name) for name in names))
        )

    async def _ask_research_provider(
        self,
        run: WorkflowRun,
        work: ResearchAssignment,
        name: str,
        *,
        given: tuple[GroundingPassage, ...] = (),
    ) -> ProviderReport | str:
        """A provider's report, or a note that says why there is none."""
        tier = require_tier(work.tier)
        context = self._open_permit(work).choose_sent_context(name)

        def ask(tag: str) -> ResearchRequest:
            # With the parent's report as context, a question that points back is clear as it is.
            query = work.query if context else work.researched or work.query
            return ResearchRequest(query=query, tier=tier, tag=tag, context=context, passages=given)

        try:
            call = ResearchCall(
                name, self._dependencies.choice.require_research_provider(name), ask
            )
            kept = await run.run_paid_call(
                build_report_key(name), call, seconds=_TIER_TIMEOUT_SECONDS[tier.name]
            )
        except CitewellError as error:
            await run.emit_event("provider_failed", provider=name, kind=error.kind)
            cause = error.cause if isinstance(error, LostCall) else ""
            return f"{name} gave no report: {cause or error.message}"
        report = ProviderReport.model_validate(kept)
        await run.emit_event("provider_done", provider=name, citations=len(report.citations))
        return report

    async def _read_cited_pages(
        self,
        run: WorkflowRun,
        work: ResearchAssignment,
        reports: tuple[ProviderReport, ...],
        own: PageReadings,
    ) -> tuple[tuple[str, PageReading], ...]:
        """Each address that a report cites, with the page as we read it."""
        known = {addresses.build_page_key(page.url): page for page in own.pages}
        everything = citation_check.list_cited_pages(reports)
        missing = [lead for lead in everything if addresses.build_page_key(lead.url) not in known]
        uninformed = self._open_permit(work).keep_uninformed_reports(reports, own)
        read = private_material.refuse_model_addresses(
            missing, citation_check.list_cited_pages(uninformed)
        )
        missing = [lead for lead in missing if lead.url not in read]
        for start in range(0, len(missing), _PAGES_PER_STEP):
            part = missing[start : start + _PAGES_PER_STEP]
            pages = await self._read_cited_batch(run, work, part, start // _PAGES_PER_STEP + 1)
            read |= {lead.url: page for lead, page in zip(part, pages, strict=True)}
        return tuple(
            (lead.url, read.get(lead.url) or known[addresses.build_page_key(lead.url)])
            for lead in everything
        )

    async def _read_cited_batch(
        self, run: WorkflowRun, work: ResearchAssignment, leads: Sequence[PageLead], number: int
    ) -> tuple[PageReading, ...]:
        ports = self._dependencies.ports(run.job.owner, work.scope)

        async def read() -> JsonValue:
            return (await research_rounds.fetch_round(leads, ports)).model_dump(mode="json")

        pages = PageReadings.model_validate(await run.run_step(f"check:read:{number}", read)).pages
        count = sum(1 for page in pages if page.is_read)
        await run.emit_event("pages_read", provider="check", round=number, count=count)
        return pages

    async def _judge_citations(
        self,
        run: WorkflowRun,
        work: ResearchAssignment,
        reports: tuple[ProviderReport, ...],
        own: PageReadings,
        cited: tuple[tuple[str, PageReading], ...],
    ) -> CitationJudgements:
        """What another judge than words says of the providers' citations, if one is chosen."""
        judging = self._dependencies.judging()
        if judging.is_lexical or not reports:
            return CitationJudgements()
        permit = self._open_permit(work)
        public = permit.keep_uninformed_reports(reports, own)
        pages = {addresses.build_page_key(url): page for url, page in cited}
        pairs = citation_check.list_cited_pairs(
            reports,
            pages,
            lambda report, page: report not in public or private_material.is_private_page(page),
        )
        if not pairs:
            return CitationJudgements()
        return await self._judge_cited_pairs(run, permit, pairs, step="judge")

    async def _judge_cited_pairs(
        self,
        run: WorkflowRun,
        permit: LibraryPermit,
        pairs: Mapping[tuple[str, str], ClaimPair],
        *,
        step: str,
    ) -> CitationJudgements:
        return await judge_citations(
            run,
            self._dependencies.judging(),
            pairs,
            lambda name: WorkflowJudgeCaller(
                name,
                self._dependencies.choice,
                run,
                may_read=permit.covers_provider(name),
                step=step,
            ),
            step=step,
        )

    async def _score_meaning(
        self, run: WorkflowRun, plan: ResearchPlan, own: PageReadings
    ) -> MeaningScores:
        """What an encoder says of the best passages; stored, because another one may be used later."""

        async def score() -> JsonValue:
            scores = await score_meaning(
                lambda: self._run_off_loop(analyse_pages, plan, own),
                self._dependencies.similarity(),
            )
            return scores.model_dump(mode="json")

        if not own.pages:
            return MeaningScores()
        return MeaningScores.model_validate(await run.run_step("local:meaning", score))

    async def _build_findings(
        self, run: WorkflowRun, gathered: GatheredMaterial
    ) -> ResearchFindings:
        links = await self._check_lost_pages(run, gathered)
        gathered = combined_findings.refine_missing_pages(
            gathered, {url: link["state"] for url, link in links.items() if link.get("state")}
        )
        archived = {url: link["archived"] for url, link in links.items() if link.get("archived")}

        async def compare() -> JsonValue:
            found = await self._run_off_loop(
                combined_findings.combine_findings, gathered, salt=run.job.id, archived=archived
            )
            return found.model_dump(mode="json")

        findings = ResearchFindings.model_validate(await run.run_step("claims", compare))
        await run.emit_event("claims_made", count=len(findings.claims))
        return findings

    async def _check_lost_pages(
        self, run: WorkflowRun, gathered: GatheredMaterial
    ) -> Mapping[str, Mapping[str, str]]:
        """What the archive knows of cited pages that could not be read: `state` and `archived`."""
        gone = [
            page.url
            for _, page in gathered.cited_readings
            if page.state in {"unreachable", PAGE_DEAD}
            and not private_material.is_private_page(page)
        ]
        if not gone:
            return {}

        async def look() -> JsonValue:
            links = self._dependencies.links()
            states = await links.check_links(dict.fromkeys(gone[:_MAX_ARCHIVE_LOOKUPS]))
            return {
                url: {
                    "archived": state.archived or "",
                    "state": state.missing_state if state.is_missing else "",
                }
                for url, state in (await links.trace_dead_links(states)).items()
            }

        kept: Mapping[str, Mapping[str, str]] = await run.run_step("check:lost_pages", look)
        return kept

    async def _write_synthesis(
        self,
        run: WorkflowRun,
        work: ResearchAssignment,
        gathered: GatheredMaterial,
        findings: ResearchFindings,
    ) -> ResearchFindings:
        """The findings with a model's report if a model can write one, else with the extractive one."""
        if work.mode == "fast" and gathered.reports:
            return await self._check_report(
                run, work, gathered, findings, partial(_apply_single_report, gathered)
            )
        name = self._dependencies.choose_writer([one.provider for one in gathered.reports])
        if not findings.claims and gathered.reports:
            return model_synthesis.apply_unchecked_reports(findings, gathered.reports)
        if name is None or not findings.claims:
            return findings
        if gathered.is_private and not self._open_permit(work).covers_provider(name):
            note = private_material.WITHHELD_REPORT_NOTE.format(name=name)
            return findings.model_copy(update={"notes": (*findings.notes, note)})
        material = render_writing_material(findings)

        def writing(tag: str) -> WritingRequest:
            return WritingRequest(instructions=WRITING_INSTRUCTIONS, material=material, tag=tag)

        try:
            call = WritingCall.build_for_provider(
                name, self._dependencies.choice, writing, tier=require_tier(work.tier)
            )
            kept = await run.run_paid_call("synthesis", call, seconds=600)
        except CitewellError as error:
            note = f"The report consists of quotations: {error.message}"
            return findings.model_copy(update={"notes": (*findings.notes, note)})
        report = ProviderReport.model_validate(kept)
        return await self._check_report(
            run,
            work,
            gathered,
            findings,
            lambda given, judge: model_synthesis.apply_model_report(given, report, judge),
        )

    async def _check_report(
        self,
        run: WorkflowRun,
        work: ResearchAssignment,
        gathered: GatheredMaterial,
        findings: ResearchFindings,
        apply_report: Callable[[ResearchFindings, SentenceJudge], ResearchFindings],
    ) -> ResearchFindings:
        """The findings with a report checked by words, and by the chosen judge if it is another."""
        texts = _collect_source_texts(gathered, findings)
        judge = model_synthesis.build_sentence_judge(findings, texts)
        checked = await self._run_off_loop(apply_report, findings, judge)
        if self._dependencies.judging().is_lexical or not judge.compared:
            return checked
        pairs = {
            key: ClaimPair(claim=key[0], source=source, is_private=gathered.is_private)
            for key, source in judge.compared.items()
        }
        found = await self._judge_cited_pairs(
            run, self._open_permit(work), pairs, step="judge:synthesis"
        )
        judge = model_synthesis.build_sentence_judge(findings, texts, found.judged)
        checked = await self._run_off_loop(apply_report, findings, judge)
        return checked.model_copy(update={"notes": (*checked.notes, *found.notes)})

    async def _run_off_loop(self, work: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        """Run CPU work in an OS thread, one job at a time: more threads would slow all other answers."""
        async with self._compute_lock:
            return await asyncio.to_thread(work, *args, **more)

    async def _store_findings(self, run: WorkflowRun, findings: ResearchFindings) -> JsonValue:
        job: Job = run.job

        async def keep() -> JsonValue:
            await self._dependencies.store.store_findings(job.owner, job.id, findings)
            if job.thread is not None:
                await self._dependencies.threads.add_message(
                    job.owner, job.thread, f"{job.id}-answer", findings.synthesis, job=job.id
                )
            return {"claims": len(findings.claims), "sources": len(findings.sources)}

        return await run.run_step("keep", keep)


def _apply_single_report(
    gathered: GatheredMaterial, findings: ResearchFindings, judge: SentenceJudge
) -> ResearchFindings:
    """For fast mode: the provider's own report, with its citations checked and numbered."""
    refs = {addresses.build_page_key(source.url): source.ref for source in findings.sources}
    landed = refs | {
        addresses.build_page_key(url): refs[addresses.build_page_key(page.url)]
        for url, page in gathered.cited_readings
    }
    return model_synthesis.apply_provider_report(findings, gathered.reports[0], landed, judge)


def _collect_source_texts(
    gathered: GatheredMaterial, findings: ResearchFindings
) -> dict[str, SourceText]:
    pages = {addresses.build_page_key(page.url): page for page in gathered.own_readings.pages}
    pages |= {addresses.build_page_key(page.url): page for _, page in gathered.cited_readings}
    return {
        source.ref: SourceText(text=pages[key].text, language=pages[key].language)
        for source in findings.sources
        if (key := addresses.build_page_key(source.url)) in pages and pages[key].is_read
    }


def _build_nothing_found_error(notes: Sequence[str]) -> NotFound:
    why = " ".join(notes) or "No page could be found or read."
    return NotFound(f"Nothing was found to report on. {why}", action="broaden_query")
