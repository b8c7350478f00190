"""A research job from its question to its report, in steps whose results are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from citewell.core.errors import CitewellError, NotFound
from citewell.core.values.citation_checks import PAGE_DEAD
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import (
    GroundingPassage,
    ProviderReport,
    ResearchFindings,
    ResearchRequest,
    ResearchStatus,
    WritingRequest,
)
from citewell.core.values.routing_trace import RoutingTrace, hold_trace
from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import ClaimJudging, build_lexical_judging
from citewell.evidence.signs.claim_support import SourceText
from citewell.jobs.durable_job import JsonValue, LostCall
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.step_values import (
    GROUNDED_PROVIDER,
    LOCAL_PROVIDER,
    PageLead,
    PageLeads,
    PageReading,
    PageReadings,
    ResearchPlan,
    parse_assignment,
    require_tier,
)
from citewell.jobs.store.thread_store import SqlThreadStore
from citewell.research import combined_findings
from citewell.research.claims import citation_check
from citewell.research.claims.citation_check import CitationJudgements, judge_citations
from citewell.research.claims.sentence_verdicts import SentenceJudge
from citewell.research.combined_findings import GatheredMaterial
from citewell.research.job_views import build_report_key
from citewell.research.judge_calls import WorkflowJudgeCaller
from citewell.research.pages import question_coverage, research_rounds
from citewell.research.pages.answer_passages import choose_passages
from citewell.research.pages.page_analysis import MeaningScores, analyse_pages, score_meaning
from citewell.research.pages.research_rounds import ResearchPorts
from citewell.research.planning import private_material
from citewell.research.planning.private_material import LibraryPermit
from citewell.research.planning.provider_choice import ProviderChoice
from citewell.research.planning.research_plan import build_research_plan as planned
from citewell.research.planning.thread_context import (
    LIBRARY_SCOPE,
    ThreadQuotes,
    describe_completion,
)
from citewell.research.reporting import model_synthesis
from citewell.research.reporting.evidence_pack import WRITING_INSTRUCTIONS, render_writing_material
from citewell.research.reporting.quotations import collect_thread_quotes, locate_quotes
from citewell.research.research_store import SqlResearchStore
from citewell.research.single_calls import ResearchCall, WritingCall
from citewell.text import addresses

if TYPE_CHECKING:
    from citewell.evidence.encoding.passage_similarity import PassageSimilarity
    from citewell.links.link_checks import LinkChecker

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
    store: SqlResearchStore
    threads: SqlThreadStore
    ports: Callable[[str, str], ResearchPorts]  # by owner and scope
    links: Callable[[], LinkChecker]
    similarity: Callable[[], PassageSimilarity]
    choose_writer: Callable[
        [Sequence[str]], str | None
    ]  # which of these providers writes the report
    judging: Callable[[], ClaimJudging] = build_lexical_judging
    current_time: Callable[[], datetime] = lambda: datetime.now(UTC)


class ResearchWorkflow:
    """The research workflow; after a crash it runs again and stored steps return their results."""

    def __init__(self, dependencies: WorkflowDependencies) -> None:
        self._dependencies = dependencies
        self._compute_lock = asyncio.Lock()

    async def __call__(self, run: WorkflowRun) -> JsonValue:
        return await _ResearchRun(self._dependencies, run, self._compute_lock).write_findings()


class _ResearchRun:
    """One run of the workflow for one job."""

    def __init__(
        self, dependencies: WorkflowDependencies, run: WorkflowRun, compute_lock: asyncio.Lock
    ) -> None:
        self._dependencies = dependencies
        self._run = run
        self._compute_lock = compute_lock
        self._work = parse_assignment(run.job.args)
        # Which providers of the job may be given text of the library.
        self._permit = LibraryPermit(self._work, dependencies.choice.is_on_this_machine)

    async def write_findings(self) -> JsonValue:
        """Everything from the plan to the stored report."""
        work = self._work
        plan = await self._run.run_model_step("plan", ResearchPlan, self._make_plan)
        # A model that cannot search must wait for the pages that our own search finds.
        blind = [name for name in work.providers if name == GROUNDED_PROVIDER]
        others = [
            name for name in work.providers if name not in {LOCAL_PROVIDER, GROUNDED_PROVIDER}
        ]
        (own, unsearched), answers = await asyncio.gather(
            self._run_own_rounds(plan, wanted=LOCAL_PROVIDER in work.providers or bool(blind)),
            asyncio.gather(*(self._ask_research_provider(name) for name in others)),
        )
        answers += [
            await self._ask_research_provider(
                name,
                given=await self._run_off_loop(
                    choose_passages, plan, self._permit.keep_given_pages(name, own)
                ),
            )
            for name in blind
        ]
        reports = tuple(answer for answer in answers if isinstance(answer, ProviderReport))
        notes = (*unsearched, *(answer for answer in answers if isinstance(answer, str)))
        if not reports and not any(page.is_read for page in own.pages):
            why = " ".join(notes) or "No page could be found or read."
            raise NotFound(f"Nothing was found to report on. {why}", action="broaden_query")
        notes += self._permit.describe_withheld_pages(blind, own)
        cited = await self._read_cited_pages(reports, own)
        judged = await self._judge_citations(reports, own, cited)
        notes += judged.notes
        ranked = own if LOCAL_PROVIDER in work.providers else PageReadings()
        meaning = await self._score_meaning(plan, ranked)
        notes += (meaning.note,) if meaning.note else ()
        quotes = await self._collect_thread_quotes()
        notes += (describe_completion(work.researched, work.added),) if work.researched else ()
        gathered = GatheredMaterial(
            plan=plan,
            quoted=locate_quotes(quotes, ranked.pages),
            own_readings=ranked,
            meaning=meaning,
            cited_readings=cited,
            reports=reports,
            notes=(*notes, *(note for report in reports for note in report.notes)),
            is_private=self._permit.is_material_private(own),
            judged=judged.judged,
        )
        findings = await self._build_findings(gathered)
        await self._run.enter_status(ResearchStatus.SYNTHESIZING)
        findings = await self._write_synthesis(gathered, findings)
        if gathered.is_private and work.scope != LIBRARY_SCOPE:
            findings = private_material.drop_private_topics(findings)
        return await self._run.run_step("keep", lambda: self._store_findings(findings))

    async def _make_plan(self) -> ResearchPlan:
        work, year = self._work, self._dependencies.current_time().year
        plan = planned(work.researched or work.query, require_tier(work.tier), year=year)
        if work.researched:
            plan = plan.model_copy(update={"asked": work.query, "added": work.added})
        return plan

    async def _collect_thread_quotes(self) -> ThreadQuotes:
        """What earlier jobs of the thread quoted; stored, because the thread may grow meanwhile."""
        job, store = self._run.job, self._dependencies.store
        thread = job.thread
        if self._work.parent is None or thread is None:
            return ThreadQuotes()

        async def collect() -> ThreadQuotes:
            messages = await self._dependencies.threads.list_messages(job.owner, thread)
            names = dict.fromkeys(
                message.job for message in reversed(messages) if message.job != job.id
            )
            recent = [name for name in names if name is not None][:_MAX_QUOTING_JOBS]
            held = [(name, await store.load_findings(job.owner, name)) for name in recent]
            return collect_thread_quotes(
                [(name, findings) for name, findings in held if findings is not None]
            )

        return await self._run.run_model_step("thread", ThreadQuotes, collect)

    async def _run_own_rounds(
        self, plan: ResearchPlan, *, wanted: bool
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
            fresh, leads = await self._run_own_round(plan, number, queries, readings)
            searched += queries
            notes |= dict.fromkeys(leads.notes)
            receivers |= dict.fromkeys(leads.seen_by)
            if not fresh.pages:
                break
            readings = private_material.drop_saved_copies(
                PageReadings(pages=(*readings.pages, *fresh.pages))
            )
            if number == plan.rounds:
                break
            queries = await self._run_off_loop(
                question_coverage.find_gap_queries,
                plan,
                private_material.choose_query_pages(self._work, readings),
                searched=tuple(searched),
            )
        if wanted:
            await self._record_own_report(readings, searched, receivers)
        return readings, tuple(notes)

    async def _run_own_round(
        self, plan: ResearchPlan, number: int, queries: Sequence[str], readings: PageReadings
    ) -> tuple[PageReadings, PageLeads]:
        ports = self._open_ports()
        known = [page.url for page in readings.pages]

        async def search() -> PageLeads:
            with hold_trace(RoutingTrace()) as trace:
                found = await research_rounds.search_round(
                    plan, ports, queries=queries, known=known
                )
            return found.model_copy(update={"seen_by": tuple(trace.receivers)})

        leads = await self._run.run_model_step(f"local:search:{number}", PageLeads, search)
        chosen = research_rounds.choose_leads(
            leads, max_pages=plan.count_pages_left(number, len(known)), already_read=known
        )
        return await self._read_pages("local:read", LOCAL_PROVIDER, number, chosen), leads

    async def _read_pages(
        self, step: str, provider: str, number: int, leads: Sequence[PageLead]
    ) -> PageReadings:
        ports = self._open_ports()
        read = await self._run.run_model_step(
            f"{step}:{number}", PageReadings, lambda: research_rounds.fetch_round(leads, ports)
        )
        count = sum(1 for page in read.pages if page.is_read)
        await self._run.emit_event("pages_read", provider=provider, round=number, count=count)
        return read

    def _open_ports(self) -> ResearchPorts:
        return self._dependencies.ports(self._run.job.owner, self._work.scope)

    async def _record_own_report(
        self, readings: PageReadings, searched: Sequence[str], receivers: Iterable[str]
    ) -> None:
        """Store a step that marks the local engine as done; its pages are in other steps."""

        async def close() -> ProviderReport:
            read = sum(1 for page in readings.pages if page.is_read)
            text = (
                f"Searched for: {'; '.join(searched)}. Read {read} of {len(readings.pages)} {pluralize(len(readings.pages), 'page')}."
                f" Providers that were sent the queries: {', '.join(receivers) or 'none'}."
            )
            return ProviderReport(provider=LOCAL_PROVIDER, text=text)

        await self._run.run_model_step(build_report_key(LOCAL_PROVIDER), ProviderReport, close)

    async def _ask_research_provider(
        self, name: str, *, given: tuple[GroundingPassage, ...] = ()
    ) -> ProviderReport | str:
        """A provider's report, or a note that says why there is none."""
        work, tier = self._work, require_tier(self._work.tier)
        context = self._permit.choose_sent_context(name)

        def build_request(tag: str) -> ResearchRequest:
            # With the parent's report as context, a question that points back is clear as it is.
            query = work.query if context else work.researched or work.query
            return ResearchRequest(query=query, tier=tier, tag=tag, context=context, passages=given)

        try:
            call = ResearchCall(
                name, self._dependencies.choice.require_research_provider(name), build_request
            )
            kept = await self._run.run_paid_call(
                build_report_key(name), call, seconds=_TIER_TIMEOUT_SECONDS[tier.name]
            )
        except CitewellError as error:
            await self._run.emit_event("provider_failed", provider=name, kind=error.kind)
            cause = error.cause if isinstance(error, LostCall) else ""
            return f"{name} gave no report: {cause or error.message}"
        report = ProviderReport.model_validate(kept)
        await self._run.emit_event("provider_done", provider=name, citations=len(report.citations))
        return report

    async def _read_cited_pages(
        self, reports: tuple[ProviderReport, ...], own: PageReadings
    ) -> tuple[tuple[str, PageReading], ...]:
        """Each address that a report cites, with the page as we read it."""
        known = {addresses.build_page_key(page.url): page for page in own.pages}
        everything = citation_check.list_cited_pages(reports)
        missing = [lead for lead in everything if addresses.build_page_key(lead.url) not in known]
        uninformed = self._permit.keep_uninformed_reports(reports, own)
        read = private_material.refuse_model_addresses(
            missing, citation_check.list_cited_pages(uninformed)
        )
        missing = [lead for lead in missing if lead.url not in read]
        for start in range(0, len(missing), _PAGES_PER_STEP):
            part = missing[start : start + _PAGES_PER_STEP]
            number = start // _PAGES_PER_STEP + 1
            pages = (await self._read_pages("check:read", "check", number, part)).pages
            read |= {lead.url: page for lead, page in zip(part, pages, strict=True)}
        return tuple(
            (lead.url, read.get(lead.url) or known[addresses.build_page_key(lead.url)])
            for lead in everything
        )

    async def _judge_citations(
        self,
        reports: tuple[ProviderReport, ...],
        own: PageReadings,
        cited: tuple[tuple[str, PageReading], ...],
    ) -> CitationJudgements:
        """What another judge than words says of the providers' citations, if one is chosen."""
        if self._dependencies.judging().is_lexical or not reports:
            return CitationJudgements()
        public = self._permit.keep_uninformed_reports(reports, own)
        pages = {addresses.build_page_key(url): page for url, page in cited}
        pairs = citation_check.list_cited_pairs(
            reports,
            pages,
            lambda report, page: report not in public or private_material.is_private_page(page),
        )
        return await self._judge_cited_pairs(pairs, step="judge") if pairs else CitationJudgements()

    async def _judge_cited_pairs(
        self, pairs: Mapping[tuple[str, str], ClaimPair], *, step: str
    ) -> CitationJudgements:
        return await judge_citations(
            self._run,
            self._dependencies.judging(),
            pairs,
            lambda name: WorkflowJudgeCaller(
                name,
                self._dependencies.choice,
                self._run,
                may_read=self._permit.covers_provider(name),
                step=step,
            ),
            step=step,
        )

    async def _score_meaning(self, plan: ResearchPlan, own: PageReadings) -> MeaningScores:
        """What an encoder says of the best passages; stored, because another one may be used later."""
        if not own.pages:
            return MeaningScores()
        return await self._run.run_model_step(
            "local:meaning",
            MeaningScores,
            lambda: score_meaning(
                lambda: self._run_off_loop(analyse_pages, plan, own),
                self._dependencies.similarity(),
            ),
        )

    async def _build_findings(self, gathered: GatheredMaterial) -> ResearchFindings:
        links = await self._check_lost_pages(gathered)
        gathered = combined_findings.refine_missing_pages(
            gathered, {url: link["state"] for url, link in links.items() if link.get("state")}
        )
        archived = {url: link["archived"] for url, link in links.items() if link.get("archived")}
        findings = await self._run.run_model_step(
            "claims",
            ResearchFindings,
            lambda: self._run_off_loop(
                combined_findings.combine_findings,
                gathered,
                salt=self._run.job.id,
                archived=archived,
            ),
        )
        await self._run.emit_event("claims_made", count=len(findings.claims))
        return findings

    async def _check_lost_pages(
        self, gathered: GatheredMaterial
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

        kept: Mapping[str, Mapping[str, str]] = await self._run.run_step("check:lost_pages", look)
        return kept

    async def _write_synthesis(
        self, gathered: GatheredMaterial, findings: ResearchFindings
    ) -> ResearchFindings:
        """The findings with a model's report if a model can write one, else with the extractive one."""
        if self._work.mode == "fast" and gathered.reports:
            apply_report = partial(_apply_single_report, gathered)
            return await self._check_report(gathered, findings, apply_report)
        name = self._dependencies.choose_writer([report.provider for report in gathered.reports])
        if not findings.claims and gathered.reports:
            return model_synthesis.apply_unchecked_reports(findings, gathered.reports)
        if name is None or not findings.claims:
            return findings
        if gathered.is_private and not self._permit.covers_provider(name):
            return _add_notes(findings, private_material.WITHHELD_REPORT_NOTE.format(name=name))
        material = render_writing_material(findings)

        def writing(tag: str) -> WritingRequest:
            return WritingRequest(instructions=WRITING_INSTRUCTIONS, material=material, tag=tag)

        try:
            call = WritingCall.build_for_provider(
                name, self._dependencies.choice, writing, tier=require_tier(self._work.tier)
            )
            kept = await self._run.run_paid_call("synthesis", call, seconds=600)
        except CitewellError as error:
            return _add_notes(findings, f"The report consists of quotations: {error.message}")
        report = ProviderReport.model_validate(kept)
        return await self._check_report(
            gathered,
            findings,
            lambda given, judge: model_synthesis.apply_model_report(given, report, judge),
        )

    async def _check_report(
        self,
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
        found = await self._judge_cited_pairs(pairs, step="judge:synthesis")
        judge = model_synthesis.build_sentence_judge(findings, texts, found.judged)
        return _add_notes(await self._run_off_loop(apply_report, findings, judge), *found.notes)

    async def _run_off_loop(self, work: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        """Run CPU work in an OS thread, one job at a time: more threads would slow all other answers."""
        async with self._compute_lock:
            return await asyncio.to_thread(work, *args, **more)

    async def _store_findings(self, findings: ResearchFindings) -> JsonValue:
        job = self._run.job
        await self._dependencies.store.store_findings(job.owner, job.id, findings)
        if job.thread is not None:
            await self._dependencies.threads.add_message(
                job.owner, job.thread, f"{job.id}-answer", findings.synthesis, job=job.id
            )
        return {"claims": len(findings.claims), "sources": len(findings.sources)}


def _add_notes(findings: ResearchFindings, *notes: str) -> ResearchFindings:
    return findings.model_copy(update={"notes": (*findings.notes, *notes)})


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
