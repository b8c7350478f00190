"""Tells headings from text and wrapped lines from ends of paragraphs in text without markup."""

from __future__ import annotations

import re

_HEADING_PATTERN = re.compile(
    r"\s{0,8}(?:(?:chapter|kapitel|chapitre|capítulo|capitolo|part|teil|section|appendix|anhang|annexe)\s{1,3}[\dIVXA-Z]{1,5}\b"
    r"|第\s?[\d一二三四五六七八九十]{1,4}\s?[章节節])",
    re.IGNORECASE,
)
_NUMBERED_HEADING_PATTERN = re.compile(r"\s{0,8}\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{1,4}[^\W\d_a-z]")
_WORD_HEADING_PATTERN = re.compile(r"\s{0,8}[^\W\d_a-z]")
_ENDING_MARKS = (".", "!", "?", ";", ",", "。", "！", "？", "…", "]", ")", "”", '"', "、")
# A superscript pasted as digits behind the stop of a sentence: "in two trials.1,2".
_RAISED_END_PATTERN = re.compile(r"[.!?][\"”’»)]?\d{1,3}(?:[,–-]\s?\d{1,3}){0,20}\Z")
_MAX_HEADING_CHARS = 100
_MAX_HEADING_WORDS = 12
_MIN_WRAPPED_CHARS = 40
_MAX_WRAPPED_CHARS = 140


def is_heading_line(line: str, *, was_blank: bool, following: str) -> bool:
    """Whether a line of plain text is a heading: it stands alone, is short and ends in no stop."""
    shown = line.strip()
    if not shown or len(shown) > _MAX_HEADING_CHARS or len(shown.split()) > _MAX_HEADING_WORDS:
        return False
    if shown.endswith(_ENDING_MARKS) or _RAISED_END_PATTERN.search(shown):
        return False
    if _HEADING_PATTERN.match(line):
        return was_blank
    if not was_blank or "http" in shown:
        return False
    if _NUMBERED_HEADING_PATTERN.match(line) or shown.isupper():
        return True
    return not following.strip() and _WORD_HEADING_PATTERN.match(line) is not None


def continues_line(before: str, line: str) -> bool:
    """Whether a paragraph goes on: the line before was broken because it was full."""
    length = len(before.rstrip())
    if length > _MAX_WRAPPED_CHARS:
        return False
    if line[:1].islower():
        return True
    return length >= _MIN_WRAPPED_CHARS
