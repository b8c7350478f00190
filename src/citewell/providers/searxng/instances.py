"""SearXNG instances: those that the settings name, and public ones from searx.space, best first."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from citewell.core.errors import CitewellError, MalformedResponse, Misconfigured
from citewell.net.upstream.upstream_client import Upstream
from citewell.routing.ports import ProviderKit, ProviderMemory

_DIRECTORY_KEY = "directory"
_FRESH_SECONDS = 6 * 3600.0  # it is rebuilt about hourly, but changes little
_DIRECTORY_KEEP_SECONDS = 14 * 86400.0  # an old list is of use while searx.space is down
_MAX_DIRECTORY_BYTES = 32 * 2**20
_GRADE_BANDS = {"A+": 0, "A": 1, "B": 2}
_GOOD_UPTIME_PERCENT = 95.0
_LOOPBACK_PREFIXES = ("http://127.0.0.1", "http://localhost", "http://[::1]")

URL_SETTING = "SEARXNG_URL"
BASIC_AUTH_SETTING = "SEARXNG_BASIC_AUTH"
HEADERS_SETTING = "SEARXNG_HEADERS"
INSTANCES_SETTING = "CITEWELL_SEARXNG_INSTANCES"
DISCOVERY_SETTING = "CITEWELL_SEARXNG_DISCOVERY"
FAILURES_SETTING = "CITEWELL_SEARXNG_MAX_FAILURES"
BACKOFF_SETTING = "CITEWELL_SEARXNG_BACKOFF"
PAUSE_SETTING = "CITEWELL_SEARXNG_PAUSE"
RANDOM_SETTING = "CITEWELL_SEARXNG_RANDOM"

_HEADER_PATTERN = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*+:\s*+([\x20-\x7e]+)")
_NEXT_HEADER_PATTERN = re.compile(r",\s*(?=[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*:)")


class InstanceSource(IntEnum):
    """How we know of an instance; lower values are asked first."""

    OWN = 0
    LISTED = 1
    DISCOVERED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SearxngInstance:
    url: str  # without a final slash, query or credentials
    source: InstanceSource
    band: int = 0  # 0 for A+, 1 for A, 2 for B; configured instances have 0
    uptime: float | None = None  # per cent
    seconds: float | None = None  # for a search, measured by searx.space
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_own(self) -> bool:
        return self.source is InstanceSource.OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class InstancePlan:
    """The configured instances, and where to discover others."""

    configured_instances: tuple[
        SearxngInstance, ...
    ]  # your own instance first, then the listed ones
    discovery_location: str | None


def read_instance_plan(kit: ProviderKit, *, unset: str) -> InstancePlan:
    """The plan from the provider's options. A base URL other than `unset` is your own instance, too."""
    base = kit.upstream.base_url
    url = kit.find_option(URL_SETTING) or (base if base != unset else None)
    own = [_build_own_instance(url, kit)] if url else []
    entries = (entry.strip() for entry in (kit.find_option(INSTANCES_SETTING) or "").split(","))
    listed = [_build_listed_instance(entry) for entry in entries if entry]
    seen = {instance.url: instance for instance in reversed([*own, *listed])}
    return InstancePlan(
        configured_instances=tuple(reversed(seen.values())),
        discovery_location=kit.find_option(DISCOVERY_SETTING),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRules:
    """How instances are treated; see the options of the provider."""

    max_failures: int = 3  # in a row, before an instance is suspended
    first_rest: float = 60.0  # seconds of rest after the first failure; doubled after the second
    min_pause: float = 0.1  # seconds between requests to public instances
    max_pause: float = 0.5
    is_random: bool = False  # instances of one grade in random order instead of in turn


def read_instance_rules(kit: ProviderKit) -> InstanceRules:
    """The rules from the provider's options; raises Misconfigured, naming the option that is wrong."""
    usual = InstanceRules()
    failures = kit.find_option(FAILURES_SETTING)
    rest = kit.find_option(BACKOFF_SETTING)
    pause = re.fullmatch(
        r"(\d{1,6})-(\d{1,6})", (kit.find_option(PAUSE_SETTING) or "100-500").strip()
    )
    random = (kit.find_option(RANDOM_SETTING) or "false").strip().lower()
    if failures is not None and not re.fullmatch(r"[1-9]\d{0,3}", failures.strip()):
        raise Misconfigured(f"{FAILURES_SETTING} must be a whole number of 1 or more.")
    if rest is not None and not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", rest.strip()):
        raise Misconfigured(f"{BACKOFF_SETTING} must be a number of seconds.")
    if pause is None or int(pause[1]) > int(pause[2]):
        raise Misconfigured(f"{PAUSE_SETTING} must be a range of milliseconds, such as 100-500.")
    if random not in {"true", "false", "1", "0"}:
        raise Misconfigured(f"{RANDOM_SETTING} must be true or false.")
    return InstanceRules(
        max_failures=int(failures) if failures else usual.max_failures,
        first_rest=float(rest) if rest else usual.first_rest,
        min_pause=int(pause[1]) / 1000,
        max_pause=int(pause[2]) / 1000,
        is_random=random in {"true", "1"},
    )


def normalize_instance_url(url: str) -> str | None:
    """The root address of an instance, from any of its addresses; None if it is not a web address."""
    parts = _split_web_address(url)
    if parts is None:
        return None
    authority = parts.netloc.rpartition("@")[2]
    path = parts.path.rstrip("/").removesuffix("/search").rstrip("/")
    return f"{parts.scheme}://{authority}{path}"


def _build_own_instance(url: str, kit: ProviderKit) -> SearxngInstance:
    secret = _parse_headers_setting(kit.find_option(HEADERS_SETTING) or "")
    account = kit.find_option(BASIC_AUTH_SETTING) or _find_url_credentials(url)
    if account:
        secret["Authorization"] = _encode_basic_auth(account)
    return SearxngInstance(
        url=_require_instance_url(url, URL_SETTING),
        source=InstanceSource.OWN,
        secret_headers=secret,
    )


def _build_listed_instance(url: str) -> SearxngInstance:
    if _find_url_credentials(url):
        raise Misconfigured(
            f"{INSTANCES_SETTING} may not contain credentials; only {URL_SETTING} may."
        )
    return SearxngInstance(
        url=_require_instance_url(url, INSTANCES_SETTING), source=InstanceSource.LISTED
    )


def _require_instance_url(url: str, setting: str) -> str:
    found = normalize_instance_url(url)
    if found is None:
        message = (
            f"{setting} needs the address of a SearXNG instance, such as https://searx.example.org"
        )
        raise Misconfigured(message, action="inform_user")
    return found


def _split_web_address(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port  # raises if the port is not a number
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https"} and parts.hostname else None


def _find_url_credentials(url: str) -> str | None:
    parts = _split_web_address(url)
    if parts is None or parts.username is None:
        return None
    return f"{unquote(parts.username)}:{unquote(parts.password or '')}"


def _encode_basic_auth(account: str) -> str:
    if ":" not in account:
        raise Misconfigured(
            f"{BASIC_AUTH_SETTING} must have the form user:password.", action="inform_user"
        )
    return "Basic " + base64.b64encode(account.encode()).decode("ascii")


def _parse_headers_setting(text: str) -> dict[str, str]:
    found = {}
    for entry in filter(None, (part.strip() for part in _NEXT_HEADER_PATTERN.split(text))):
        match = _HEADER_PATTERN.fullmatch(entry)
        if match is None:
            raise Misconfigured(
                f'{HEADERS_SETTING} must have the form "Name: value, Name: value".',
                action="inform_user",
            )
        found[match[1]] = match[2].strip()
    return found


# Public instances from searx.space's data, best first.


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
        kept = await self._recall_directory() or (
            (self._read_at, self._instances) if math.isfinite(self._read_at) else None
        )
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
            {
                "url": instance.url,
                "band": instance.band,
                "uptime": instance.uptime,
                "seconds": instance.seconds,
            }
            for instance in found
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
        instance
        for url, entry in table.items()
        if (instance := _parse_directory_entry(url, entry)) is not None
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
    names = ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear")
    uptime = next(_collect_numbers(_read_nested_table(entry, "uptime"), names), None)
    band = _find_grade_band(entry, uptime)
    if band is None:
        return None
    # Seconds for a search: the `median` of several measurements, or the `value` of one.
    times = _read_nested_table(
        _read_nested_table(_read_nested_table(entry, "timing"), "search"), "all"
    )
    return SearxngInstance(
        url=root,
        source=InstanceSource.DISCOVERED,
        band=band,
        uptime=uptime,
        seconds=next(_collect_numbers(times, ("median", "value", "mean")), None),
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


class JsonMemory:
    """Stores JSON values by name. Does nothing if there is no memory or it fails."""

    def __init__(self, memory: ProviderMemory) -> None:
        self._memory = memory

    async def recall_json(self, name: str) -> Any:
        """The stored value; None if there is none or it is unreadable."""
        with suppress(CitewellError, ValueError):
            raw = await self._memory.recall_fact(name)
            return json.loads(raw) if raw else None
        return None

    async def remember_json(self, name: str, value: object, *, ttl: float) -> None:
        with suppress(CitewellError):
            await self._memory.remember_fact(name, json.dumps(value).encode(), ttl=ttl)
