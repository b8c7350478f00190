"""Truncates text to a number of bytes without breaking characters, sentences or code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text.body_cuts import step_back_to_character

_FENCE_START_PATTERN = re.compile(r"^(```+|~~~+)", re.MULTILINE)
_HEADING_LINE_PATTERN = re.compile(r"#{1,6} ")
_SENTENCE_STOP_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？｡।؟]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedText:
    text: str
    truncated: bool
    kept_chars: int  # of the text as it was, without the fence that closes a code block


def truncate_text(text: str, max_bytes: int) -> TruncatedText:
    """At most `max_bytes` of UTF-8, cut after the last paragraph, sentence, line or word that fits.

    Breaks in the first half are not used, because too much would be lost. An open code block is
    closed.
    """
    if len(text) * 4 <= max_bytes or len(text.encode("utf-8", "replace")) <= max_bytes:
        return TruncatedText(text=text, truncated=False, kept_chars=len(text))
    kept, closing = _cut_at_break(text, max_bytes), ""
    if fence := _find_open_fence(kept):
        kept = _cut_at_break(text, max_bytes - len(fence) - 1)
        closing = f"\n{fence}" if _find_open_fence(kept) == fence else ""
    return TruncatedText(text=kept + closing, truncated=True, kept_chars=len(kept))


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
    whole = not start or len(start) == len(text)
    return start if whole else text[: step_back_to_character(text, len(start))]


def _choose_break_position(text: str) -> int:
    half = len(text) // 2
    ends = (
        text.rfind("\n\n"),
        max((match.end() for match in _SENTENCE_STOP_PATTERN.finditer(text, half)), default=-1),
        text.rfind("\n"),
        text.rfind(" "),
    )
    return next((end for end in ends if end > half), len(text))
