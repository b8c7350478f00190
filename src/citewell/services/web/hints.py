"""Why nothing came, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.errors import AuthRequired, Blocked, CitewellError, Misconfigured, RateLimited
from citewell.model.source import Hints
from citewell.services.web import filters
from citewell.services.web.ask import Ask
from citewell.services.web.rounds import Harvest

REASONS = frozenset(
    {
        "no_match",
        "filters_too_restrictive",
        "engines_failed",
        "rate_limited",
        "json_disabled",
        "bot_wall",
        "not_configured",
    }
)
_MOST_ACTIONS = 3
_MOST_DETAILS = 8
_SEARCHED = "An empty answer is not evidence that nothing exists: "
_WARNINGS = {
    "no_match": _SEARCHED + "only the providers named here were asked, with these words.",
    "filters_too_restrictive": _SEARCHED + "the filters may have removed what there is.",
}
_FAILED = "Nothing can be concluded from this: the search itself did not work in full."
# Engines' own words for why they gave nothing; anything else is a plain failure.
_LIMITED = ("too many requests", "rate limit", "suspended")
_WALLED = ("captcha", "access denied", "blocked")


def explained(ask: Ask, harvest: Harvest, *, others: Iterable[str]) -> Hints:
    """`others` are the configured and healthy providers that were not asked."""
    given = constraints(ask)
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


def constraints(ask: Ask) -> tuple[str, ...]:
    """What narrows the search, the narrowest first."""
    given = {
        "exact_terms": ask.exact_terms,
        "time_range": ask.time_range,
        "site": ask.sites,
        "lens": ask.lens,
        "exclude_terms": ask.exclude_terms,
        "category": ask.category != "general",
        "language": ask.language,
        "country": ask.country,
        "safe": ask.safe == "high",
    }
    return tuple(name for name, value in given.items() if value)


def _reason(harvest: Harvest, given: tuple[str, ...]) -> str:
    causes = {_cause(error) for error in harvest.failures.values()}
    causes |= {_engine_cause(why) for reply in harvest.replies for _, why in reply.unresponsive}
    if causes:
        return causes.pop() if len(causes) == 1 else "engines_failed"
    return "filters_too_restrictive" if given else "no_match"


def _cause(error: CitewellError) -> str:
    for named in (error.extra.get("reason"), error.detail):
        if named in REASONS:
            return str(named)
    if isinstance(error, RateLimited):
        return "rate_limited"
    if isinstance(error, Blocked):
        return "bot_wall"
    if isinstance(error, Misconfigured | AuthRequired):
        return "not_configured"
    return "engines_failed"


def _engine_cause(why: str) -> str:
    text = why.lower()
    if any(word in text for word in _WALLED):
        return "bot_wall"
    return "rate_limited" if any(word in text for word in _LIMITED) else "engines_failed"


def actions(given: tuple[str, ...], others: tuple[str, ...], reason: str) -> tuple[str, ...]:
    removals = [f"remove-filter: {name}" for name in given]
    switches = [f"try-different-provider: {name}" for name in others]
    if reason in _WARNINGS:
        ordered = [*removals[:2], *switches[:1], *removals[2:], *switches[1:]]
    else:
        ordered = [*switches[:2], *removals]
    return tuple(ordered[:_MOST_ACTIONS]) or ("broaden-query",)


def _details(harvest: Harvest) -> tuple[str, ...]:
    told = [error.message for error in harvest.failures.values()]
    for reply in harvest.replies:
        told += [f"{reply.provider}, engine {name}: {why}" for name, why in reply.unresponsive]
        if reply.dropped:
            told.append(
                f"{reply.provider}: our own filters removed {reply.dropped} of its results."
            )
    return tuple(dict.fromkeys(told))[:_MOST_DETAILS]
