"""Text out of markup: what a title or snippet says, without tags or invisible characters."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

# A tag starts with a letter, a slash or a bang, so "a < b" and "x <3 y" stay as they are.
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>|<![A-Za-z][^<>]*>", re.DOTALL)
_BREAK = re.compile(r"</?(?:br|p|div|li|tr|td|h[1-6])\b[^<>]*>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")

# Format characters that shape words in Persian, Indic scripts and emoji sequences.
_JOINERS = frozenset("\u200c\u200d")
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co"})


def clean(markup: str | None) -> str:
    """One line of plain text: tags out, entities read, unseen characters out, spaces single."""
    if not markup:
        return ""
    without = _TAG.sub("", _BREAK.sub(" ", markup))
    return _SPACE.sub(" ", visible(unescape(without))).strip()


def visible(text: str) -> str:
    """Without control, zero-width, bidirectional, tag and unpaired surrogate characters."""
    if text.isascii() and text.isprintable():
        return text
    kept = (char for char in text if char.isspace() or _shows(char))
    return _stray_joiners("".join(kept))


def _shows(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) not in _DROPPED


def _stray_joiners(text: str) -> str:
    """A joiner belongs between two characters of a script that joins; elsewhere it only hides."""
    if _JOINERS.isdisjoint(text):
        return text
    return "".join(
        char
        for place, char in enumerate(text)
        if char not in _JOINERS or _joins(text[place - 1 : place], text[place + 1 : place + 2])
    )


def _joins(before: str, after: str) -> bool:
    return bool(before and after) and not (before.isascii() or after.isascii())
