"""Answers a question with citations, and checks every citation against the page it names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from citewell.dialects.answer_reports import clean_answer_text
from citewell.dialects.model_billing import TICKS_PER_DOLLAR
from citewell.domain_ports import AnswerSearch
from citewell.errors import InternalError, NotFound
from citewell.model.domains.grounded_answer import AnswerQuery, GroundedAnswer
from citewell.model.research import ProviderReport
from citewell.model.routing_trace import RoutingTrace
from citewell.ports import DeepResearch, ReportWriter
from citewell.services.domains.answers import own_answers
from citewell.services.domains.answers.answer_request import AnswerRequest, check_answer_request
from citewell.services.domains.answers.citation_verdicts import (
    MAX_CHECKED_PAGES,
    AnswerCheck,
    CheckedAnswer,
)
from citewell.services.domains.answers.own_answers import GatheredPages
from citewell.services.domains.answers.page_readings import PageReadingService
from citewell.services.domains.routing.paid_choice import (
    LOCAL_NAME,
    PROVIDER_ERRORS,
    PaidChoice,
    run_free_call,
)
from citewell.services.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    list_judging_notes,
)
from citewell.services.research.analysis.model_passages import choose_passages
from citewell.services.research.claims.citation_check import list_cited_pages
from citewell.services.research.provider_calls import estimate_writing_cost
from citewell.services.research.single_calls import CallOrder, CallResult, SingleCalls
from citewell.services.research.step_values import PageLead, PageReadings
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_failures import name_provider_error
from citewell.text.web import addresses
from citewell.tooling import ProgressCallback

__all__ = ["AnswerRequest", "AnswerService"]

_WRITING_SECONDS = 70.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """On whose behalf a call runs, and where it reports to."""

    owner: str
    tenant: str
    trace: RoutingTrace
    progress: ProgressCallback | None = None
    begun: float = field(default_factory=time.monotonic)


class AnswerService:
    def __init__(
        self,
        catalogue: ProviderCatalogue,
        choice: PaidChoice,
        pages: PageReadingService,
        single_calls: Callable[[], SingleCalls],
        *,
        judging: ClaimJudging | None = None,
    ) -> None:
        """`single_calls` is asked for when something is paid for the first time.

        `judging` compares the answer with its pages; without it words alone decide.
        """
        self._catalogue = catalogue
        self._choice = choice
        self._pages = pages
        self._single_calls = single_calls
        self._judging = judging

    async def answer_question(self, ask: AnswerRequest, *, context: CallContext) -> GroundedAnswer:
        """The checked answer of the named or only provider; raises its error."""
        asked = check_answer_request(ask)
        name = self._choice.choose_provider(asked.provider)
        context.trace.record_attempt(name)
        if name == LOCAL_NAME:
            gathered = await self._gather_own_pages(asked.query, context)
            checked = await asyncio.to_thread(own_answers.quote_answer, gathered)
            context.trace.record_success(name)
            return _build_grounded_answer(checked, name, cost_ticks=0, notes=())
        try:
            report, checked = await self._ask_and_check(name, asked.query, context)
        except PROVIDER_ERRORS as error:
            raise name_provider_error(error, self._catalogue.find_spec(name)) from None
        context.trace.record_success(name)
        return _build_grounded_answer(
            checked, name, cost_ticks=report.cost_ticks, notes=report.notes
        )

    async def _ask_and_check(
        self, name: str, query: str, context: CallContext
    ) -> tuple[ProviderReport, CheckedAnswer]:
        if self._choice.has_offer(name):
            report = await self._ask_answer_search(name, query, context)
            leads = _list_leads(report)
            pages = await self._pages.read_pages(
                leads, tenant=context.tenant, progress=context.progress
            )
        else:
            report, gathered = await self._ask_writer(name, query, context)
            leads = _list_leads(report)
            pages = own_answers.find_readings(leads, gathered.pages)
        return report, await self._check_citations(
            AnswerCheck(report, leads, pages, query=query), context
        )

    async def _check_citations(self, check: AnswerCheck, context: CallContext) -> CheckedAnswer:
        """The checked answer; where the settings choose another judge than words, that is asked."""
        if self._judging is None or self._judging.is_lexical:
            return await asyncio.to_thread(check.build_checked_answer)
        pairs = await asyncio.to_thread(check.list_judged_pairs)
        opinions = await self._judging.judge_claims(
            tuple(pairs.values()),
            JudgeContext(owner=context.owner, progress=context.progress, begun=context.begun),
        )
        check.add_opinions(dict(zip(pairs, opinions, strict=True)))
        checked = await asyncio.to_thread(check.build_checked_answer)
        return replace(checked, notes=(*checked.notes, *list_judging_notes(opinions)))

    async def _ask_answer_search(
        self, name: str, query: str, context: CallContext
    ) -> ProviderReport:
        provider = self._catalogue.connect_provider(name)
        if not isinstance(provider, AnswerSearch):
            raise InternalError(f"{name} declares answers but cannot give one.")
        ask = AnswerQuery(text=query, count=MAX_CHECKED_PAGES)

        async def send_question(tag: str) -> ProviderReport:
            question = AnswerQuery(text=query, count=MAX_CHECKED_PAGES, tag=tag)
            return await provider.answer_question(question)

        await _tell_progress(context, f"asking {self._catalogue.find_spec(name).title}")
        return await self._pay_report(
            CallTerms(
                provider=name,
                query=query,
                estimate=provider.estimate_answer_cost(ask),
                seconds=ask.timeout_seconds + 5,
            ),
            send_question,
            context,
        )

    async def _ask_writer(
        self, name: str, query: str, context: CallContext
    ) -> tuple[ProviderReport, GatheredPages]:
        """A model's answer from the passages of our own search; nothing is sent if there is none."""
        writer = self._catalogue.connect_provider(name)
        if not isinstance(writer, ReportWriter) or not isinstance(writer, DeepResearch):
            raise InternalError(f"{name} declares writing but cannot write.")
        gathered = await self._gather_own_pages(query, context)
        passages = await asyncio.to_thread(
            choose_passages, gathered.plan, PageReadings(pages=gathered.pages)
        )
        if not passages:
            raise NotFound(
                "No page was found that the model could answer from, so it was not asked.",
                action="broaden_query",
            )

        async def send_passages(tag: str) -> ProviderReport:
            return await writer.write_report(
                own_answers.build_writing_request(query, passages, tag=tag)
            )

        await _tell_progress(context, f"asking {self._catalogue.find_spec(name).title}")
        report = await self._pay_report(
            CallTerms(
                provider=name,
                query=query,
                estimate=estimate_writing_cost(writer, own_answers.ANSWER_TIER),
                seconds=_WRITING_SECONDS,
            ),
            send_passages,
            context,
        )
        return own_answers.cite_passages(report, passages), gathered

    async def _pay_report(
        self,
        terms: CallTerms,
        send: Callable[[str], Awaitable[ProviderReport]],
        context: CallContext,
    ) -> ProviderReport:
        """The report; a call that costs something goes through the ledger, a free one does not."""
        if terms.estimate <= 0:
            return await run_free_call(send(""), seconds=terms.seconds, provider=terms.provider)

        async def pay_for_report(tag: str) -> CallResult:
            report = await send(tag)
            return CallResult(value=report.model_dump(mode="json"), cost_ticks=report.cost_ticks)

        order = CallOrder(
            tool="answer",
            query=terms.query,
            provider=terms.provider,
            estimate_ticks=terms.estimate,
            seconds=terms.seconds,
            send=pay_for_report,
        )
        paid = await self._single_calls().pay_call(context.owner, order)
        return ProviderReport.model_validate(paid.value)

    async def _gather_own_pages(self, query: str, context: CallContext) -> GatheredPages:
        plan = await asyncio.to_thread(own_answers.plan_answer, query)
        await _tell_progress(context, "searching")
        leads = await self._pages.find_leads(plan.queries, count=plan.pages, tenant=context.tenant)
        pages = await self._pages.read_pages(
            leads, tenant=context.tenant, progress=context.progress
        )
        return GatheredPages(plan=plan, leads=leads, pages=pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTerms:
    """What a call is for, and what it may cost in ticks and take in seconds."""

    provider: str
    query: str
    estimate: int
    seconds: float


async def _tell_progress(context: CallContext, message: str) -> None:
    if context.progress is not None:
        await context.progress(0, None, message)


def _list_leads(report: ProviderReport) -> tuple[PageLead, ...]:
    """The pages that a report cites, each once, with the dates that the provider knows."""
    days = {addresses.build_page_key(one.url): one.published for one in report.consulted}
    return tuple(
        lead.model_copy(update={"published": days.get(addresses.build_page_key(lead.url)) or None})
        for lead in list_cited_pages([report])[:MAX_CHECKED_PAGES]
    )


def _build_grounded_answer(
    checked: CheckedAnswer, provider: str, *, cost_ticks: int, notes: Sequence[str]
) -> GroundedAnswer:
    told = (*notes, *checked.notes)
    if not checked.text:
        told = (f"{provider} wrote no answer.", *notes)
    return GroundedAnswer(
        answer=clean_answer_text(checked.text),
        citations=checked.citations,
        provider=provider,
        cost_usd=round(cost_ticks / TICKS_PER_DOLLAR, 6) if cost_ticks else None,
        notes=tuple(told) or None,
    )
