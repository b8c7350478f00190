"""Answer a question from the web, with citations that were checked."""

from __future__ import annotations

from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.research_session import SessionSource
from citewell.core.values.search_results import GroundedAnswer
from citewell.research.answer_service import AnswerRequest, AnswerService, CallContext
from citewell.routing.ports import Offer, ToolProviders


class Args(SessionArguments, AnswerRequest):
    """Ask a factual question and get one short answer with citations. Every cited page is read: relation says whether it supports the sentences that cite it, snippet is the place. For links use web_search, for page texts search_and_scrape, for a report research."""


async def run(args: Args, call: ToolCall) -> GroundedAnswer:
    answer = await call.require_service(AnswerService).answer_question(
        args.build_request(AnswerRequest), context=CallContext.from_call(call)
    )
    call.audit |= {"provider": answer.provider, "cost_usd": answer.cost_usd or 0.0}
    call.report_sources(
        SessionSource(
            url=page.url,
            title=page.title or "",
            date=page.published_date,
            stage=("quoted" if page.snippet else "read") if page.checked else "listed",
        )
        for page in answer.citations
    )
    return answer


TOOL = Tool(
    args=Args,
    result=GroundedAnswer,
    run=run,
    toolset="domains",
    title="Answer with citations",
    ttl_seconds=3600,
    has_long_timeout=True,
    is_empty_result=lambda answer: not answer.citations,
    served_by=ToolProviders(offer=Offer.ANSWERS, without_provider="our own extractive answer"),
)
