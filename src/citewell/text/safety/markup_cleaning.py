"""Cleans titles and snippets: removes tags and invisible characters."""

from __future__ import annotations

import re
from html import unescape

from citewell.text.safety.invisible_characters import extract_visible_text

# A tag starts with a letter, a slash or an exclamation mark: "a < b" and "x <3 y" are kept.
_COMMENT_PATTERN = re.compile(r"<!--.*?-->", re.DOTALL)
_HTML_TAG_PATTERN = re.compile(r"</?[A-Za-z][^<>]*>|<![A-Za-z][^<>]*>")
_BREAKING_TAG_PATTERN = re.compile(r"</?(?:br|p|div|li|tr|td|h[1-6])\b[^<>]*>", re.IGNORECASE)

__all__ = ["clean_markup", "extract_visible_text"]


def clean_markup(markup: str | None) -> str:
    """One line of cleaned text: no tags, entities decoded, no invisible characters, single spaces."""
    if not markup:
        return ""
    if "<" in markup:
        markup = _strip_comments(_BREAKING_TAG_PATTERN.sub(" ", markup))
        markup = _HTML_TAG_PATTERN.sub("", markup)
    return " ".join(extract_visible_text(unescape(markup)).split())


def _strip_comments(markup: str) -> str:
    """The markup without comments; one that never ends is kept, and not searched for its end."""
    end = markup.rfind("-->") + len("-->")
    return _COMMENT_PATTERN.sub("", markup[:end]) + markup[end:] if end >= len("-->") else markup
