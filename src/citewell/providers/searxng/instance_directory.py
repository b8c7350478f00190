"""Public instances from searx.space's data, best first."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from citewell.errors import CitewellError, MalformedResponse, Misconfigured
from citewell.net.upstream.upstream_client import Upstream
from citewell.providers.searxng.instance_settings import (
    DISCOVERY_SETTING,
    InstanceSource,
    SearxngInstance,
    normalize_instance_url,
)
from citewell.providers.searxng.json_memory import JsonMemory

_DIRECTORY_KEY = "directory"
_FRESH_SECONDS = 6 * 3600.0  # it is rebuilt about hourly, but changes little
_DIRECTORY_KEEP_SECONDS = 14 * 86400.0  # an old list is of use while searx.space is down
_MAX_DIRECTORY_BYTES = 32 * 2**20
_GRADE_BANDS = {"A+": 0, "A": 1, "B": 2}
_GOOD_UPTIME_PERCENT = 95.0
_LOOPBACK_PREFIXES = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class InstanceDirectory:
    """Loads the list of instances from a file or address, and remembers it across restarts."""

    def __init__(
        self, where: str, *, upstream: Upstream, notebook: JsonMemory, clock: Callable[[], float]
    ) -> None:
        self._where = where
        self._upstream = upstream
        self._notebook = notebook
        self._clock = clock
        self._instances: tuple[SearxngInstance, ...] = ()
        self._read_at = -math.inf

    async def list_public_instances(self) -> tuple[SearxngInstance, ...]:
        """Usable instances, best first. If the list cannot be loaded again, the old one stays in use."""
        if self._clock() - self._read_at < _FRESH_SECONDS:
            return self._instances
        kept = await self._recall_directory() or self._find_loaded_instances()
        if kept is None or self._clock() - kept[0] >= _FRESH_SECONDS:
            kept = await self._refresh_directory(kept)
        self._read_at, self._instances = kept
        return self._instances

    async def _refresh_directory(
        self, kept: tuple[float, tuple[SearxngInstance, ...]] | None
    ) -> tuple[float, tuple[SearxngInstance, ...]]:
        try:
            found = parse_directory(await self._load_directory())
        except CitewellError:
            if kept is None:
                raise
            return self._clock(), kept[1]
        await self._remember_directory(found)
        return self._clock(), found

    def _find_loaded_instances(self) -> tuple[float, tuple[SearxngInstance, ...]] | None:
        return (self._read_at, self._instances) if math.isfinite(self._read_at) else None

    async def _load_directory(self) -> object:
        if not self._where.startswith(("http://", "https://")):
            return await asyncio.to_thread(_load_directory_file, self._where)
        return (
            await self._upstream.send_get(base_url=self._where, max_bytes=_MAX_DIRECTORY_BYTES)
        ).parse_json()

    async def _recall_directory(self) -> tuple[float, tuple[SearxngInstance, ...]] | None:
        kept = await self._notebook.recall_json(_DIRECTORY_KEY)
        try:
            if kept["where"] != self._where:
                return None
            rows = [
                SearxngInstance(source=InstanceSource.DISCOVERED, **row)
                for row in kept["instances"]
            ]
            return float(kept["at"]), tuple(rows)
        except (ValueError, TypeError, KeyError):  # nothing stored, or by another version
            return None

    async def _remember_directory(self, found: tuple[SearxngInstance, ...]) -> None:
        rows = [
            {"url": one.url, "band": one.band, "uptime": one.uptime, "seconds": one.seconds}
            for one in found
        ]
        kept = {"where": self._where, "at": self._clock(), "instances": rows}
        await self._notebook.remember_json(_DIRECTORY_KEY, kept, ttl=_DIRECTORY_KEEP_SECONDS)


def parse_directory(data: object) -> tuple[SearxngInstance, ...]:
    """The usable instances, ordered by grade, then uptime, then response time.

    Raises BadShape if the data has no table of instances.
    """
    table = data.get("instances") if isinstance(data, dict) else None
    if not isinstance(table, dict):
        raise MalformedResponse("The list of SearXNG instances has no table of instances.")
    found = [
        one
        for url, entry in table.items()
        if (one := _parse_directory_entry(url, entry)) is not None
    ]
    return tuple(sorted(found, key=build_rank_key))


def build_rank_key(instance: SearxngInstance) -> tuple[int, float, float, str]:
    """Sort key by grade, uptime and response time; unmeasured values come last."""
    seconds = math.inf if instance.seconds is None else instance.seconds
    return instance.band, -(instance.uptime or 0.0), seconds, instance.url


def _parse_directory_entry(url: object, entry: object) -> SearxngInstance | None:
    root = normalize_instance_url(url) if isinstance(url, str) else None
    if root is None or not isinstance(entry, dict) or not _is_trustworthy(root, entry):
        return None
    uptime = _find_uptime(_read_nested_table(entry, "uptime"))
    band = _find_grade_band(entry, uptime)
    if band is None:
        return None
    return SearxngInstance(
        url=root,
        source=InstanceSource.DISCOVERED,
        band=band,
        uptime=uptime,
        seconds=_find_response_seconds(entry),
    )


def _is_trustworthy(root: str, entry: dict[str, Any]) -> bool:
    """Whether it is on the open network, encrypted, last seen working, and without analytics."""
    status = _read_nested_table(entry, "http").get("status_code")
    return (
        entry.get("network_type") == "normal"
        and (root.startswith("https://") or root.startswith(_LOOPBACK_PREFIXES))
        and not entry.get("error")
        and not entry.get("analytics")
        and status in {None, 200}
    )


def _find_grade_band(entry: dict[str, Any], uptime: float | None) -> int | None:
    """The band of the worse grade; None if both are missing or one is below B.

    B if one grade is missing, or if an A comes with a low uptime.
    """
    grades = [
        str(grade)
        for name in ("http", "tls")
        if (grade := _read_nested_table(entry, name).get("grade"))
    ]
    if not grades or any(grade not in _GRADE_BANDS for grade in grades):
        return None
    band = max(_GRADE_BANDS[grade] for grade in grades)
    unsure = len(grades) < 2 or (
        band == _GRADE_BANDS["A"] and (uptime or 0.0) < _GOOD_UPTIME_PERCENT
    )
    return _GRADE_BANDS["B"] if unsure else band


def _find_uptime(table: dict[str, Any]) -> float | None:
    names = ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear")
    return next(_collect_numbers(table, names), None)


def _find_response_seconds(entry: dict[str, Any]) -> float | None:
    """Seconds for a search: the `median` of several measurements, or the `value` of one."""
    times = _read_nested_table(
        _read_nested_table(_read_nested_table(entry, "timing"), "search"), "all"
    )
    return next(_collect_numbers(times, ("median", "value", "mean")), None)


def _collect_numbers(table: dict[str, Any], names: tuple[str, ...]) -> Iterator[float]:
    for name in names:
        value = table.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield float(value)


def _read_nested_table(entry: dict[str, Any], name: str) -> dict[str, Any]:
    value = entry.get(name)
    return value if isinstance(value, dict) else {}


def _load_directory_file(name: str) -> object:
    try:
        return json.loads(Path(name).expanduser().read_bytes())
    except (OSError, ValueError) as error:
        reason = "not JSON" if isinstance(error, ValueError) else "not readable"
        message = f"{DISCOVERY_SETTING} names a file that is {reason}."
        raise Misconfigured(message, action="inform_user") from None
