"""A research job from its question to its report, in steps that each are recorded once done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from citewell.errors import CitewellError, NotFound
from citewell.model.job import JSON, Job
from citewell.model.research import (
    Findings,
    Passage,
    ProviderReport,
    ResearchAsk,
    Status,
    Writing,
)
from citewell.services.jobs.run import Run
from citewell.services.research import check, collect, gaps, synthesis, together
from citewell.services.research.asking import Assignment, assignment, tier_of
from citewell.services.research.calls import Asking, Composing
from citewell.services.research.choosing import LOCAL, Choice
from citewell.services.research.collect import Ports
from citewell.services.research.material import Lead, Leads, Plan, Reading, Readings
from citewell.services.research.passages import passages
from citewell.services.research.plan import plan as planned
from citewell.services.research.shown import report_key
from citewell.services.research.together import Gathered
from citewell.store.research import ResearchStore
from citewell.store.threads import ThreadStore
from citewell.text import urls
from citewell.text.support import Text

if TYPE_CHECKING:
    from citewell.services.links import Links

P = ParamSpec("P")
R = TypeVar("R")

_BATCH = 20  # cited pages read in one step
_COMPATIBLE = "compatible"
_SECONDS = {"XXS": 600, "XS": 600, "S": 900, "M": 1800, "L": 3600, "XL": 3600}
_ARCHIVED = 20  # pages that are gone for which a copy is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the workflow works with, none of which it keeps."""

    choice: Choice
    store: ResearchStore
    threads: ThreadStore
    ports: Callable[[str], Ports]  # by owner
    links: Callable[[], Links]
    writer: Callable[[Sequence[str]], str | None]  # of the job's providers, who writes the report
    today: Callable[[], datetime] = lambda: datetime.now(UTC)


class Workflow:
    """Called again from the start after a crash; every step done before gives back its result."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._thinking = asyncio.Lock()

    async def __call__(self, run: Run) -> JSON:
        work = assignment(run.job.args)
        plan = await self._plan(run, work)
        # A model that cannot search waits for what our own search finds.
        blind = [name for name in work.providers if name == _COMPATIBLE]
        others = [name for name in work.providers if name not in {LOCAL, _COMPATIBLE}]
        (own, unsearched), told = await asyncio.gather(
            self._own(run, plan, wanted=LOCAL in work.providers or bool(blind)),
            self._ask_all(run, work, others),
        )
        told += [await self._ask(run, work, name, given=passages(plan, own)) for name in blind]
        reports = tuple(one for one in told if isinstance(one, ProviderReport))
        notes = (*unsearched, *(one for one in told if isinstance(one, str)))
        if not reports and not any(page.read for page in own.pages):
            raise _nothing(notes)
        cited = await self._cited(run, reports, own)
        gathered = Gathered(
            plan=plan,
            own=own if LOCAL in work.providers else Readings(),
            cited=cited,
            reports=reports,
            notes=(*notes, *(note for one in reports for note in one.notes)),
        )
        findings = await self._findings(run, gathered)
        await run.enter(Status.SYNTHESIZING)
        findings = await self._report(run, work, gathered, findings)
        return await self._keep(run, findings)

    async def _plan(self, run: Run, work: Assignment) -> Plan:
        async def make() -> JSON:
            year = self._bench.today().year
            return planned(work.query, tier_of(work.tier), year=year).model_dump(mode="json")

        return Plan.model_validate(await run.step("plan", make))

    async def _own(self, run: Run, plan: Plan, *, wanted: bool) -> tuple[Readings, tuple[str, ...]]:
        """Rounds of searching and reading, until nothing is missing or the tier ends.

        With the pages come lines that say who could not be searched, and why.
        """
        readings = Readings()
        notes: dict[str, None] = {}
        queries: Sequence[str] = plan.queries if wanted else ()
        searched: list[str] = []
        for number in range(1, plan.rounds + 1):
            if not queries:
                break
            fresh, unsearched = await self._round(run, plan, number, queries, readings)
            searched += queries
            notes |= dict.fromkeys(unsearched)
            if not fresh.pages:
                break
            readings = readings.joined(fresh)
            queries = await self._thought(gaps.gaps, plan, readings, searched=tuple(searched))
        if wanted:
            await self._close(run, readings, searched)
        return readings, tuple(notes)

    async def _round(
        self, run: Run, plan: Plan, number: int, queries: Sequence[str], readings: Readings
    ) -> tuple[Readings, tuple[str, ...]]:
        ports = self._bench.ports(run.job.owner)
        known = [page.url for page in readings.pages]

        async def search() -> JSON:
            found = await collect.search_round(plan, ports, queries=queries, known=known)
            return found.model_dump(mode="json")

        leads = Leads.model_validate(await run.step(f"local:search:{number}", search))
        chosen = collect.choose(leads, most=plan.pages - len(known), read=known)

        async def read() -> JSON:
            return (await collect.fetch_round(chosen, ports)).model_dump(mode="json")

        fresh = Readings.model_validate(await run.step(f"local:read:{number}", read))
        count = sum(1 for page in fresh.pages if page.read)
        await run.emit("pages_read", provider=LOCAL, round=number, count=count)
        return fresh, leads.notes

    async def _close(self, run: Run, readings: Readings, searched: Sequence[str]) -> None:
        """The step that says the engine of our own is done; what it found is in the others."""

        async def close() -> JSON:
            read = sum(1 for page in readings.pages if page.read)
            text = (
                f"Searched for: {'; '.join(searched)}. Read {read} of {len(readings.pages)} pages."
            )
            return ProviderReport(provider=LOCAL, text=text).model_dump(mode="json")

        await run.step(report_key(LOCAL), close)

    async def _ask_all(
        self, run: Run, work: Assignment, names: Sequence[str]
    ) -> list[ProviderReport | str]:
        return list(await asyncio.gather(*(self._ask(run, work, name) for name in names)))

    async def _ask(
        self, run: Run, work: Assignment, name: str, *, given: tuple[Passage, ...] = ()
    ) -> ProviderReport | str:
        """A provider's report, or a line that says why there is none."""
        tier = tier_of(work.tier)

        def ask(tag: str) -> ResearchAsk:
            return ResearchAsk(
                query=work.query, tier=tier, tag=tag, context=work.context, passages=given
            )

        try:
            call = Asking(name, self._bench.choice.provider(name), ask)
            kept = await run.paid(report_key(name), call, seconds=_SECONDS[tier.name])
        except CitewellError as error:
            await run.emit("provider_failed", provider=name, kind=error.kind)
            return f"{name} gave no report: {error.message.removeprefix(f'{name}: ')}"
        report = ProviderReport.model_validate(kept)
        await run.emit("provider_done", provider=name, citations=len(report.citations))
        return report

    async def _cited(
        self, run: Run, reports: tuple[ProviderReport, ...], own: Readings
    ) -> tuple[tuple[str, Reading], ...]:
        """Every page that a report cites, read by us."""
        known = {urls.key(page.url): page for page in own.pages}
        everything = check.cited(reports)
        missing = [lead for lead in everything if urls.key(lead.url) not in known]
        read: dict[str, Reading] = {}
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            pages = await self._batch(run, part, start // _BATCH + 1)
            read |= {lead.url: page for lead, page in zip(part, pages, strict=True)}
        return tuple(
            (lead.url, read.get(lead.url) or known[urls.key(lead.url)]) for lead in everything
        )

    async def _batch(self, run: Run, leads: Sequence[Lead], number: int) -> tuple[Reading, ...]:
        ports = self._bench.ports(run.job.owner)

        async def read() -> JSON:
            return (await collect.fetch_round(leads, ports)).model_dump(mode="json")

        pages = Readings.model_validate(await run.step(f"check:read:{number}", read)).pages
        count = sum(1 for page in pages if page.read)
        await run.emit("pages_read", provider="check", round=number, count=count)
        return pages

    async def _findings(self, run: Run, gathered: Gathered) -> Findings:
        archived = await self._archived(run, gathered)

        async def compare() -> JSON:
            found = await self._thought(
                together.combined, gathered, salt=run.job.id, archived=archived
            )
            return found.model_dump(mode="json")

        findings = Findings.model_validate(await run.step("claims", compare))
        await run.emit("claims_made", count=len(findings.claims))
        return findings

    async def _archived(self, run: Run, gathered: Gathered) -> Mapping[str, str]:
        gone = [
            page.url for _, page in gathered.cited if page.state in {"unreachable", "never_existed"}
        ]
        if not gone:
            return {}

        async def look() -> JSON:
            states = await self._bench.links().check(dict.fromkeys(gone[:_ARCHIVED]))
            return {url: state.archived for url, state in states.items() if state.archived}

        kept: Mapping[str, str] = await run.step("check:archive", look)
        return kept

    async def _report(
        self, run: Run, work: Assignment, gathered: Gathered, findings: Findings
    ) -> Findings:
        """By a model where there is one to write it, else from quotations; always labelled."""
        if work.mode == "fast" and gathered.reports:
            return _single(gathered.reports[0], gathered, findings)
        name = self._bench.writer([one.provider for one in gathered.reports])
        if not findings.claims and gathered.reports:
            return synthesis.unchecked(findings, gathered.reports)
        if name is None or not findings.claims:
            return findings
        material = synthesis.material(findings)

        def writing(tag: str) -> Writing:
            return Writing(instructions=synthesis.INSTRUCTIONS, material=material, tag=tag)

        try:
            call = Composing.of(name, self._bench.choice, writing, tier=tier_of(work.tier))
            kept = await run.paid("synthesis", call, seconds=600)
        except CitewellError as error:
            note = f"The report is put together from quotations: {error.message}"
            return findings.model_copy(update={"notes": (*findings.notes, note)})
        report = ProviderReport.model_validate(kept)
        return await self._thought(synthesis.written, findings, report, _texts(gathered, findings))

    async def _thought(self, work: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        """Off the loop, for one job at a time: further threads would only slow everybody's answers."""
        async with self._thinking:
            return await asyncio.to_thread(work, *args, **more)

    async def _keep(self, run: Run, findings: Findings) -> JSON:
        job: Job = run.job

        async def keep() -> JSON:
            await self._bench.store.keep(job.owner, job.id, findings)
            if job.thread is not None:
                await self._bench.threads.say(
                    job.owner, job.thread, f"{job.id}-answer", findings.synthesis, job=job.id
                )
            return {"claims": len(findings.claims), "sources": len(findings.sources)}

        return await run.step("keep", keep)


def _single(report: ProviderReport, gathered: Gathered, findings: Findings) -> Findings:
    """In fast mode the one provider's own report stands, its citations checked and numbered."""
    refs = {urls.key(source.url): source.ref for source in findings.sources}
    landed = refs | {urls.key(url): refs[urls.key(page.url)] for url, page in gathered.cited}
    text = synthesis.resolved(report, findings, landed)
    by = f"{report.provider}: {report.model}" if report.model else report.provider
    return findings.model_copy(update={"synthesis": text, "synthesis_by": by})


def _texts(gathered: Gathered, findings: Findings) -> dict[str, Text]:
    pages = {urls.key(page.url): page for page in gathered.own.pages}
    pages |= {urls.key(page.url): page for _, page in gathered.cited}
    return {
        source.ref: Text(text=pages[key].text, language=pages[key].language)
        for source in findings.sources
        if (key := urls.key(source.url)) in pages and pages[key].read
    }


def _nothing(notes: Sequence[str]) -> NotFound:
    why = " ".join(notes) or "No page could be found or read."
    return NotFound(f"Nothing was found to report on. {why}", action="broaden_query")
