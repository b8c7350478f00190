"""The stretch of a text that says most about what was asked."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection

_LOOKED_AT = 400_000  # characters
_PLACES = 2_000
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
    if not roots:
        return 0
    longest_first = sorted(map(re.escape, roots), key=len, reverse=True)
    pattern = re.compile(
        rf"(?<![^\W_])(?:{'|'.join(longest_first)})|(?:{_unspaced(roots)})", re.IGNORECASE
    )
    held: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    best, place = 0, 0
    for number, match in enumerate(pattern.finditer(text)):
        held.append((match.start(), match[0].lower()))
        counts[held[-1][1]] += 1
        while held[0][0] < match.start() - width * 2 // 3:
            counts[held.popleft()[1]] -= 1
        found = sum(count > 0 for count in counts.values())
        if found > best:
            best, place = found, held[0][0]
        if best >= len(roots) or number >= _PLACES:
            break
    return place


def _unspaced(roots: Collection[str]) -> str:
    """Roots that may stand inside a run of letters, for scripts without spaces."""
    inside = [re.escape(root) for root in roots if not root.isascii()]
    return "|".join(inside) or r"(?!)"


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
