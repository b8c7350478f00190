"""Words for counts and durations in messages: 1 step, 2 steps, 90 seconds, 4 hours."""

from __future__ import annotations

# Units with their seconds, the longest first.
_UNITS = (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0))


def pluralize(count: float, singular: str, plural: str = "") -> str:
    """The form that fits the count, without the count; `plural` if it is more than an added s."""
    return singular if count == 1 else plural or f"{singular}s"


def describe_duration(seconds: float) -> str:
    """A duration in the longest unit of which it is a whole number, else in seconds."""
    for unit, size in _UNITS:
        if seconds >= size and seconds % size == 0:
            count = round(seconds / size)
            return f"{count} {pluralize(count, unit)}"
    return f"{seconds:g} {pluralize(seconds, 'second')}"
