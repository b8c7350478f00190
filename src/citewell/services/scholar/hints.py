"""Why no papers came, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.errors import AuthRequired, Blocked, CitewellError, Misconfigured, RateLimited
from citewell.model.source import Hints
from citewell.services.scholar.ask import Ask
from citewell.services.scholar.ladder import Harvest
from citewell.services.web import filters
from citewell.services.web.hints import actions

_MOST_DETAILS = 8
_SEARCHED = "An empty answer is not evidence that no such paper exists: "
_WARNINGS = {
    "no_match": _SEARCHED + "only the providers named here were asked, with these words.",
    "filters_too_restrictive": _SEARCHED + "the filters may have removed what there is.",
}
_FAILED = "Nothing can be concluded from this: the search itself did not work in full."
_CAUSES: tuple[tuple[type[CitewellError], str], ...] = (
    (RateLimited, "rate_limited"),
    (Blocked, "bot_wall"),
    (Misconfigured, "not_configured"),
    (AuthRequired, "not_configured"),
)


def explained(ask: Ask, harvest: Harvest, *, others: Iterable[str]) -> Hints:
    """`others` are the configured and healthy providers that were not asked."""
    given = ask.constraints()
    reason = _reason(harvest, given)
    return Hints(
        reason=reason,
        providers_attempted=harvest.attempted(),
        filters_applied=given,
        filter_report=filters.joined(reply.reports for reply in harvest.replies),
        suggested_actions=actions(given, tuple(others), reason),
        details=_details(harvest),
        epistemic_warning=_WARNINGS.get(reason, _FAILED),
    )


def _reason(harvest: Harvest, given: tuple[str, ...]) -> str:
    causes = {_cause(error) for error in harvest.failures.values()}
    if causes:
        return causes.pop() if len(causes) == 1 else "engines_failed"
    return "filters_too_restrictive" if given else "no_match"


def _cause(error: CitewellError) -> str:
    return next((cause for kind, cause in _CAUSES if isinstance(error, kind)), "engines_failed")


def _details(harvest: Harvest) -> tuple[str, ...]:
    told = [error.message for error in harvest.failures.values()]
    told += [
        f"{reply.provider}: our own filters removed {reply.dropped} of its results."
        for reply in harvest.replies
        if reply.dropped
    ]
    return tuple(dict.fromkeys(told))[:_MOST_DETAILS]
