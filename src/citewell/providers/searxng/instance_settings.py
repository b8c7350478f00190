"""One SearXNG instance, and the settings that configure instances."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from urllib.parse import SplitResult, unquote, urlsplit

from citewell.errors import Misconfigured
from citewell.ports import ProviderKit

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
