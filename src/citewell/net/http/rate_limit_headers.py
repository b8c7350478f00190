"""Reads rate limits and retry delays from response headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC

_MAX_WINDOW_SECONDS = (
    60.0  # seconds; a quota per day or month may be used at once, so it sets no pace
)
_MIN_EPOCH_SECONDS = 1_000_000_000  # a larger reset value is a Unix time, not a delay
_MAX_DELAY_SECONDS = 31 * 86400.0
_INTERVAL_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER_PATTERN = r"(\d{1,12}(?:\.\d{1,6})?)"
_HEADER_PREFIXES = ("x-ratelimit-", "x-rate-limit-", "ratelimit-")

ResponseHeaders = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLimits:
    """The limits stated in one response: pace, burst size, and seconds to pause from now."""

    per_second: float | None = None
    burst: int | None = None
    pause_seconds: float | None = None


def read_stated_limits(headers: ResponseHeaders, *, now: Callable[[], float]) -> StatedLimits:
    """The strictest pace and the longest pause in the headers; invalid values are ignored."""
    windows = [
        window
        for window in _find_quota_windows(headers)
        if window[0] > 0 and 0 < window[1] <= _MAX_WINDOW_SECONDS
    ]
    pauses = [*_find_exhausted_windows(headers, now), *_parse_retry_after(headers, now)]
    pause = max(pauses) if pauses else None
    if not windows:
        return StatedLimits(pause_seconds=pause)
    limit, seconds = min(windows, key=lambda window: window[0] / window[1])
    return StatedLimits(per_second=limit / seconds, burst=max(1, int(limit)), pause_seconds=pause)


def read_retry_delay(headers: ResponseHeaders, *, now: Callable[[], float]) -> float | None:
    """Seconds to wait after a refused request; None if the headers do not say."""
    stated = list(_parse_retry_after(headers, now))
    resets = (
        stated
        or list(_find_exhausted_windows(headers, now))
        or list(_find_reset_delays(headers, now))[:1]
    )
    return max(resets) if resets else None


def _parse_retry_after(headers: ResponseHeaders, now: Callable[[], float]) -> Iterator[float]:
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(_NUMBER_PATTERN, value):
        yield min(float(value), _MAX_DELAY_SECONDS)
    elif value:
        from email.utils import parsedate_to_datetime

        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return
        stamp = date if date.tzinfo else date.replace(tzinfo=UTC)
        yield min(max(0.0, stamp.timestamp() - now()), _MAX_DELAY_SECONDS)


def _find_exhausted_windows(headers: ResponseHeaders, now: Callable[[], float]) -> Iterator[float]:
    """For each exhausted quota window, the seconds until it resets."""
    for prefix in _HEADER_PREFIXES:
        left = _parse_number_list(headers.get(f"{prefix}remaining", ""))
        resets = _parse_number_list(headers.get(f"{prefix}reset", ""))
        for remaining, reset in zip(left, resets, strict=False):
            if remaining <= 0:
                yield _convert_reset_delay(reset, now)
    for item in _split_header_items(headers.get("ratelimit", "")):
        remaining_left, seconds = _parse_item_parameter(item, "r"), _parse_item_parameter(item, "t")
        if remaining_left == 0 and seconds is not None:
            yield _convert_reset_delay(seconds, now)


def _find_reset_delays(headers: ResponseHeaders, now: Callable[[], float]) -> Iterator[float]:
    for prefix in _HEADER_PREFIXES:
        for reset in _parse_number_list(headers.get(f"{prefix}reset", "")):
            yield _convert_reset_delay(reset, now)


def _find_quota_windows(headers: ResponseHeaders) -> Iterator[tuple[float, float]]:
    """Pairs of the calls allowed and the length of the window in seconds."""
    for prefix in _HEADER_PREFIXES:
        for item in (
            *_split_header_items(headers.get(f"{prefix}limit", "")),
            *_split_header_items(headers.get(f"{prefix}policy", "")),
        ):
            limit = _parse_item_parameter(item, "q") or _parse_leading_number(item)
            seconds = _parse_item_parameter(item, "w")
            if limit is not None and seconds is not None:
                yield limit, seconds
    # Crossref states a number of calls and an interval such as "1s".
    limits = _parse_number_list(headers.get("x-rate-limit-limit", ""))
    interval = re.fullmatch(
        _NUMBER_PATTERN + r"\s*([smhd]?)", headers.get("x-rate-limit-interval", "").strip()
    )
    if limits and interval:
        yield limits[0], float(interval[1]) * _INTERVAL_UNIT_SECONDS[interval[2]]


def _split_header_items(value: str) -> list[str]:
    return [item.strip() for item in value.split(",")[:8] if item.strip()]


def _parse_number_list(value: str) -> list[float]:
    """The numbers of a comma-separated list such as Brave's "1, 15000", up to the first invalid item."""
    numbers = []
    for item in _split_header_items(value):
        number = _parse_leading_number(item)
        if number is None:
            break
        numbers.append(number)
    return numbers


def _parse_leading_number(item: str) -> float | None:
    match = re.match(_NUMBER_PATTERN + r"\s*(?:;|$)", item)
    return float(match[1]) if match else None


def _parse_item_parameter(item: str, name: str) -> float | None:
    match = re.search(rf";\s*{name}\s*=\s*{_NUMBER_PATTERN}\s*(?:;|$)", item)
    return float(match[1]) if match else None


def _convert_reset_delay(reset: float, now: Callable[[], float]) -> float:
    seconds = reset - now() if reset > _MIN_EPOCH_SECONDS else reset
    return min(max(0.0, seconds), _MAX_DELAY_SECONDS)
