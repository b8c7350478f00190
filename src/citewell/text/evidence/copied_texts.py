"""Finds texts that are copies of each other, by the five-word runs they share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

from citewell.text.language import tokens

_SHINGLE_WORDS = 5
_MIN_COPIED_SHARE = 0.6  # of the shorter text's runs must be in the other
_NO_DATE = "~"  # sorts after every date
_MIN_SHINGLES = 20  # runs; a shorter text must equal the other
_MAX_SHINGLED_CHARS = 60_000  # characters
_KEPT_TEXTS = 32  # the pages of a job or two, which are compared more than once
_MIN_LENGTH_RATIO = 0.3  # of the longer text's length: a quotation is not a copy


@lru_cache(maxsize=_KEPT_TEXTS)
def hash_shingles(text: str) -> frozenset[int]:
    """Hashes of all five-word runs; the same in every process."""
    words = [
        word.encode("utf-8", "surrogatepass")
        for word in tokens.split_words(text[:_MAX_SHINGLED_CHARS])
    ]
    return frozenset(
        crc32(b" ".join(words[at : at + _SHINGLE_WORDS]))
        for at in range(max(1, len(words) - _SHINGLE_WORDS + 1))
    )


def find_copied_originals(
    texts: Sequence[str], dates: Sequence[str | None] = ()
) -> tuple[int, ...]:
    """For each text the index of the text it copies; its own index if it copies none.

    Of texts with a date the earliest is the original; otherwise the first in the order given is.
    """
    runs = [hash_shingles(text) for text in texts]
    first: dict[int, int] = {}
    known = [date or _NO_DATE for date in dates] or [_NO_DATE] * len(texts)
    for place in sorted(range(len(texts)), key=known.__getitem__):
        originals = (other for other, origin in first.items() if other == origin)
        found = (other for other in originals if is_copied_text(runs[other], runs[place]))
        first[place] = next(found, place)
    return tuple(first[place] for place in range(len(texts)))


def is_copied_text(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether one of two texts, given as hashes of their runs, repeats most of the other."""
    short, long = sorted((one, other), key=len)
    if len(short) < _MIN_SHINGLES:
        return one == other
    if len(short) < _MIN_LENGTH_RATIO * len(long):
        return False
    return len(short & long) >= _MIN_COPIED_SHARE * len(short)
