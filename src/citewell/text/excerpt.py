"""The stretch of a text that says most about what was asked."""

from __future__ import annotations

import re
from collections.abc import Collection

from citewell.text.tokens import words

_LOOKED_AT = 400_000  # characters
_SPACE = re.compile(r"\s+")
_CHUNK = re.compile(r"[^\n。！？]{1,200}(?:\s|[。！？]|$)|[^\n]{1,200}")


def excerpt(text: str, wanted: Collection[str], *, width: int = 300) -> str:
    """At most about `width` characters around the densest place; the beginning when none matches.

    `wanted` are words as `tokens.words` gives them; endings are let pass.
    """
    looked = text[:_LOOKED_AT]
    roots = frozenset(word[: max(3, len(word) - 3)] if len(word) > 4 else word for word in wanted)
    best, start = 0, 0
    for chunk in _CHUNK.finditer(looked):
        found = {root for word in words(chunk[0]) for root in roots if word.startswith(root)}
        if len(found) > best:
            best, start = len(found), chunk.start()
            if best == len(roots):
                break
    return _window(looked, start, width)


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
