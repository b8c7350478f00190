"""Reads what an upstream says of its limits in the headers of any answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC

_LONGEST_WINDOW = 60.0  # a quota per day or month is not a pace: it may be spent at once
_EPOCH = 1_000_000_000  # a reset beyond this is a date, not a delay
_LONGEST_DELAY = 31 * 86400.0
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = r"(\d{1,12}(?:\.\d{1,6})?)"
_PREFIXES = ("x-ratelimit-", "x-rate-limit-", "ratelimit-")

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one answer taught: a pace, how many calls may be bunched, a pause from now on."""

    per_second: float | None = None
    burst: int | None = None
    pause: float | None = None


def read_limits(headers: Headers, *, now: Callable[[], float]) -> Limits:
    """The strictest pace and the longest pause that the headers ask for; nonsense is skipped."""
    windows = [
        window for window in _windows(headers) if window[0] > 0 and 0 < window[1] <= _LONGEST_WINDOW
    ]
    pauses = [*_exhausted(headers, now), *_retry_after(headers, now)]
    pause = max(pauses) if pauses else None
    if not windows:
        return Limits(pause=pause)
    limit, seconds = min(windows, key=lambda window: window[0] / window[1])
    return Limits(per_second=limit / seconds, burst=max(1, int(limit)), pause=pause)


def read_delay(headers: Headers, *, now: Callable[[], float]) -> float | None:
    """Seconds a refused caller is asked to wait; None when the upstream does not say."""
    stated = list(_retry_after(headers, now))
    resets = stated or list(_exhausted(headers, now)) or list(_resets(headers, now))[:1]
    return max(resets) if resets else None


def _retry_after(headers: Headers, now: Callable[[], float]) -> Iterator[float]:
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(_NUMBER, value):
        yield min(float(value), _LONGEST_DELAY)
    elif value:
        from email.utils import parsedate_to_datetime

        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return
        stamp = date if date.tzinfo else date.replace(tzinfo=UTC)
        yield min(max(0.0, stamp.timestamp() - now()), _LONGEST_DELAY)


def _exhausted(headers: Headers, now: Callable[[], float]) -> Iterator[float]:
    """For each window with nothing left, the seconds until it fills again."""
    for prefix in _PREFIXES:
        left = _numbers(headers.get(f"{prefix}remaining", ""))
        resets = _numbers(headers.get(f"{prefix}reset", ""))
        for remaining, reset in zip(left, resets, strict=False):
            if remaining <= 0:
                yield _delay(reset, now)
    for item in _items(headers.get("ratelimit", "")):
        remaining_left, seconds = _parameter(item, "r"), _parameter(item, "t")
        if remaining_left == 0 and seconds is not None:
            yield _delay(seconds, now)


def _resets(headers: Headers, now: Callable[[], float]) -> Iterator[float]:
    for prefix in _PREFIXES:
        for reset in _numbers(headers.get(f"{prefix}reset", "")):
            yield _delay(reset, now)


def _windows(headers: Headers) -> Iterator[tuple[float, float]]:
    """Pairs of a number of calls and the seconds they are meant for."""
    for prefix in _PREFIXES:
        for item in (
            *_items(headers.get(f"{prefix}limit", "")),
            *_items(headers.get(f"{prefix}policy", "")),
        ):
            limit = _parameter(item, "q") or _leading(item)
            seconds = _parameter(item, "w")
            if limit is not None and seconds is not None:
                yield limit, seconds
    # Crossref: so many calls in an interval such as "1s".
    limits = _numbers(headers.get("x-rate-limit-limit", ""))
    interval = re.fullmatch(
        _NUMBER + r"\s*([smhd]?)", headers.get("x-rate-limit-interval", "").strip()
    )
    if limits and interval:
        yield limits[0], float(interval[1]) * _UNITS[interval[2]]


def _items(value: str) -> list[str]:
    return [item.strip() for item in value.split(",")[:8] if item.strip()]


def _numbers(value: str) -> list[float]:
    """Numbers of a comma list such as Brave's "1, 15000"; one that is none ends the list."""
    numbers = []
    for item in _items(value):
        number = _leading(item)
        if number is None:
            break
        numbers.append(number)
    return numbers


def _leading(item: str) -> float | None:
    match = re.match(_NUMBER + r"\s*(?:;|$)", item)
    return float(match[1]) if match else None


def _parameter(item: str, name: str) -> float | None:
    match = re.search(rf";\s*{name}\s*=\s*{_NUMBER}\s*(?:;|$)", item)
    return float(match[1]) if match else None


def _delay(reset: float, now: Callable[[], float]) -> float:
    seconds = reset - now() if reset > _EPOCH else reset
    return min(max(0.0, seconds), _LONGEST_DELAY)
