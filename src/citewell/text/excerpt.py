"""The stretch of a text that says most about what was asked."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator

_LOOKED_AT = 400_000  # characters
_PLACES = 500  # of one word that are looked at
_ENDING = 3  # letters that may differ at the end of a longer word
_SPACE = re.compile(r"\s+")


def excerpt(text: str, wanted: Collection[str], *, width: int = 300) -> str:
    """At most about `width` characters where most of the words are; the beginning when none is.

    `wanted` are words as `tokens.words` gives them; their endings are let pass.
    """
    looked = text[:_LOOKED_AT]
    return _window(looked, _densest(looked, wanted, width), width)


def _densest(text: str, wanted: Collection[str], width: int) -> int:
    """Where the most different words stand within `width` characters of one another."""
    roots = {
        word[: max(_ENDING, len(word) - _ENDING)] if len(word) > 4 else word for word in wanted
    }
    low = text.lower()
    places = sorted((place, root) for root in roots for place in _places(low, root))
    held: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    best, start = 0, 0
    for place, root in places:
        held.append((place, root))
        counts[root] += 1
        while held[0][0] < place - width * 2 // 3:
            counts[held.popleft()[1]] -= 1
        found = sum(count > 0 for count in counts.values())
        if found > best:
            best, start = found, held[0][0]
    return start


def _places(text: str, root: str) -> Iterator[int]:
    """Where words begin with this root; in scripts without spaces it may stand anywhere."""
    place = text.find(root) if root else -1
    for _ in range(_PLACES):
        if place < 0:
            return
        if not (root.isascii() and place and text[place - 1].isalnum()):
            yield place
        place = text.find(root, place + 1)


def _window(text: str, start: int, width: int) -> str:
    begin = max(0, start - width // 6)
    if begin:
        space = text.find(" ", begin, start)
        begin = space + 1 if space >= 0 else begin
    piece = text[begin : begin + width]
    end = begin + width
    if end < len(text) and (cut := piece.rfind(" ")) > width // 2:
        piece, end = piece[:cut], begin + cut
    shown = _SPACE.sub(" ", piece).strip()
    return f"{'… ' if begin else ''}{shown}{' …' if end < len(text) else ''}"
