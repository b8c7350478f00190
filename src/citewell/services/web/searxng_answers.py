"""Answers and errors of a web search with all the fields that spec 3 names."""

from __future__ import annotations

from citewell.errors import CitewellError, NetworkFailed, RateLimited, UpstreamUnavailable
from citewell.model.search_results import ListedResult, SearchAnswer, SearchResult

_ERROR_TYPE = "error_type"
_NO_INSTANCES = "no_instances_available"
_RETRY_SECONDS = 60.0  # a guess, where nobody said how long to wait


def build_searxng_answer(answer: SearchAnswer) -> SearchAnswer:
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


def has_searxng_details(error: CitewellError) -> bool:
    return _ERROR_TYPE in error.extra


def add_searxng_details(error: CitewellError, query: str) -> CitewellError:
    """A copy with the query and the other fields of spec 3.

    The query is added for the caller alone: what is logged of an error is its message.
    """
    told = error.copy_with_message(error.message)
    details: dict[str, object] = {
        _ERROR_TYPE: error.kind,
        "error_details": error.detail or error.message,
    }
    if isinstance(error, RateLimited | UpstreamUnavailable | NetworkFailed):
        details |= {_ERROR_TYPE: _NO_INSTANCES, "attempted_instances": []}
        details["retry_after"] = max(1, round(error.retry_after or _RETRY_SECONDS))
    told.extra = {"query": query, **details, **error.extra}
    return told


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
