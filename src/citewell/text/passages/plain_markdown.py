"""Markdown as a reader sees it: the words without links, emphasis, footnote marks and entities."""

from __future__ import annotations

import html
import re

_TARGET_REGEX = r"\((?:[^()\n]++|\([^()\n]*+\))*+\)"
_IMAGE_PATTERN = re.compile(rf"!\[[^\[\]\n]*+\]{_TARGET_REGEX}")
_LINK_PATTERN = re.compile(rf"\[([^\[\]\n]*+)\]{_TARGET_REGEX}")
_FOOTNOTE_MARK_PATTERN = re.compile(
    r"\[\^?(?:\d{1,3}|[a-z]|note \d{1,4}|citation needed)\](?![(:])"
)
_EMPHASIS_PATTERN = re.compile(r"(?<!\\)(?:\*{2,3}|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*]))")
_UNDERLINE_PATTERN = re.compile(r"(?<!\w)(?<!\\)_{1,3}(?=\S)|(?<=[^\s_\\])_{1,3}(?!\w)")
_TAG_PATTERN = re.compile(r"</?[A-Za-z][^<>]{0,200}+>")
_ESCAPE_PATTERN = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_QUOTE_MARK_PATTERN = re.compile(r"^[ \t]*+>[> \t]*+", re.MULTILINE)
_LINK_REST_PATTERN = re.compile(r"\]\(\S{0,2000}+|!?\[(?=\S)(?![^\[\]\n]{0,200}+\])")
_DOUBLED_PARENTHESES_PATTERN = re.compile(r"\(\s*+\)|\[\s*+\]")
_LONE_MARK_PATTERN = re.compile(r"(?<!\S)(?!(?<=\d )\* \d)[*#_|]{1,3}(?!\S)")  # not that of 2 * 3
# UTF-8 that a site has decoded as Latin-1: marks of which only the first character is left.
_ENCODING_DAMAGE = (("â€™", "’"), ("â€œ", "“"), ("â€“", "–"), ("â€”", "—"), ("\ufffd", ""))
_LOST_SPACE_PATTERN = re.compile(r"Â(?=\s|\Z)")
_LOST_DASH_PATTERN = re.compile(r"(?<=\s)â(?=\s)")
_LOST_APOSTROPHE_PATTERN = re.compile(r"(?<=[A-Za-z])â(?=(?:s|t|re|ll|ve|d|m)\b)")


def render_plain_text(markdown: str) -> str:
    """The text on one line, without markup; a link leaves its words, an image nothing."""
    text = markdown
    if "[" in text or "](" in text:  # the rest of a cut link has no opening bracket
        text = _IMAGE_PATTERN.sub("", text)
        text = _LINK_PATTERN.sub(r"\1", _LINK_PATTERN.sub(r"\1", text))
        text = _FOOTNOTE_MARK_PATTERN.sub("", text)
        text = _LINK_REST_PATTERN.sub("", text)
        text = _DOUBLED_PARENTHESES_PATTERN.sub("", text)
    if "*" in text:
        text = _EMPHASIS_PATTERN.sub("", text)
    if "_" in text:
        text = _UNDERLINE_PATTERN.sub("", text)
    if "<" in text:
        text = _TAG_PATTERN.sub("", text)
    if ">" in text:
        text = _QUOTE_MARK_PATTERN.sub("", text)
    text = _LONE_MARK_PATTERN.sub("", text.replace("`", ""))
    if "\\" in text:
        text = _ESCAPE_PATTERN.sub(r"\1", text)
    if "&" in text:
        text = html.unescape(text)
    for damaged, meant in _ENCODING_DAMAGE:
        text = text.replace(damaged, meant)
    if "Â" in text or "â" in text:
        text = _LOST_SPACE_PATTERN.sub("", _LOST_APOSTROPHE_PATTERN.sub("’", text))
        text = _LOST_DASH_PATTERN.sub("–", text)
    return " ".join(text.split())
