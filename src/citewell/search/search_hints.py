"""Hints for a search without results: the likely reason, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.core.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    FailureReason,
    Misconfigured,
    RateLimited,
)
from citewell.core.values.search_results import EmptySearchHints
from citewell.search.search_request import SearchRequest
from citewell.search.search_rounds import SearchHarvest

# Failures that a hint gives as its reason, whatever the class of the error.
_FAILURES_AS_HINTS = frozenset(
    {
        FailureReason.BOT_WALL,
        FailureReason.RATE_LIMITED,
        FailureReason.JSON_DISABLED,
        FailureReason.NOT_CONFIGURED,
    }
)
_MAX_SUGGESTED_ACTIONS = 3
_MAX_HINT_DETAILS = 8
_EMPTY_ANSWER_WARNING = "An empty answer is not evidence that nothing exists: "
_WARNING_BY_REASON = {
    "no_match": _EMPTY_ANSWER_WARNING
    + "only the providers named here were asked, with these words.",
    "filters_too_restrictive": _EMPTY_ANSWER_WARNING
    + "the filters may have removed what there is.",
}
_SEARCH_FAILED_WARNING = (
    "Nothing can be concluded from this: the search itself did not work in full."
)
# Words in the engines' own error messages; any other message is a plain failure.
_RATE_LIMIT_WORDS = ("too many requests", "rate limit", "suspended")
_BOT_WALL_WORDS = ("captcha", "access denied", "blocked")


def explain_empty_answer(
    request: SearchRequest, harvest: SearchHarvest, *, others: Iterable[str]
) -> EmptySearchHints:
    """`others` are the configured and available providers that were not asked."""
    return explain_empty_harvest(list_constraints(request), harvest, others=others)


def explain_empty_harvest(
    given: tuple[str, ...],
    harvest: SearchHarvest,
    *,
    others: Iterable[str],
    details: tuple[str, ...] = (),
) -> EmptySearchHints:
    """The same for any search of web or news providers; `given` are the filters that were set."""
    reason = _choose_empty_reason(harvest, given)
    return EmptySearchHints(
        reason=reason,
        providers_attempted=harvest.list_attempted_providers(),
        filters_applied=given,
        suggested_actions=suggest_actions(given, tuple(others), reason),
        details=(*details, *_collect_failure_details(harvest))[:_MAX_HINT_DETAILS],
        epistemic_warning=_WARNING_BY_REASON.get(reason, _SEARCH_FAILED_WARNING),
    )


def build_domain_hints(
    *,
    filters: tuple[str, ...],
    attempted: tuple[str, ...],
    failures: tuple[CitewellError, ...] = (),
    others: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
) -> EmptySearchHints:
    """Hints for an empty answer of a tool other than web_search; `filters` are the arguments set."""
    causes = {_classify_provider_error(error) for error in failures}
    if causes:
        reason = causes.pop() if len(causes) == 1 else "engines_failed"
    else:
        reason = "filters_too_restrictive" if filters else "no_match"
    messages = (*(error.message for error in failures), *details)
    return EmptySearchHints(
        reason=reason,
        providers_attempted=attempted,
        filters_applied=filters,
        suggested_actions=suggest_actions(filters, others, reason),
        details=tuple(dict.fromkeys(messages))[:_MAX_HINT_DETAILS],
        epistemic_warning=_WARNING_BY_REASON.get(reason, _SEARCH_FAILED_WARNING),
    )


def list_constraints(request: SearchRequest) -> tuple[str, ...]:
    """The filters set in the request, the most restrictive first."""
    given = {
        "exact_terms": request.exact_terms,
        "time_range": request.time_range,
        "site": request.sites,
        "lens": request.lens,
        "exclude_terms": request.exclude_terms,
        "category": request.category != "general",
        "language": request.language,
        "country": request.country,
        "safe": request.safe == "high",
    }
    return tuple(name for name, value in given.items() if value)


def _choose_empty_reason(harvest: SearchHarvest, given: tuple[str, ...]) -> str:
    causes = {_classify_provider_error(error) for error in harvest.failures.values()}
    causes |= {
        _classify_engine_failure(why) for reply in harvest.replies for _, why in reply.unresponsive
    }
    if causes:
        return causes.pop() if len(causes) == 1 else "engines_failed"
    return "filters_too_restrictive" if given else "no_match"


def _classify_provider_error(error: CitewellError) -> str:
    if error.reason in _FAILURES_AS_HINTS:
        return str(error.reason)
    if isinstance(error, RateLimited):
        return "rate_limited"
    if isinstance(error, Blocked):
        return "bot_wall"
    if isinstance(error, Misconfigured | AuthRequired):
        return "not_configured"
    return "engines_failed"


def _classify_engine_failure(why: str) -> str:
    text = why.lower()
    if any(word in text for word in _BOT_WALL_WORDS):
        return "bot_wall"
    return "rate_limited" if any(word in text for word in _RATE_LIMIT_WORDS) else "engines_failed"


def suggest_actions(
    given: tuple[str, ...], others: tuple[str, ...], reason: str
) -> tuple[str, ...]:
    removals = [f"remove-filter: {name}" for name in given]
    switches = [f"try-different-provider: {name}" for name in others]
    if reason in _WARNING_BY_REASON:
        ordered = [*removals[:2], *switches[:1], *removals[2:], *switches[1:]]
    else:
        ordered = [*switches[:2], *removals]
    return tuple(ordered[:_MAX_SUGGESTED_ACTIONS]) or ("broaden-query",)


def _collect_failure_details(harvest: SearchHarvest) -> tuple[str, ...]:
    details = [error.message for error in harvest.failures.values()]
    for reply in harvest.replies:
        details += [f"{reply.provider}, engine {name}: {why}" for name, why in reply.unresponsive]
        if reply.dropped_count:
            details.append(
                f"{reply.provider}: our own filters removed {reply.dropped_count} of its results."
            )
    return tuple(dict.fromkeys(details))[:_MAX_HINT_DETAILS]
