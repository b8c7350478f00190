"""Numbers, durations, sizes, amounts and moments as people read them."""

from __future__ import annotations

_SECONDS_BY_UNIT = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_BYTES_PER_STEP = 1024
_BYTE_UNITS = ("B", "KB", "MB", "GB", "TB")


def format_count(value: int) -> str:
    return f"{value:,}"


def format_share(part: int, whole: int) -> str:
    """A percentage; a dash if there is nothing to divide by."""
    if not whole:
        return "–"
    if part in {0, whole}:
        return "100 %" if part else "0 %"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"


def format_milliseconds(value: float | None) -> str:
    """Such as "8 ms", "0.42 s" or "75 s"; a dash if it is not known."""
    if value is None:
        return "–"
    if value < 10:
        return f"{value:.1f} ms"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 10_000 else f"{value / 1000:,.0f} s"


def format_duration(seconds: float) -> str:
    """The two largest units, such as "3 d 4 h" or "45 s"."""
    rest = int(seconds)
    parts: list[str] = []
    for unit, size in _SECONDS_BY_UNIT:
        amount, rest = divmod(rest, size)
        if amount or (unit == "s" and not parts):
            parts.append(f"{amount} {unit}")
        elif parts:
            break
    return " ".join(parts[:2])


def format_bytes(value: int) -> str:
    amount, unit = float(value), 0
    while amount >= _BYTES_PER_STEP and unit < len(_BYTE_UNITS) - 1:
        amount, unit = amount / _BYTES_PER_STEP, unit + 1
    return f"{amount:.0f} {_BYTE_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_BYTE_UNITS[unit]}"


def format_cents(value: int) -> str:
    return f"${value // 100:,}.{value % 100:02d}"


def format_clock_time(moment: str) -> str:
    """The time of an ISO moment, such as "14:05:09 UTC"."""
    return f"{moment[11:19]} UTC"


def format_day_time(moment: str) -> str:
    """Day and time of an ISO moment, such as "2026-03-01 14:05 UTC"."""
    return f"{moment[:10]} {moment[11:16]} UTC"
