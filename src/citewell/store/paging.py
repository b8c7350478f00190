"""Long text in pages that end where a reader would pause."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡]+[”’」』）]*|\n")
_WORD = re.compile(r"\s+")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A stretch of the text; offsets count characters, and the pages together are the text."""

    text: str
    offset: int
    next_offset: int | None  # None on the last page
    total: int


def page(text: str, offset: int, size: int) -> Page:
    """At most `size` characters from `offset`, cut after a paragraph, a sentence or a word."""
    start = min(max(offset, 0), len(text))
    end = _cut(text, start, max(size, 1))
    return Page(
        text=text[start:end],
        offset=start,
        next_offset=end if end < len(text) else None,
        total=len(text),
    )


def _cut(text: str, start: int, size: int) -> int:
    end = start + size
    if end >= len(text):
        return len(text)
    # A pause in the first half would waste most of the page.
    for pause in (_PARAGRAPH, _SENTENCE, _WORD):
        stops = [found.end() for found in pause.finditer(text, start, end)]
        if stops and stops[-1] > start + size // 2:
            return stops[-1]
    return _whole(text, start, end)


def _whole(text: str, start: int, end: int) -> int:
    """Step back rather than part a letter from its accent or an emoji from its joiner."""
    cut = end
    while cut > start + 1 and _belongs_before(text, cut):
        cut -= 1
    return cut if cut > start + 1 or not _belongs_before(text, cut) else end


def _belongs_before(text: str, cut: int) -> bool:
    here = text[cut]
    modifies = here in _JOINERS or "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
    return modifies or bool(unicodedata.combining(here)) or text[cut - 1] == "\u200d"
