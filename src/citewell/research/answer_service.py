"""Answers a question with citations, and checks every citation against the page it names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Self

from pydantic import Field

from citewell.core.errors import InternalError, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback, ToolCall
from citewell.core.values.argument_types import OptionalName, QueryText, check_declared_bounds
from citewell.core.values.research import ProviderReport
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import AnswerQuery, GroundedAnswer
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext, list_judging_notes
from citewell.jobs.step_values import PageLead, PageReadings
from citewell.research import checked_answers
from citewell.research.checked_answers import (
    MAX_CHECKED_PAGES,
    AnswerCheck,
    CheckedAnswer,
    GatheredPages,
)
from citewell.research.claims.citation_check import list_cited_pages
from citewell.research.pages.answer_passages import choose_passages
from citewell.research.pages.page_finders import PageReadingService
from citewell.research.planning.provider_choice import LOCAL_NAME, PROVIDER_ERRORS, PaidChoice
from citewell.research.planning.research_plan import build_research_plan
from citewell.research.settings import ResearchSettings
from citewell.research.single_calls import (
    CallOrder,
    CallResult,
    SingleCalls,
    estimate_writing_cost,
    perform_call,
)
from citewell.routing.answer_reports import clean_answer_text
from citewell.routing.model_billing import TICKS_PER_DOLLAR
from citewell.routing.ports import AnswerSearch, DeepResearch, Offer, ReportWriter
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_failures import name_provider_error
from citewell.search.search_request import clean_query_text, normalize_provider_name
from citewell.text import addresses, research_prompts

_WRITING_SECONDS = 70.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """On whose behalf a call runs, and where it reports to."""

    owner: str
    tenant: str
    trace: RoutingTrace
    progress: ProgressCallback | None = None
    begun: float = field(default_factory=time.monotonic)

    @classmethod
    def from_call(cls, call: ToolCall) -> Self:
        return cls(
            owner=str(call.owner),
            tenant=call.owner.tenant,
            trace=call.trace,
            progress=call.report_progress,
        )


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.catalogue,
            PaidChoice(
                kit.catalogue, Offer.ANSWERS, default=kit.settings[ResearchSettings].answer_provider
            ),
            kit.require_service(PageReadingService),
            lambda: kit.require_service(SingleCalls),
            judging=kit.require_service(ClaimJudging),
        )

    async def answer_question(
        self, request: AnswerRequest, *, context: CallContext
    ) -> GroundedAnswer:
        """The checked answer of the named or only provider; raises its error."""
        request = check_answer_request(request)
        name = self._choice.choose_provider(request.provider)
        context.trace.record_attempt(name)
        if name == LOCAL_NAME:
            gathered = await self._gather_own_pages(request.query, context)
            checked = await asyncio.to_thread(checked_answers.quote_answer, gathered)
            context.trace.record_success(name)
            return _build_grounded_answer(checked, name, cost_ticks=0, notes=())
        try:
            report, checked = await self._ask_and_check(name, request.query, context)
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
            pages = checked_answers.find_readings(leads, gathered.pages)
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
        check.opinions |= dict(zip(pairs, opinions, strict=True))
        checked = await asyncio.to_thread(check.build_checked_answer)
        return replace(checked, notes=(*checked.notes, *list_judging_notes(opinions)))

    async def _ask_answer_search(
        self, name: str, query: str, context: CallContext
    ) -> ProviderReport:
        provider = self._catalogue.connect_provider(name)
        if not isinstance(provider, AnswerSearch):
            raise InternalError(f"{name} declares answers but cannot give one.")
        usual = AnswerQuery(text=query, count=MAX_CHECKED_PAGES)

        async def send_question(tag: str) -> CallResult:
            question = AnswerQuery(text=query, count=MAX_CHECKED_PAGES, tag=tag)
            return _keep_report(await provider.answer_question(question))

        await _tell_progress(context, f"asking {self._catalogue.find_spec(name).title}")
        order = CallOrder(
            tool="answer",
            query=query,
            provider=name,
            estimate_ticks=provider.estimate_answer_cost(usual),
            seconds=usual.timeout_seconds + 5,
            send=send_question,
        )
        paid = await perform_call(self._single_calls, context.owner, order)
        return ProviderReport.model_validate(paid.value)

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

        async def send_passages(tag: str) -> CallResult:
            return _keep_report(
                await writer.write_report(
                    checked_answers.build_writing_request(query, passages, tag=tag)
                )
            )

        await _tell_progress(context, f"asking {self._catalogue.find_spec(name).title}")
        order = CallOrder(
            tool="answer",
            query=query,
            provider=name,
            estimate_ticks=estimate_writing_cost(writer, checked_answers.ANSWER_TIER),
            seconds=_WRITING_SECONDS,
            send=send_passages,
        )
        paid = await perform_call(self._single_calls, context.owner, order)
        report = ProviderReport.model_validate(paid.value)
        text = research_prompts.strip_thinking(report.text)
        # The passages that the text names by number.
        cited = research_prompts.find_numbered_citations(text, passages)
        return report.model_copy(update={"text": text, "citations": cited}), gathered

    async def _gather_own_pages(self, query: str, context: CallContext) -> GatheredPages:
        plan = await asyncio.to_thread(build_research_plan, query, checked_answers.ANSWER_TIER)
        await _tell_progress(context, "searching")
        leads = await self._pages.find_leads(plan.queries, count=plan.pages, tenant=context.tenant)
        pages = await self._pages.read_pages(
            leads, tenant=context.tenant, progress=context.progress
        )
        return GatheredPages(plan=plan, leads=leads, pages=pages)


def _keep_report(report: ProviderReport) -> CallResult:
    return CallResult(value=report.model_dump(mode="json"), cost_ticks=report.cost_ticks)


async def _tell_progress(context: CallContext, message: str) -> None:
    if context.progress is not None:
        await context.progress(0, None, message)


def _list_leads(report: ProviderReport) -> tuple[PageLead, ...]:
    """The pages that a report cites, each once, with the dates that the provider knows."""
    days = {addresses.build_page_key(item.url): item.published for item in report.consulted}
    return tuple(
        lead.model_copy(update={"published": days.get(addresses.build_page_key(lead.url)) or None})
        for lead in list_cited_pages([report])[:MAX_CHECKED_PAGES]
    )


def _build_grounded_answer(
    checked: CheckedAnswer, provider: str, *, cost_ticks: int, notes: Sequence[str]
) -> GroundedAnswer:
    all_notes = (*notes, *checked.notes)
    if not checked.text:
        all_notes = (f"{provider} wrote no answer.", *notes)
    return GroundedAnswer(
        answer=clean_answer_text(checked.text),
        citations=checked.citations,
        provider=provider,
        cost_usd=round(cost_ticks / TICKS_PER_DOLLAR, 6) if cost_ticks else None,
        notes=tuple(all_notes) or None,
    )


# The request of one question, and its check.


@dataclass(frozen=True, kw_only=True)
class AnswerRequest:
    """One question, as the caller wrote it; the arguments of answer."""

    query: QueryText
    provider: Annotated[
        OptionalName,
        Field(
            description="Needed only if several are configured. local: quotations, free, no model."
        ),
    ] = None


def check_answer_request(request: AnswerRequest) -> AnswerRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(request)
    return replace(
        request,
        query=clean_query_text(request.query),
        provider=normalize_provider_name(request.provider),
    )
