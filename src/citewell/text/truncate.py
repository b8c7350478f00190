"""Shortens a text to a number of bytes without breaking a character, a sentence or a code block."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_FENCE = re.compile(r"^(```+|~~~+)", re.MULTILINE)
_LAST_HEADING = re.compile(r"(?:\n+#{1,6} [^\n]*)+\Z")  # one whose text was cut off
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？｡।؟]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    text: str
    truncated: bool


def truncate(text: str, limit: int) -> Cut:
    """At most `limit` bytes of UTF-8: to the last paragraph, sentence, line or word that fits.

    A break in the first half is not used: losing that much would be worse than a rough edge.
    """
    if len(text) * 4 <= limit or len(text.encode("utf-8", "replace")) <= limit:
        return Cut(text=text, truncated=False)
    kept = _kept(text, limit)
    if fence := _open_fence(kept):
        shorter = _kept(text, limit - len(fence) - 1)
        kept = f"{shorter}\n{fence}" if _open_fence(shorter) == fence else shorter
    return Cut(text=kept, truncated=True)


def _kept(text: str, limit: int) -> str:
    whole = _fitting(text, max(0, limit))
    return _LAST_HEADING.sub("", whole[: _place(whole)].rstrip())


def _open_fence(text: str) -> str | None:
    """The mark of a code block that the text leaves open."""
    fences: list[str] = _FENCE.findall(text)
    return fences[-1] if len(fences) % 2 else None


def _fitting(text: str, limit: int) -> str:
    """The longest start that fits, not ending between a letter and its accent."""
    start = text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
    end = len(start)
    while 0 < end < len(text) and _continues(text[end]):
        end -= 1
    return start[:end]


def _continues(char: str) -> bool:
    return bool(unicodedata.combining(char)) or char in "\u200d\ufe0e\ufe0f"


def _place(text: str) -> int:
    half = len(text) // 2
    ends = (
        text.rfind("\n\n"),
        max((match.end() for match in _SENTENCE.finditer(text, half)), default=-1),
        text.rfind("\n"),
        text.rfind(" "),
    )
    return next((end for end in ends if end > half), len(text))
