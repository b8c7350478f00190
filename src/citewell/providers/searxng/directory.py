"""Public instances out of searx.space's data, best first."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from citewell.errors import BadShape, CitewellError, Misconfigured
from citewell.net.upstream import Upstream
from citewell.providers.searxng.instance import DISCOVERY, Instance, Source, address
from citewell.providers.searxng.notebook import Notebook

_KEY = "directory"
_FRESH = 6 * 3600.0  # the list is built anew every hour or so; nobody needs each build
_KEEP = 14 * 86400.0  # an old list is better than none while searx.space is down
_MAX_BYTES = 32 * 2**20
_GRADES = {"A+": 0, "A": 1, "B": 2}
_GOOD_UPTIME = 95.0
_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class Directory:
    """Reads the list from a file or an address, and keeps it for the next start."""

    def __init__(
        self, where: str, *, upstream: Upstream, notebook: Notebook, clock: Callable[[], float]
    ) -> None:
        self._where = where
        self._upstream = upstream
        self._notebook = notebook
        self._clock = clock
        self._instances: tuple[Instance, ...] = ()
        self._read_at = -math.inf

    async def instances(self) -> tuple[Instance, ...]:
        """Candidates, best first. A list that cannot be had again stays in use as it was."""
        if self._clock() - self._read_at < _FRESH:
            return self._instances
        kept = await self._recall() or self._in_use()
        if kept is None or self._clock() - kept[0] >= _FRESH:
            kept = await self._renew(kept)
        self._read_at, self._instances = kept
        return self._instances

    async def _renew(
        self, kept: tuple[float, tuple[Instance, ...]] | None
    ) -> tuple[float, tuple[Instance, ...]]:
        try:
            found = candidates(await self._read())
        except CitewellError:
            if kept is None:
                raise
            return self._clock(), kept[1]
        await self._remember(found)
        return self._clock(), found

    def _in_use(self) -> tuple[float, tuple[Instance, ...]] | None:
        return (self._read_at, self._instances) if math.isfinite(self._read_at) else None

    async def _read(self) -> object:
        if not self._where.startswith(("http://", "https://")):
            return await asyncio.to_thread(_read_file, self._where)
        return (await self._upstream.get(base_url=self._where, max_bytes=_MAX_BYTES)).parsed()

    async def _recall(self) -> tuple[float, tuple[Instance, ...]] | None:
        kept = await self._notebook.read(_KEY)
        try:
            if kept["where"] != self._where:
                return None
            rows = [Instance(source=Source.DISCOVERED, **row) for row in kept["instances"]]
            return float(kept["at"]), tuple(rows)
        except (ValueError, TypeError, KeyError):  # nothing, or another version's
            return None

    async def _remember(self, found: tuple[Instance, ...]) -> None:
        rows = [
            {"url": one.url, "band": one.band, "uptime": one.uptime, "seconds": one.seconds}
            for one in found
        ]
        kept = {"where": self._where, "at": self._clock(), "instances": rows}
        await self._notebook.write(_KEY, kept, ttl=_KEEP)


def candidates(data: object) -> tuple[Instance, ...]:
    """Usable instances by grade, then uptime, then response time."""
    table = data.get("instances") if isinstance(data, dict) else None
    if not isinstance(table, dict):
        raise BadShape("The list of SearXNG instances has no table of instances.")
    found = [one for url, entry in table.items() if (one := _candidate(url, entry)) is not None]
    return tuple(sorted(found, key=rank))


def rank(instance: Instance) -> tuple[int, float, float, str]:
    """Sort key: what nobody measured comes after what was measured."""
    seconds = math.inf if instance.seconds is None else instance.seconds
    return instance.band, -(instance.uptime or 0.0), seconds, instance.url


def _candidate(url: object, entry: object) -> Instance | None:
    root = address(url) if isinstance(url, str) else None
    if root is None or not isinstance(entry, dict) or not _trustworthy(root, entry):
        return None
    uptime = _uptime(_table(entry, "uptime"))
    band = _band(entry, uptime)
    if band is None:
        return None
    return Instance(
        url=root, source=Source.DISCOVERED, band=band, uptime=uptime, seconds=_seconds(entry)
    )


def _trustworthy(root: str, entry: dict[str, Any]) -> bool:
    """On the open network, encrypted, working when last looked at, and not counting its visitors."""
    status = _table(entry, "http").get("status_code")
    return (
        entry.get("network_type") == "normal"
        and (root.startswith("https://") or root.startswith(_LOOPBACK))
        and not entry.get("error")
        and not entry.get("analytics")
        and status in {None, 200}
    )


def _band(entry: dict[str, Any], uptime: float | None) -> int | None:
    """The worse of both grades; one missing grade counts as B, and two as unusable."""
    grades = [str(grade) for name in ("http", "tls") if (grade := _table(entry, name).get("grade"))]
    if not grades or any(grade not in _GRADES for grade in grades):
        return None
    band = max(_GRADES[grade] for grade in grades)
    unsure = len(grades) < 2 or (band == _GRADES["A"] and (uptime or 0.0) < _GOOD_UPTIME)
    return _GRADES["B"] if unsure else band


def _uptime(table: dict[str, Any]) -> float | None:
    names = ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear")
    return next(_numbers(table, names), None)


def _seconds(entry: dict[str, Any]) -> float | None:
    """One sample is called `value`; several give a `median`."""
    times = _table(_table(_table(entry, "timing"), "search"), "all")
    return next(_numbers(times, ("median", "value", "mean")), None)


def _numbers(table: dict[str, Any], names: tuple[str, ...]) -> Iterator[float]:
    for name in names:
        value = table.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield float(value)


def _table(entry: dict[str, Any], name: str) -> dict[str, Any]:
    value = entry.get(name)
    return value if isinstance(value, dict) else {}


def _read_file(name: str) -> object:
    try:
        return json.loads(Path(name).expanduser().read_bytes())
    except (OSError, ValueError) as error:
        reason = "not JSON" if isinstance(error, ValueError) else "not readable"
        message = f"{DISCOVERY} names a file that is {reason}."
        raise Misconfigured(message, action="inform_user") from None
