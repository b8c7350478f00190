"""Long text in pages that end after a paragraph, sentence or word."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PARAGRAPH_END_PATTERN = re.compile(r"\n[ \t]*\n+")
_SENTENCE_END_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡]+[”’」』）]*|\n")
_WORD_END_PATTERN = re.compile(r"\s+")


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
    from citewell.text.body_cuts import step_back_to_character

    return step_back_to_character(text, end, start=start)
