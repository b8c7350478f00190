"""The error when no instance answered, in the words of the specification."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.errors import (
    Blocked,
    CitewellError,
    Misconfigured,
    NetworkFailed,
    RateLimited,
    RejectedRequest,
    Unavailable,
)
from citewell.providers.searxng.health import Health
from citewell.providers.searxng.instance import Instance

MESSAGE = "Search failed: No available SearXNG instances"
ERROR_TYPE = "no_instances_available"

_SAID = "All configured SearXNG instances are unavailable or rate limited"
_LIMITED = "rate limited"
_SHOWN = 10  # instances named in one error
_SOON = 60.0  # a guess, for an instance that does not rest

SETTINGS_LINE = "search: formats: [html, json]"

Failures = Sequence[tuple[Instance, CitewellError]]


class JsonDisabled(Misconfigured, Blocked):
    """A setting of the instance, not of ours, so another provider is worth a try."""

    action = "inform_user"

    @classmethod
    def at(cls, instance: Instance, *, detail: str) -> JsonDisabled:
        message = (
            f"{instance.url} does not offer JSON, and its page could not be read either. "
            f"Put `{SETTINGS_LINE}` into its settings.yml and restart it."
        )
        return cls(message, detail=detail, extra={"reason": "json_disabled"})


def verdict(failures: Failures, *, members: Sequence[Instance], health: Health) -> CitewellError:
    """A lone instance's own fault when the caller can act on it, else that nobody is there."""
    resting = [instance for instance in members if health.rest(instance)]
    extra = _extra(failures, resting, health)
    lone = _lone(failures, members, health)
    rest = min((health.rest(instance) for instance in members), default=0.0)
    if lone is None:
        wait = rest or _SOON
        return Unavailable(MESSAGE, retry_after=wait, extra=extra | {"retry_after": round(wait)})
    if lone.retry_after is None and rest:
        lone.retry_after = rest
    if lone.retry_after is not None:
        extra["retry_after"] = max(1, round(lone.retry_after))
    lone.extra = extra | lone.extra
    return lone


def _lone(failures: Failures, members: Sequence[Instance], health: Health) -> CitewellError | None:
    errors = [error for _, error in failures]
    if errors and all(isinstance(error, RejectedRequest) for error in errors):
        return errors[0]
    if len(members) != 1:
        return None
    if not errors:
        return _still_limited(members[0], health)
    plain = type(errors[0]) in {Unavailable, NetworkFailed} or _is_gateway(errors[0])
    return None if plain else errors[0]


def _is_gateway(error: CitewellError) -> bool:
    return (error.detail or "").startswith("HTTP 5")


def _still_limited(instance: Instance, health: Health) -> RateLimited | None:
    if not health.record(instance).limited:
        return None
    message = f"{instance.url} limits how often it may be asked, and is left alone until then."
    return RateLimited(message, retry_after=health.rest(instance))


def _extra(failures: Failures, resting: Sequence[Instance], health: Health) -> dict[str, object]:
    """The query is not in here: errors are logged, and the query is the user's."""
    reasons = {instance.url: _reason(error) for instance, error in failures}
    for instance in resting:
        limited = health.record(instance).limited
        reasons.setdefault(instance.url, _LIMITED if limited else "resting after failures")
    shown = dict(list(reasons.items())[:_SHOWN])
    told = "; ".join(f"{url}: {reason}" for url, reason in shown.items())
    extra: dict[str, object] = {
        "error_type": ERROR_TYPE,
        "error_details": f"{_SAID} ({told})" if told else _SAID,
        "attempted_instances": list(shown),
    }
    if set(reasons.values()) == {_LIMITED}:
        extra["reason"] = "rate_limited"
    return extra


def _reason(error: CitewellError) -> str:
    if isinstance(error, RateLimited):
        return _LIMITED
    return error.detail or error.message
