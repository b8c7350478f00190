"""A text as its sentences, in any script."""

from __future__ import annotations

import re

_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[¿¡]*[^\Wa-z_])|(?<=[。！？｡।؟])[」』”）]*\s*|\s*\n\s*|\s+[·•|]\s+"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|vs|etc|e\.g|i\.e|cf|al|No|Fig|Inc|Ltd|Co|Jr|Sr|approx|bzw|z\.B))\.$"
)


def split(text: str) -> list[str]:
    """Sentences in order; a full stop after an initial or an abbreviation ends none."""
    found: list[str] = []
    for piece in _pieces(text):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] += " " + piece
        else:
            found.append(piece)
    return found


def _pieces(text: str) -> list[str]:
    pieces, start = [], 0
    for match in _END.finditer(text):
        closing = match[0].rstrip()
        end = match.start() + (len(closing) if closing and closing[0] not in "·•|" else 0)
        pieces.append(text[start:end].strip())
        start = match.end()
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]
