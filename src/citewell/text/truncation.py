"""Truncates text to a number of bytes without breaking characters, sentences or code blocks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_FENCE_START_PATTERN = re.compile(r"^(```+|~~~+)", re.MULTILINE)
_HEADING_LINE_PATTERN = re.compile(r"#{1,6} ")
_SENTENCE_STOP_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？｡।؟]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedText:
    text: str
    truncated: bool


def truncate_text(text: str, max_bytes: int) -> TruncatedText:
    """At most `max_bytes` of UTF-8, cut after the last paragraph, sentence, line or word that fits.

    Breaks in the first half are not used, because too much would be lost. An open code block is
    closed.
    """
    if len(text) * 4 <= max_bytes or len(text.encode("utf-8", "replace")) <= max_bytes:
        return TruncatedText(text=text, truncated=False)
    kept = _cut_at_break(text, max_bytes)
    if fence := _find_open_fence(kept):
        shorter = _cut_at_break(text, max_bytes - len(fence) - 1)
        kept = f"{shorter}\n{fence}" if _find_open_fence(shorter) == fence else shorter
    return TruncatedText(text=kept, truncated=True)


def _cut_at_break(text: str, limit: int) -> str:
    whole = _cut_to_bytes(text, max(0, limit))
    return _drop_final_headings(whole[: _choose_break_position(whole)].rstrip())


def _drop_final_headings(text: str) -> str:
    """The text without headings at its end, whose own text was cut off."""
    end = len(text)
    start = text.rfind("\n") + 1
    while start and _HEADING_LINE_PATTERN.match(text, start):
        end = start
        while end and text[end - 1] == "\n":
            end -= 1
        start = text.rfind("\n", 0, end) + 1
    return text[:end]


def _find_open_fence(text: str) -> str | None:
    """The fence of a code block that the text leaves open; None if all are closed."""
    fences: list[str] = _FENCE_START_PATTERN.findall(text)
    return fences[-1] if len(fences) % 2 else None


def _cut_to_bytes(text: str, limit: int) -> str:
    """The longest start that fits and does not separate a letter from its combining marks."""
    start = text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
    end = len(start)
    while 0 < end < len(text) and _is_combining_character(text[end]):
        end -= 1
    return start[:end]


def _is_combining_character(char: str) -> bool:
    return bool(unicodedata.combining(char)) or char in "\u200d\ufe0e\ufe0f"


def _choose_break_position(text: str) -> int:
    half = len(text) // 2
    ends = (
        text.rfind("\n\n"),
        max((match.end() for match in _SENTENCE_STOP_PATTERN.finditer(text, half)), default=-1),
        text.rfind("\n"),
        text.rfind(" "),
    )
    return next((end for end in ends if end > half), len(text))
