"""The state of each instance, kept across restarts, and the error for a search that none answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from citewell.core.errors import (
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
from citewell.core.values import search_results
from citewell.providers.searxng.instances import InstanceRules, JsonMemory, SearxngInstance
from citewell.routing.ports import ServerRest

_RATE_LIMITED_REASON = "rate limited"
_MAX_NAMED_INSTANCES = 10  # instances named in one error
_DEFAULT_RETRY_SECONDS = 60.0  # a guess, used if no instance is resting

SETTINGS_LINE = "search: formats: [html, json]"

# The user of a lone instance can do nothing about these but wait.
_UNACTIONABLE_ERRORS = frozenset({UpstreamUnavailable, NetworkFailed, BreakerOpen})

InstanceFailures = Sequence[tuple[SearxngInstance, CitewellError]]

RATE_LIMIT_REST_SECONDS = 3600.0  # the limiter's window; its 429 has no Retry-After

_HEALTH_KEY = "health"
_HEALTH_KEEP_SECONDS = 14 * 86400.0
_SUSPENSION_SECONDS = 3600.0
_MAX_REST_SECONDS = 86400.0
_OWN_MAX_REST_SECONDS = 600.0
_JSON_OFF_KEEP_SECONDS = 5 * 86400.0
_JSON_ON_KEEP_SECONDS = 7 * 86400.0
_OWN_JSON_OFF_KEEP_SECONDS = 300.0  # its owner may be changing settings.yml


@dataclass(slots=True, kw_only=True)
class HealthRecord:
    """The state of one instance. Times are seconds since the epoch."""

    failures: int = 0  # in a row
    rests_until: float = 0.0
    limited: bool = False  # resting because of a 429
    used_at: float = 0.0
    checked_at: float = 0.0
    json: bool | None = None
    json_until: float = 0.0  # when `json` expires


class InstanceHealth:
    """The records of all instances. Your own instance's record is not stored, so a restart resets it."""

    def __init__(
        self,
        notebook: JsonMemory,
        *,
        clock: Callable[[], float],
        rules: InstanceRules | None = None,
    ) -> None:
        self._rules = rules or InstanceRules()
        self._notebook = notebook
        self._clock = clock
        self._records: dict[str, HealthRecord] = {}
        self._own: set[str] = set()
        self._loaded = False

    async def load_records(self) -> None:
        """Load the records that earlier processes stored; only the first call does anything."""
        if self._loaded:
            return
        kept = _decode_health_records(
            await self._notebook.recall_json(_HEALTH_KEY), now=self._clock()
        )
        self._records = kept | self._records
        self._loaded = True

    async def save_records(self) -> None:
        """Store the records, merged with those that other processes have stored since."""
        kept = _decode_health_records(
            await self._notebook.recall_json(_HEALTH_KEY), now=self._clock()
        )
        for url, other in kept.items():
            if url not in self._own:
                mine = self._records.get(url)
                self._records[url] = _merge_health_records(mine, other) if mine else other
        shared = {url: record for url, record in self._records.items() if url not in self._own}
        if shared:
            rows = {url: asdict(record) for url, record in (kept | shared).items()}
            await self._notebook.remember_json(_HEALTH_KEY, rows, ttl=_HEALTH_KEEP_SECONDS)

    def look_up_record(self, instance: SearxngInstance) -> HealthRecord:
        if instance.is_own and instance.url not in self._own:
            self._own.add(instance.url)
            self._records[instance.url] = HealthRecord()
        return self._records.setdefault(instance.url, HealthRecord())

    def measure_rest(self, instance: SearxngInstance) -> float:
        """Seconds until the instance may be asked again; 0 if it may be asked now."""
        return max(0.0, self.look_up_record(instance).rests_until - self._clock())

    def list_rests(self) -> tuple[ServerRest, ...]:
        """The instances that are not asked now."""
        now = self._clock()
        return tuple(
            ServerRest(address=url, seconds=record.rests_until - now, is_limited=record.limited)
            for url, record in self._records.items()
            if record.rests_until > now
        )

    def has_json(self, instance: SearxngInstance) -> bool | None:
        """Whether the instance offers JSON; None if unknown or checked too long ago."""
        record = self.look_up_record(instance)
        return record.json if self._clock() < record.json_until else None

    def record_use(self, instance: SearxngInstance) -> None:
        """Record the time of use, made later than all others even if the clock has not moved."""
        newest = max((record.used_at for record in self._records.values()), default=0.0)
        self.look_up_record(instance).used_at = max(self._clock(), newest + 0.001)

    def record_answer(self, instance: SearxngInstance) -> None:
        """Reset the failures, but not a rest that a later page of the same search caused."""
        record = self.look_up_record(instance)
        record.failures = 0
        record.checked_at = self._clock()

    def record_instance_failure(self, instance: SearxngInstance) -> None:
        record = self.look_up_record(instance)
        record.failures += 1
        record.checked_at = self._clock()
        record.rests_until = max(
            record.rests_until,
            self._clock() + _choose_rest_seconds(record.failures, self._rules, own=instance.is_own),
        )
        record.limited = False

    def record_rate_limit(self, instance: SearxngInstance, seconds: float) -> None:
        """Let the instance rest after a 429, which does not count as a failure."""
        record = self.look_up_record(instance)
        record.checked_at = self._clock()
        record.rests_until = self._clock() + seconds
        record.limited = True

    def record_json_support(self, instance: SearxngInstance, *, on: bool) -> None:
        record = self.look_up_record(instance)
        record.checked_at = self._clock()
        off = _OWN_JSON_OFF_KEEP_SECONDS if instance.is_own else _JSON_OFF_KEEP_SECONDS
        record.json, record.json_until = on, self._clock() + (_JSON_ON_KEEP_SECONDS if on else off)


def _choose_rest_seconds(failures: int, rules: InstanceRules, *, own: bool) -> float:
    """Seconds to rest after this many failures in a row.

    By the usual rules 60, 120, then an hour, doubling up to the maximum. Your own instance rests
    from the third failure on, for 60 seconds, doubling.
    """
    beyond = min(failures - rules.max_failures, 16)
    if own:
        return 0.0 if beyond < 0 else min(rules.first_rest * 2.0**beyond, _OWN_MAX_REST_SECONDS)
    if beyond < 0:
        return min(rules.first_rest * 2.0 ** min(failures - 1, 16), _MAX_REST_SECONDS)
    return min(_SUSPENSION_SECONDS * 2.0**beyond, _MAX_REST_SECONDS)


def _merge_health_records(mine: HealthRecord, other: HealthRecord) -> HealthRecord:
    """One record from two: the one checked later, with the longer of both rest periods."""
    later, earlier = (mine, other) if mine.checked_at >= other.checked_at else (other, mine)
    resting = max(later, earlier, key=lambda record: record.rests_until)
    spoken = later if later.json is not None else earlier
    return replace(
        later,
        rests_until=resting.rests_until,
        limited=resting.limited,
        used_at=max(mine.used_at, other.used_at),
        json=spoken.json,
        json_until=spoken.json_until,
    )


def _decode_health_records(rows: Any, *, now: float) -> dict[str, HealthRecord]:
    """The stored records, with times limited to plausible ones; empty if another version wrote them."""
    try:
        records = {str(url): HealthRecord(**row) for url, row in (rows or {}).items()}
        for record in records.values():
            record.rests_until = min(float(record.rests_until), now + _MAX_REST_SECONDS)
            record.json_until = min(float(record.json_until), now + _JSON_ON_KEEP_SECONDS)
            record.failures = max(0, int(record.failures))
            record.used_at = float(record.used_at)
            record.checked_at = min(float(record.checked_at), now)
    except (ValueError, TypeError, AttributeError):
        return {}
    return records


# Small JSON values kept across restarts.


# The error for a search that no instance answered, worded as the specification asks.


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
    rests = {instance.url: health.look_up_record(instance).limited for instance in resting}
    rests |= {instance.url: isinstance(error, RateLimited) for instance, error in failures}
    limited = bool(rests) and all(rests.values())  # each failed or rests for its rate limit alone
    if limited:
        extra["reason"] = FailureReason.RATE_LIMITED.value
    lone = _find_actionable_error(failures, members, health)
    rest = min((health.measure_rest(instance) for instance in members), default=0.0)
    if lone is None:
        wait = rest or _DEFAULT_RETRY_SECONDS
        return UpstreamUnavailable(
            search_results.NO_INSTANCES_MESSAGE,
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
        if not health.look_up_record(members[0]).limited:
            return None
        message = f"{members[0].url} is limiting the rate of our requests. Retry later."
        return RateLimited(message, retry_after=health.measure_rest(members[0]))
    is_gateway_error = 500 <= (errors[0].http_status or 0) < 600
    return None if is_gateway_error or type(errors[0]) in _UNACTIONABLE_ERRORS else errors[0]


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
    listing = "; ".join(f"{url}: {reason}" for url, reason in shown.items())
    return {
        "error_type": search_results.NO_INSTANCES_ERROR_TYPE,
        "error_details": f"{search_results.NO_INSTANCES_DETAILS} ({listing})"
        if listing
        else search_results.NO_INSTANCES_DETAILS,
        "attempted_instances": list(shown),
    }


def _describe_failure(error: CitewellError) -> str:
    if isinstance(error, RateLimited):
        return _RATE_LIMITED_REASON
    return error.detail or error.message
