"""How much a text weighs, and how room is divided between several."""

from __future__ import annotations

from collections.abc import Sequence

SPARSE = 150  # words; with fewer a page has little to say
_CATEGORIES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))


def weight(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def tokens(length: int) -> int:
    """About as many as a model will count, at four bytes each."""
    return length // 4


def category(length: int) -> str:
    return next((name for bound, name in _CATEGORIES if length < bound), "very_large")


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """What each may take of `room`: nobody more than it needs, the rest in equal parts."""
    granted = [0] * len(sizes)
    left = max(0, room)
    waiting = sorted(range(len(sizes)), key=lambda place: sizes[place])
    while waiting:
        place = waiting.pop(0)
        granted[place] = min(sizes[place], left // (len(waiting) + 1))
        left -= granted[place]
    return granted
