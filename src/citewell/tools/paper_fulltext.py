"""Read the full text of a paper from its best free copy."""

from __future__ import annotations

from citewell.model.paper_results import FullTextAnswer
from citewell.services.scholar.paper_full_text import FullTextReader, FullTextRequest
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, FullTextRequest):
    """Read a paper's full text from its best free copy (publisher, repository or preprint), with version and licence. Says so when only the abstract could be had (isFullText false). To find papers use academic_search; for other pages, scrape_page."""


async def run(args: Args, call: ToolCall) -> FullTextAnswer:
    answer = await call.require_service(FullTextReader).read_full_text(
        args.build_request(FullTextRequest),
        trace=call.trace,
        tenant=call.owner.tenant,
        progress=call.report_progress,
    )
    call.report_sources([answer.to_source()])
    return answer


TOOL = Tool(
    args=Args,
    result=FullTextAnswer,
    run=run,
    toolset="scholar",
    title="Paper full text",
    ttl_seconds=3600,
    has_long_timeout=True,
    is_always_inline=True,  # max_length bounds it
    is_empty_result=lambda answer: not answer.is_full_text,
)
