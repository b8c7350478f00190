"""Text out of markup: what a title or snippet says, without tags or invisible characters."""

from __future__ import annotations

import re
from html import unescape

from citewell.text.invisible import visible

# A tag starts with a letter, a slash or a bang, so "a < b" and "x <3 y" stay as they are.
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>|<![A-Za-z][^<>]*>", re.DOTALL)
_BREAK = re.compile(r"</?(?:br|p|div|li|tr|td|h[1-6])\b[^<>]*>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")

__all__ = ["clean", "visible"]


def clean(markup: str | None) -> str:
    """One line of plain text: tags out, entities read, unseen characters out, spaces single."""
    if not markup:
        return ""
    without = _TAG.sub("", _BREAK.sub(" ", markup))
    return _SPACE.sub(" ", visible(unescape(without))).strip()
