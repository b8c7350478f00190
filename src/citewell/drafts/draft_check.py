"""Checks a draft, from its text to the report: every reference is looked up once, every source read once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import Owner, ProgressCallback
from citewell.drafts.draft import Draft
from citewell.drafts.draft_files import DraftFileReader
from citewell.drafts.draft_findings import DraftReport, merge_repeated_findings
from citewell.drafts.draft_report import build_draft_report
from citewell.drafts.other_sources import OtherSourceFinder
from citewell.drafts.reference_verdicts import (
    CheckFocus,
    CitedSource,
    build_check_plan,
)
from citewell.drafts.source_reading import SourceReader
from citewell.drafts.support_verdicts import CheckRun, JudgedStatements, list_unsupported_statements
from citewell.evidence.judging.claim_judge import ClaimPair, Opinion
from citewell.evidence.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    build_lexical_judging,
)
from citewell.evidence.judging.source_opinions import (
    ReadSource,
    SourceOpinion,
    build_unread_opinion,
)
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText
from citewell.links.link_checks import LinkState
from citewell.trust import reference_lookup
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.reference_lookup import NO_FINDING, ReferenceLookup
from citewell.trust.work_lookup import WorkFinding

if TYPE_CHECKING:
    from citewell.links.link_checks import LinkChecker

_REFUSED_REASON = "refused"  # the address is private, or a policy forbids it

DEFAULT_MAX_STATEMENTS = 500
MAX_STATEMENTS = 5000
_LOOKUPS_AT_ONCE = 200  # many at once let registries be asked in batches; each has its own pace
_READS_AT_ONCE = 6
_ANSWER_RESERVE_SECONDS = 15.0  # of the tool's time: judging what was read, and the report
_PROGRESS_SECONDS = 2.0  # between two reports
_FINISHED_MESSAGE = "The draft is checked"
_MAX_SEARCHED_STATEMENTS = 20  # for which another source is looked for
_OTHER_SOURCE_SECONDS = 20.0  # for one of them
_MAX_JUDGED_STATEMENTS = 200  # of one draft, by a judge that takes time or money


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """What is asked of a check; the arguments of check_draft, with the text of its artifact."""

    text: str
    format: str = "auto"
    bibliography: str = ""
    focus: str = "all"
    max_statements: int = DEFAULT_MAX_STATEMENTS
    style: str | None = None
    find_sources: bool = False


class DraftRequests:
    def __init__(self, reader: DraftFileReader, check: DraftCheck) -> None:
        self._reader = reader
        self._check = check

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(DraftFileReader), kit.require_service(DraftCheck))

    @property
    def call_seconds(self) -> float:
        """How long a check may take within one call of a tool."""
        return self._check.call_seconds

    async def check_request(
        self,
        request: DraftRequest,
        *,
        owner: str,
        progress: ProgressCallback | None = None,
        seconds: float | None = None,
    ) -> DraftReport:
        """The report, with findings that differ only in their place once.

        After `seconds` the rest is unchecked. Raises InvalidInput for a bad draft.
        """
        draft = await self._reader.read_draft_text(
            request.text, format=request.format, bibliography=request.bibliography
        )
        report = await self._check.check_draft(
            draft,
            owner=owner,
            focus=request.focus,
            max_statements=request.max_statements,
            progress=progress,
            style=request.style,
            seconds=seconds,
            find_sources=request.find_sources,
        )
        return merge_repeated_findings(report)


# Checks a draft: every reference is looked up once, every source read once, every statement judged.


class DraftCheck:
    def __init__(
        self,
        *,
        examiner: ReferenceExaminer,
        reader: SourceReader,
        judging: ClaimJudging | None = None,
        judged: JudgedStatements | None = None,
        others: OtherSourceFinder | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        call_seconds: float = math.inf,
        progress_seconds: float = _PROGRESS_SECONDS,
    ) -> None:
        """`call_seconds` is how long a check may take within one call of a tool.

        `judged` keeps what the words of sources say; a judge that is a model is asked each time.
        """
        self.call_seconds = call_seconds
        self._examiner = examiner
        self._reader = reader
        self._others = others
        self._judged = judged
        self._judging = judging or build_lexical_judging()
        self._lexical = build_lexical_judging()
        self._now = now
        self._progress_seconds = progress_seconds

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.links.link_checks import LinkChecker
        from citewell.trust.reference_lookup import ReferenceLookup
        from citewell.trust.work_lookup import WorkLookup

        references = ReferenceLookup(kit.require_service(WorkLookup), kit.require_legal_checker())
        return cls(
            examiner=ReferenceExaminer(references, kit.require_service(LinkChecker)),
            reader=kit.require_service(SourceReader),
            judging=kit.require_service(ClaimJudging),
            judged=JudgedStatements(kit.store.cache),
            others=kit.require_service(OtherSourceFinder),
            call_seconds=max(
                1.0, kit.settings[CoreSettings].long_tool_timeout - _ANSWER_RESERVE_SECONDS
            ),
        )

    async def check_draft(
        self,
        draft: Draft,
        *,
        owner: str,
        focus: str = "all",
        max_statements: int = DEFAULT_MAX_STATEMENTS,
        progress: ProgressCallback | None = None,
        style: str | None = None,
        seconds: float | None = None,
        find_sources: bool = False,
    ) -> DraftReport:
        """The report; after `seconds` the rest is reported as unchecked, and what is known is kept.

        With `find_sources` search providers are told the words of statements that their sources do
        not carry; otherwise other sources are looked for on this machine alone.
        Raises InvalidInput for an unknown focus. A registry or a site that fails never raises.
        """
        asked = _parse_focus(focus)
        plan = await asyncio.to_thread(build_check_plan, draft, max_statements=max_statements)
        run = CheckRun(
            plan=plan,
            focus=asked,
            # Only within one call of a tool does the time of a call end the judging.
            context=JudgeContext(owner=owner)
            if seconds is not None and seconds <= self.call_seconds
            else JudgeContext(owner=owner, begun=math.inf),
            tenant=Owner.parse_text(owner).tenant if owner else None,
            judged_left=_MAX_JUDGED_STATEMENTS,
        )
        until = asyncio.get_running_loop().time() + (math.inf if seconds is None else seconds)
        ticker = asyncio.create_task(self._report_check_progress(run, progress))
        try:
            await self._check_sources(run, seconds)
            await self._find_other_sources(run, until, may_search=find_sources)
            report = await asyncio.to_thread(
                build_draft_report, draft, run, style=style, checked_at=self._now()
            )
            if progress is not None:
                await progress(run.progress_total, run.progress_total, _FINISHED_MESSAGE)
        finally:
            ticker.cancel()
            await asyncio.gather(ticker, return_exceptions=True)
        return report

    async def _check_sources(self, run: CheckRun, seconds: float | None) -> None:
        texts: dict[int, dict[str, None]] = {}  # for each source the statements to compare with it
        for statement in run.plan.statements if run.focus.asks_support else ():
            cited = (*statement.citation_ids, *statement.shared_citation_ids)
            for place in run.plan.list_cited_sources(cited):
                texts.setdefault(place, {})[statement.text] = None
        looking, reading = asyncio.Semaphore(_LOOKUPS_AT_ONCE), asyncio.Semaphore(_READS_AT_ONCE)

        async def check(place: int) -> None:
            async with looking:
                await self._look_up(run, place)
            if place in run.entries and place in texts:
                async with reading:
                    await self._read_and_judge(run, place, tuple(texts[place]))
            run.finished_count += 1

        tasks = [asyncio.create_task(check(place)) for place in range(len(run.plan.sources))]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            if not task.cancelled():
                task.result()

    async def _look_up(self, run: CheckRun, place: int) -> None:
        try:
            run.entries[place] = await self._examiner.examine_reference(
                run.plan.sources[place], focus=run.focus, tenant=run.tenant
            )
        except CitewellError as error:
            run.failures[place] = error.message

    async def _read_and_judge(self, run: CheckRun, place: int, texts: Sequence[str]) -> None:
        read = await self._reader.read_source(run.entries[place], tenant=run.tenant)
        if read.is_read:
            judged = await self._judge_texts(run, read, texts)
            run.keep_text(place, read)
        else:
            judged = [build_unread_opinion(read)] * len(texts)
        run.reads[place] = replace(read, text="", was_read=read.is_read)
        run.opinions.update(
            {(text, place): opinion for text, opinion in zip(texts, judged, strict=True)}
        )

    async def _judge_texts(
        self, run: CheckRun, read: ReadSource, texts: Sequence[str]
    ) -> list[SourceOpinion]:
        async def judge() -> list[SourceOpinion]:
            source = SourceText(
                text=read.text, language=read.language, known_names=read.known_names
            )
            opinions = await self._ask_judge(run, source, texts)
            return await asyncio.to_thread(
                lambda: [
                    judge_statement(text, source, read, opinion)
                    for text, opinion in zip(texts, opinions, strict=True)
                ]
            )

        if self._judged is None or not self._judging.is_lexical:
            return await judge()
        return await self._judged.load_opinions(run.context.owner, read, texts, judge)

    async def _find_other_sources(self, run: CheckRun, until: float, *, may_search: bool) -> None:
        """Other sources for the statements that their own do not carry, as long as there is time."""
        finder = self._others
        if finder is None or not run.focus.asks_support:
            return
        clock = asyncio.get_running_loop().time
        for text, own in list_unsupported_statements(run)[:_MAX_SEARCHED_STATEMENTS]:
            left = min(until - clock(), _OTHER_SOURCE_SECONDS)
            if left <= 0:
                return
            others = {place: source for place, source in run.texts.items() if place not in own}
            try:
                async with asyncio.timeout(left):
                    found = await finder.find_other_source(
                        text,
                        others,
                        tenant=run.tenant,
                        on_search=run.count_search if may_search else None,
                    )
            except TimeoutError:
                continue
            if found is not None:
                run.others[text] = found

    async def _ask_judge(
        self, run: CheckRun, source: SourceText, texts: Sequence[str]
    ) -> list[Opinion]:
        """The opinions; the chosen judge is asked for the first statements of a draft alone."""
        pairs = [ClaimPair(claim=text, source=source) for text in texts]
        count = len(pairs) if self._judging.is_lexical else min(run.judged_left, len(pairs))
        run.judged_left -= 0 if self._judging.is_lexical else count
        chosen = await self._judging.judge_claims(pairs[:count], run.context) if count else ()
        rest = await self._lexical.judge_claims(pairs[count:]) if count < len(pairs) else ()
        run.judgements += (*chosen, *rest)
        return [*chosen, *rest]

    async def _report_check_progress(
        self, run: CheckRun, progress: ProgressCallback | None
    ) -> None:
        if progress is None:
            return
        beat = 0
        while True:
            # Each report must be larger than the last, also while nothing is done.
            beat += 1
            done = run.finished_count + min(beat * 0.001, 0.9)
            await progress(done, run.progress_total, run.describe_progress())
            await asyncio.sleep(self._progress_seconds)


def _parse_focus(focus: str) -> CheckFocus:
    try:
        return CheckFocus(focus)
    except ValueError:
        known = ", ".join(CheckFocus)
        raise InvalidInput(f"The focus {focus!r} is not known; give one of {known}.") from None


# Looks up one reference: its work or case, its link, and what must not be told to anybody.


class ReferenceExaminer:
    def __init__(self, references: ReferenceLookup, links: LinkChecker) -> None:
        self._references = references
        self._links = links

    async def examine_reference(
        self, source: CitedSource, *, focus: CheckFocus, tenant: str | None = None
    ) -> ExaminedEntry:
        """All that can be found out; a registry or a site that fails does not raise."""
        reference = source.reference
        address = reference_lookup.find_checked_address(reference)
        if focus is CheckFocus.LINKS:
            link = await self._check_reference_link(address, tenant)
            return ExaminedEntry(reference=reference, finding=NO_FINDING, link=link)
        case = self._references.check_cited_case(reference)
        if address and not reference.ids:
            # First the link: the title of a page that is private is not told to registries.
            link, checked = await asyncio.gather(self._check_reference_link(address, tenant), case)
            finding = NO_FINDING
            if link is None or link.reason != _REFUSED_REASON:
                finding = await self._find_examined_work(source, tenant)
        else:
            link, checked, finding = await asyncio.gather(
                self._check_reference_link(address, tenant),
                case,
                self._find_examined_work(source, tenant),
            )
        return ExaminedEntry(
            reference=reference,
            finding=finding,
            link=link,
            legal_form=reference_lookup.find_legal_form(reference),
            case=checked,
            identifier_fault=reference_lookup.find_identifier_fault(reference, finding),
        )

    async def _find_examined_work(self, source: CitedSource, tenant: str | None) -> WorkFinding:
        return await self._references.find_cited_work(
            source.reference, structured=source.is_structured, tenant=tenant
        )

    async def _check_reference_link(self, address: str, tenant: str | None) -> LinkState | None:
        if not address:
            return None
        return (await self._links.check_links([address], tenant=tenant))[address]
