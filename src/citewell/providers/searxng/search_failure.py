"""The error for a search that no instance answered, worded as the specification asks."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.errors import (
    Blocked,
    BreakerOpen,
    CitewellError,
    FailureReason,
    Misconfigured,
    NetworkFailed,
    RateLimited,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.model.search_results import (
    NO_INSTANCES_DETAILS,
    NO_INSTANCES_ERROR_TYPE,
    NO_INSTANCES_MESSAGE,
)
from citewell.providers.searxng.instance_health import InstanceHealth
from citewell.providers.searxng.instance_settings import SearxngInstance

_RATE_LIMITED_REASON = "rate limited"
_MAX_NAMED_INSTANCES = 10  # instances named in one error
_DEFAULT_RETRY_SECONDS = 60.0  # a guess, used if no instance is resting

SETTINGS_LINE = "search: formats: [html, json]"

# The user of a lone instance can do nothing about these but wait.
_UNACTIONABLE_ERRORS = frozenset({UpstreamUnavailable, NetworkFailed, BreakerOpen})

InstanceFailures = Sequence[tuple[SearxngInstance, CitewellError]]


class JsonDisabled(Misconfigured, Blocked):
    """The instance has JSON switched off. Its setting, not ours, so other providers may be tried."""

    action = "inform_user"

    @classmethod
    def from_instance(
        cls, instance: SearxngInstance, *, detail: str, http_status: int | None
    ) -> JsonDisabled:
        message = (
            f"{instance.url} does not offer JSON, and its HTML page could not be read either. "
            f"Add `{SETTINGS_LINE}` to its settings.yml and restart it."
        )
        reason = FailureReason.JSON_DISABLED
        return cls(
            message,
            detail=detail,
            extra={"reason": reason.value},
            reason=reason,
            http_status=http_status,
            remedy=SETTINGS_LINE,
        )


def build_search_failure(
    failures: InstanceFailures, *, members: Sequence[SearxngInstance], health: InstanceHealth
) -> CitewellError:
    """The error of the only instance if the user can act on it, else "no available instances"."""
    resting = [instance for instance in members if health.measure_rest(instance)]
    extra = _build_failure_details(failures, resting, health)
    limited = _is_rate_limited_only(failures, resting, health)
    if limited:
        extra["reason"] = FailureReason.RATE_LIMITED.value
    lone = _find_actionable_error(failures, members, health)
    rest = min((health.measure_rest(instance) for instance in members), default=0.0)
    if lone is None:
        wait = rest or _DEFAULT_RETRY_SECONDS
        return UpstreamUnavailable(
            NO_INSTANCES_MESSAGE,
            retry_after=wait,
            extra=extra | {"retry_after": round(wait)},
            reason=FailureReason.RATE_LIMITED if limited else None,
        )
    if lone.retry_after is None and rest:
        lone.retry_after = rest
    if lone.retry_after is not None:
        extra["retry_after"] = max(1, round(lone.retry_after))
    lone.extra = extra | lone.extra
    return lone


def _find_actionable_error(
    failures: InstanceFailures, members: Sequence[SearxngInstance], health: InstanceHealth
) -> CitewellError | None:
    errors = [error for _, error in failures]
    if errors and all(isinstance(error, RejectedRequest) for error in errors):
        return errors[0]
    if len(members) != 1:
        return None
    if not errors:
        return _build_limit_error(members[0], health)
    plain = type(errors[0]) in _UNACTIONABLE_ERRORS or _is_gateway_error(errors[0])
    return None if plain else errors[0]


def _is_gateway_error(error: CitewellError) -> bool:
    return error.http_status is not None and 500 <= error.http_status < 600


def _build_limit_error(instance: SearxngInstance, health: InstanceHealth) -> RateLimited | None:
    if not health.look_up_record(instance).limited:
        return None
    message = f"{instance.url} is limiting the rate of our requests. Retry later."
    return RateLimited(message, retry_after=health.measure_rest(instance))


def _build_failure_details(
    failures: InstanceFailures, resting: Sequence[SearxngInstance], health: InstanceHealth
) -> dict[str, object]:
    """The details of the error. They leave out the query, because errors are logged."""
    reasons = {instance.url: _describe_failure(error) for instance, error in failures}
    for instance in resting:
        limited = health.look_up_record(instance).limited
        reasons.setdefault(
            instance.url, _RATE_LIMITED_REASON if limited else "resting after failures"
        )
    shown = dict(list(reasons.items())[:_MAX_NAMED_INSTANCES])
    told = "; ".join(f"{url}: {reason}" for url, reason in shown.items())
    return {
        "error_type": NO_INSTANCES_ERROR_TYPE,
        "error_details": f"{NO_INSTANCES_DETAILS} ({told})" if told else NO_INSTANCES_DETAILS,
        "attempted_instances": list(shown),
    }


def _is_rate_limited_only(
    failures: InstanceFailures, resting: Sequence[SearxngInstance], health: InstanceHealth
) -> bool:
    """True if instances failed or rest, and each of them for its rate limit alone."""
    limited = {instance.url: isinstance(error, RateLimited) for instance, error in failures}
    for instance in resting:
        limited.setdefault(instance.url, health.look_up_record(instance).limited)
    return bool(limited) and all(limited.values())


def _describe_failure(error: CitewellError) -> str:
    if isinstance(error, RateLimited):
        return _RATE_LIMITED_REASON
    return error.detail or error.message
