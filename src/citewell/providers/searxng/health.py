"""How each instance has behaved: who rests, until when, and who speaks JSON; kept across restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from citewell.providers.searxng.instance import Instance
from citewell.providers.searxng.notebook import Notebook

LIMITED = 3600.0  # the limiter's window for JSON; its 429 has no Retry-After

_KEY = "health"
_KEEP = 14 * 86400.0
_BASE = 60.0
_FAILURES = 3  # in a row, after which an instance is suspended
_SUSPENDED = 3600.0
_LONGEST = 86400.0
_OWN_LONGEST = 600.0
_JSON_OFF = 5 * 86400.0
_JSON_ON = 7 * 86400.0
_OWN_JSON_OFF = 300.0  # its owner may be editing settings.yml at this moment


@dataclass(slots=True, kw_only=True)
class Record:
    """Times are seconds since the epoch."""

    failures: int = 0  # in a row
    rests_until: float = 0.0
    limited: bool = False  # rests because of a 429
    used_at: float = 0.0
    checked_at: float = 0.0
    json: bool | None = None
    json_until: float = 0.0  # when what we know of JSON is forgotten


class Health:
    """The records of all instances. The own one's are not kept: a restart is a request to try again."""

    def __init__(self, notebook: Notebook, *, clock: Callable[[], float]) -> None:
        self._notebook = notebook
        self._clock = clock
        self._records: dict[str, Record] = {}
        self._own: set[str] = set()
        self._loaded = False

    async def load(self) -> None:
        """Read what an earlier process learnt, once."""
        if self._loaded:
            return
        kept = _decode(await self._notebook.read(_KEY), now=self._clock())
        self._records = kept | self._records
        self._loaded = True

    async def save(self) -> None:
        """Write down what we know, together with what other processes have written since."""
        kept = _decode(await self._notebook.read(_KEY), now=self._clock())
        for url, other in kept.items():
            if url not in self._own:
                mine = self._records.get(url)
                self._records[url] = _merged(mine, other) if mine else other
        shared = {url: one for url, one in self._records.items() if url not in self._own}
        if shared:
            rows = {url: asdict(one) for url, one in (kept | shared).items()}
            await self._notebook.write(_KEY, rows, ttl=_KEEP)

    def record(self, instance: Instance) -> Record:
        if instance.own and instance.url not in self._own:
            self._own.add(instance.url)
            self._records[instance.url] = Record()
        return self._records.setdefault(instance.url, Record())

    def rest(self, instance: Instance) -> float:
        """Seconds it is still to be left alone; 0 when it may be asked."""
        return max(0.0, self.record(instance).rests_until - self._clock())

    def speaks_json(self, instance: Instance) -> bool | None:
        """None when nobody asked, or when the answer is too old to rely on."""
        record = self.record(instance)
        return record.json if self._clock() < record.json_until else None

    def used(self, instance: Instance) -> None:
        """Later than every other use, also where the clock stands still between two."""
        newest = max((record.used_at for record in self._records.values()), default=0.0)
        self.record(instance).used_at = max(self._clock(), newest + 0.001)

    def answered(self, instance: Instance) -> None:
        """Its failures are forgotten; a rest that a later page of the same search earned is not."""
        record = self.record(instance)
        record.failures = 0
        record.checked_at = self._clock()

    def failed(self, instance: Instance) -> None:
        record = self.record(instance)
        record.failures += 1
        record.checked_at = self._clock()
        record.rests_until = max(
            record.rests_until, self._clock() + _pause(record.failures, own=instance.own)
        )
        record.limited = False

    def limited(self, instance: Instance, seconds: float) -> None:
        """A 429 is no fault of the instance: it rests, and its failures stay as they were."""
        record = self.record(instance)
        record.checked_at = self._clock()
        record.rests_until = self._clock() + seconds
        record.limited = True

    def learnt_json(self, instance: Instance, *, on: bool) -> None:
        record = self.record(instance)
        record.checked_at = self._clock()
        off = _OWN_JSON_OFF if instance.own else _JSON_OFF
        record.json, record.json_until = on, self._clock() + (_JSON_ON if on else off)


def _pause(failures: int, *, own: bool) -> float:
    """60 s, 120 s, then suspended: an hour, doubling. The own one is spared until the third."""
    beyond = min(failures - _FAILURES, 16)
    if own:
        return 0.0 if beyond < 0 else min(_BASE * 2.0**beyond, _OWN_LONGEST)
    if beyond < 0:
        return _BASE * 2.0 ** (failures - 1)
    return min(_SUSPENDED * 2.0**beyond, _LONGEST)


def _merged(mine: Record, other: Record) -> Record:
    """The later look at an instance counts, and the longer rest: a pause it asked for is kept."""
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


def _decode(rows: Any, *, now: float) -> dict[str, Record]:
    """What was kept; anything that another version wrote, or nobody could have, is left out."""
    try:
        records = {str(url): Record(**row) for url, row in (rows or {}).items()}
        for record in records.values():
            record.rests_until = min(float(record.rests_until), now + _LONGEST)
            record.json_until = min(float(record.json_until), now + _JSON_ON)
            record.failures = max(0, int(record.failures))
            record.used_at = float(record.used_at)
            record.checked_at = min(float(record.checked_at), now)
    except (ValueError, TypeError, AttributeError):
        return {}
    return records
