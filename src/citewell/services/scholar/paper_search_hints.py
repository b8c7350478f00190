"""Explains why a search found no papers, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.errors import AuthRequired, Blocked, CitewellError, Misconfigured, RateLimited
from citewell.model.search_results import EmptySearchHints
from citewell.services.scholar.paper_request import PaperSearchRequest
from citewell.services.scholar.paper_search_ladder import PaperHarvest
from citewell.services.web import result_filters
from citewell.services.web.search_hints import suggest_actions

_MAX_HINT_DETAILS = 8
_ABSENCE_WARNING = "An empty answer is not evidence that no such paper exists: "
_REASON_WARNINGS = {
    "no_match": _ABSENCE_WARNING + "only the providers named here were asked, with these words.",
    "filters_too_restrictive": _ABSENCE_WARNING + "the filters may have removed what there is.",
}
_FAILURE_WARNING = "Nothing can be concluded from this: the search itself did not work in full."
_ERROR_REASONS: tuple[tuple[type[CitewellError], str], ...] = (
    (RateLimited, "rate_limited"),
    (Blocked, "bot_wall"),
    (Misconfigured, "not_configured"),
    (AuthRequired, "not_configured"),
)


def explain_no_papers(
    ask: PaperSearchRequest, harvest: PaperHarvest, *, others: Iterable[str]
) -> EmptySearchHints:
    """The hints; `others` are the configured and healthy providers that were not asked."""
    given = ask.list_constraints()
    reason = _choose_hint_reason(harvest, given)
    return EmptySearchHints(
        reason=reason,
        providers_attempted=harvest.list_attempted_providers(),
        filters_applied=given,
        filter_report=result_filters.merge_filter_reports(
            reply.reports for reply in harvest.replies
        ),
        suggested_actions=suggest_actions(given, tuple(others), reason),
        details=_list_failure_details(harvest),
        epistemic_warning=_REASON_WARNINGS.get(reason, _FAILURE_WARNING),
    )


def _choose_hint_reason(harvest: PaperHarvest, given: tuple[str, ...]) -> str:
    causes = {_classify_search_error(error) for error in harvest.failures.values()}
    if causes:
        return causes.pop() if len(causes) == 1 else "engines_failed"
    return "filters_too_restrictive" if given else "no_match"


def _classify_search_error(error: CitewellError) -> str:
    return next(
        (cause for kind, cause in _ERROR_REASONS if isinstance(error, kind)), "engines_failed"
    )


def _list_failure_details(harvest: PaperHarvest) -> tuple[str, ...]:
    told = [error.message for error in harvest.failures.values()]
    told += [
        f"{reply.provider}: our own filters removed {reply.dropped} of its results."
        for reply in harvest.replies
        if reply.dropped
    ]
    return tuple(dict.fromkeys(told))[:_MAX_HINT_DETAILS]
