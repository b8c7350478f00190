"""Texts that are copies of one another, by the runs of five words they share."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from citewell.text import tokens

_WORDS = 5
_COPY = 0.8  # of the shorter text's runs
_LEAST = 20  # runs; a shorter text must match the whole of the other
_LOOKED_AT = 60_000  # characters
_SHORTEST = 0.3  # of the longer text: a quotation in it is no copy of it


def shingles(text: str) -> frozenset[int]:
    """The runs of five words as numbers that do not depend on the process."""
    words = [word.encode("utf-8", "surrogatepass") for word in tokens.words(text[:_LOOKED_AT])]
    return frozenset(
        crc32(b" ".join(words[at : at + _WORDS])) for at in range(max(1, len(words) - _WORDS + 1))
    )


def copies(texts: Sequence[str]) -> tuple[int, ...]:
    """For each text the place of the first one that it repeats; its own when it repeats none."""
    runs = [shingles(text) for text in texts]
    first: list[int] = []
    for place, own in enumerate(runs):
        earlier = (other for other in range(place) if first[other] == other)
        found = (other for other in earlier if _copied(runs[other], own))
        first.append(next(found, place))
    return tuple(first)


def _copied(one: frozenset[int], other: frozenset[int]) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < _LEAST:
        return one == other
    if len(short) < _SHORTEST * len(long):
        return False
    return len(short & long) >= _COPY * len(short)
