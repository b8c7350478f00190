"""Sizes of texts in bytes and tokens, and how a byte limit is split between several."""

from __future__ import annotations

from collections.abc import Sequence

SPARSE_PAGE_WORDS = 150  # words; a page with fewer has little content
_SIZE_CATEGORIES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))


def count_utf8_bytes(text: str) -> int:
    """The length in bytes as UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def estimate_token_count(length: int) -> int:
    """An estimate of a model's tokens for this many bytes, at four bytes each."""
    return length // 4


def classify_size(length: int) -> str:
    return next((name for bound, name in _SIZE_CATEGORIES if length < bound), "very_large")


def split_byte_limit(sizes: Sequence[int], room: int) -> list[int]:
    """The bytes each text may have of `room`: no more than its size, the rest shared equally."""
    granted = [0] * len(sizes)
    left = max(0, room)
    smallest_first = sorted(range(len(sizes)), key=lambda place: sizes[place])
    for done, place in enumerate(smallest_first):
        granted[place] = min(sizes[place], left // (len(sizes) - done))
        left -= granted[place]
    return granted
