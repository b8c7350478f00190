"""Search the web through whichever providers are configured."""

from __future__ import annotations

from citewell.core.errors import CitewellError, Misconfigured, RejectedRequest, UpstreamError
from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.search_results import (
    NO_INSTANCES_DETAILS,
    NO_INSTANCES_ERROR_TYPE,
    NO_INSTANCES_MESSAGE,
    ListedResult,
    SearchAnswer,
    SearchResult,
)
from citewell.routing.ports import Offer, ToolProviders
from citewell.search.search_service import SearchRequest, WebSearchService

_ERROR_TYPE = "error_type"
_DETAILS = "error_details"
_RETRY_SECONDS = 60.0  # a guess, where nobody said how long to wait


class Args(SessionArguments, SearchRequest):
    """Search the web: titles, links and snippets with dates and source reputation. For page texts set fetch_content, or use search_and_scrape."""


async def run(args: Args, call: ToolCall) -> SearchAnswer:
    service = call.require_service(WebSearchService)
    service.check_result_count(args.count)
    try:
        answer = await service.search_web_pages(
            args.build_request(SearchRequest),
            trace=call.trace,
            progress=call.report_progress,
            report=call.report_sources,
        )
    except CitewellError as error:
        if not (service.follows_searxng or _has_searxng_details(error)):
            raise
        raise _add_searxng_details(
            error, args.query, has_own_message=not service.follows_searxng
        ) from None
    return _build_searxng_answer(answer) if service.follows_searxng else answer


TOOL = Tool(
    args=Args,
    result=SearchAnswer,
    run=run,
    toolset="core",
    in_default_profile=True,
    ttl_seconds=1800,
    cache_version=2,
    has_long_timeout=True,
    shows_freshness=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    served_by=ToolProviders(
        offer=Offer.WEB,
        filters=(
            "site",
            "time_range",
            "safe",
            "language",
            "country",
            "exact_terms",
            "exclude_terms",
            "category",
        ),
        applied_by_us=frozenset({"site", "time_range", "exact_terms", "exclude_terms"}),
    ),
)


# Answers and errors with all the fields that spec 3 names.


def _build_searxng_answer(answer: SearchAnswer) -> SearchAnswer:
    """The answer with the results in its metadata.

    Contents of pages are only there, because an answer that has them twice is cut to half of them.
    """
    metadata = answer.metadata
    alone = metadata.engines_used[0] if len(metadata.engines_used) == 1 else None
    listed = tuple(_build_listed_result(result, engine=alone) for result in answer.results)
    shown = tuple(
        result.model_copy(update={"description": result.snippet, "content": None})
        for result in answer.results
    )
    return answer.model_copy(
        update={"results": shown, "metadata": metadata.model_copy(update={"results": listed})}
    )


def _has_searxng_details(error: CitewellError) -> bool:
    return _ERROR_TYPE in error.extra


def _add_searxng_details(
    error: CitewellError, query: str, *, has_own_message: bool = False
) -> CitewellError:
    """A copy with the query, the other fields and, unless `has_own_message`, the message of spec 3.

    The query is added for the caller alone: what is logged of an error is its message.
    """
    fields: dict[str, object] = {_ERROR_TYPE: error.kind, _DETAILS: error.message} | error.extra
    message = error.message
    if _means_no_instance(error):
        wait = max(1, round(error.retry_after or _RETRY_SECONDS))
        fields = {"attempted_instances": [], "retry_after": wait} | fields
        fields[_ERROR_TYPE] = NO_INSTANCES_ERROR_TYPE
        if not has_own_message:
            message = NO_INSTANCES_MESSAGE
            fields[_DETAILS] = _describe_unavailability(error)
    described = error.copy_with_message(message)
    described.extra = {"query": query, **fields}
    return described


def _describe_unavailability(error: CitewellError) -> str:
    """The details of spec 3 and the message of the error, each once."""
    parts = [error.extra.get(_DETAILS, NO_INSTANCES_DETAILS), error.message]
    if isinstance(error, Misconfigured) and error.provider is None:
        parts = [error.message]  # there is no instance that could be unavailable
    kept = dict.fromkeys(str(part) for part in parts)
    kept.pop(NO_INSTANCES_MESSAGE, None)
    return ". ".join(kept)


def _means_no_instance(error: CitewellError) -> bool:
    """Whether no instance answered, or none is configured, for which no provider is to blame."""
    if isinstance(error, Misconfigured) and error.provider is None:
        return True
    return isinstance(error, UpstreamError) and not isinstance(error, RejectedRequest)


def _build_listed_result(result: SearchResult, *, engine: str | None) -> ListedResult:
    return ListedResult(
        title=result.title,
        url=result.url,
        description=result.snippet,
        score=result.score,
        engine=result.engine or engine,
        content=result.content,
        content_error=result.content_error,
    )
