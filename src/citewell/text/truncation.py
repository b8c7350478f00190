"""Sizes of texts in bytes and tokens, and cuts that break no characters, sentences or code blocks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

SPARSE_PAGE_WORDS = 150  # words; a page with fewer has little content
_SIZE_CATEGORIES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))

INSIDE_CODE, INSIDE_TABLE_ROW = "code block", "table row"
_SENTENCE_END_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？｡।؟]")
_FENCE_LINE_PATTERN = re.compile(r" {0,3}(```+|~~~+)")
_JOINING_CHARACTERS = frozenset("\u200c\u200d\ufe0e\ufe0f")

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
    if fence := _find_unclosed_fence(kept):
        kept = _cut_at_break(text, max_bytes - len(fence) - 1)
        closing = f"\n{fence}" if _find_unclosed_fence(kept) == fence else ""
    return TruncatedText(text=kept + closing, truncated=True, kept_chars=len(kept))


def _cut_at_break(text: str, limit: int) -> str:
    whole = text.encode("utf-8", "replace")[: max(0, limit)].decode("utf-8", "ignore")
    if whole and len(whole) < len(text):  # a letter keeps its combining marks
        whole = text[: step_back_to_character(text, len(whole))]
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


def _find_unclosed_fence(text: str) -> str | None:
    """The fence of a code block that the text leaves open; None if all are closed."""
    fences: list[str] = _FENCE_START_PATTERN.findall(text)
    return fences[-1] if len(fences) % 2 else None


def _choose_break_position(text: str) -> int:
    half = len(text) // 2
    ends = (
        text.rfind("\n\n"),
        max((match.end() for match in _SENTENCE_STOP_PATTERN.finditer(text, half)), default=-1),
        text.rfind("\n"),
        text.rfind(" "),
    )
    return next((end for end in ends if end > half), len(text))


# Cuts a long text to its beginning, at a place where a reader would pause.


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyCut:
    """The beginning of a text. `inside` names the code block or table row that the cut goes through."""

    text: str
    inside: str | None = None


def cut_body(text: str, max_chars: int) -> BodyCut:
    """At most `max_chars` of the beginning, ending after a paragraph, line, sentence or word.

    Breaks in the first half are not used, because too much would be lost. Takes time in proportion
    to `max_chars`, however long the text is.
    """
    if len(text) <= max_chars:
        return BodyCut(text=text)
    if max_chars <= 0:
        return BodyCut(text="")
    end = step_back_to_character(text, max_chars)
    half, fence = end // 2, _find_open_fence(text[:end])
    if fence is not None and fence > half:
        return BodyCut(text=text[:fence])
    if fence is not None:
        line = text.rfind("\n", half, end) + 1
        return BodyCut(text=text[: line or end], inside=INSIDE_CODE)
    paragraph = text.rfind("\n\n", max(0, half - 1), end)
    if paragraph >= 0:
        return BodyCut(text=text[: paragraph + 2])
    return _cut_in_paragraph(text, half, end)


def _cut_in_paragraph(text: str, half: int, end: int) -> BodyCut:
    row = text.rfind("\n", 0, end) + 1
    if text[row : row + 4].lstrip(" ").startswith("|"):
        return BodyCut(text=text[:row]) if row > half else _cut_table_row(text, end)
    stops = [found.end() for found in _SENTENCE_END_PATTERN.finditer(text, half, end)]
    word = text.rfind(" ", half, end) + 1
    return BodyCut(text=text[: (stops[-1] if stops else 0) or (row if row > half else 0) or word or end])  # fmt: skip


def _cut_table_row(text: str, end: int) -> BodyCut:
    if text[end - 1] == "\n" or text[end] == "\n":  # the row is whole
        return BodyCut(text=text[:end])
    return BodyCut(text=text[: text.rfind("|", end // 2, end) + 1 or end], inside=INSIDE_TABLE_ROW)


def _find_open_fence(text: str) -> int | None:
    """Where the line of the fence begins that the text leaves open; None if all are closed."""
    start, mark, position = None, "", 0
    for line in text.split("\n"):
        found = _FENCE_LINE_PATTERN.match(line)
        if found and start is None:
            start, mark = position, found[1]
        elif found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
            start = None
        position += len(line) + 1
    return start


def step_back_to_character(text: str, end: int, *, start: int = 0) -> int:
    """The end of the last whole character: a letter keeps its accents, an emoji its joiners."""
    cut = end
    while cut > start + 1 and _is_inside_character(text, cut):
        cut -= 1
    return cut if cut > start + 1 or not _is_inside_character(text, cut) else end


def _is_inside_character(text: str, cut: int) -> bool:
    here = text[cut]
    modifies = here in _JOINING_CHARACTERS or "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
    return modifies or bool(unicodedata.combining(here)) or text[cut - 1] == "\u200d"


# Sizes of texts in bytes and tokens, and how a byte limit is split between several.


def count_utf8_bytes(text: str) -> int:
    """The length in bytes as UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def estimate_token_count(length: int) -> int:
    """An estimate of a model's tokens for this many bytes, at four bytes each."""
    return length // 4


def classify_size(length: int) -> str:
    return next((name for bound, name in _SIZE_CATEGORIES if length < bound), "very_large")


def split_byte_limit(sizes: Sequence[int], room: int) -> list[int]:
    """The bytes each text may have of `room`: no more than its size, the rest shared equally."""
    granted = [0] * len(sizes)
    left = max(0, room)
    smallest_first = sorted(range(len(sizes)), key=lambda place: sizes[place])
    for done, place in enumerate(smallest_first):
        granted[place] = min(sizes[place], left // (len(sizes) - done))
        left -= granted[place]
    return granted
