"""The state of each instance: failures, rest periods and JSON support; kept across restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from citewell.ports import ServerRest
from citewell.providers.searxng.instance_settings import InstanceRules, SearxngInstance
from citewell.providers.searxng.json_memory import JsonMemory

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
        shared = {url: one for url, one in self._records.items() if url not in self._own}
        if shared:
            rows = {url: asdict(one) for url, one in (kept | shared).items()}
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
