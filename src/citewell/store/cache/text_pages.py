"""Long text in pages that end after a paragraph, sentence or word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_PARAGRAPH_END_PATTERN = re.compile(r"\n[ \t]*\n+")
_SENTENCE_END_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡]+[”’」』）]*|\n")
_WORD_END_PATTERN = re.compile(r"\s+")
_JOINING_CHARACTERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPage:
    """A part of a text; offsets count characters, and all pages joined give the whole text."""

    text: str
    offset: int
    next_offset: int | None  # None on the last page
    total_characters: int


def cut_text_page(text: str, offset: int, size: int) -> TextPage:
    """At most `size` characters from `offset`, cut after a paragraph, sentence or word if possible."""
    start = min(max(offset, 0), len(text))
    end = _find_page_end(text, start, max(size, 1))
    return TextPage(
        text=text[start:end],
        offset=start,
        next_offset=end if end < len(text) else None,
        total_characters=len(text),
    )


def _find_page_end(text: str, start: int, size: int) -> int:
    end = start + size
    if end >= len(text):
        return len(text)
    # A cut in the first half would waste most of the page.
    for pause in (_PARAGRAPH_END_PATTERN, _SENTENCE_END_PATTERN, _WORD_END_PATTERN):
        stops = [found.end() for found in pause.finditer(text, start, end)]
        if stops and stops[-1] > start + size // 2:
            return stops[-1]
    return _step_back_to_character(text, start, end)


def _step_back_to_character(text: str, start: int, end: int) -> int:
    """The end of the last whole character: a letter keeps its accents, an emoji its joiners."""
    cut = end
    while cut > start + 1 and _is_inside_character(text, cut):
        cut -= 1
    return cut if cut > start + 1 or not _is_inside_character(text, cut) else end


def _is_inside_character(text: str, cut: int) -> bool:
    here = text[cut]
    modifies = here in _JOINING_CHARACTERS or "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
    return modifies or bool(unicodedata.combining(here)) or text[cut - 1] == "\u200d"
