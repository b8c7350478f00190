"""Takes references out of markdown, and markup out of references."""

from __future__ import annotations

import re

from citewell.text.references.list_headings import is_references_heading

_HEADING_MARK_PATTERN = re.compile(r"(#{1,6}) ")
_NOTE_PATTERN = re.compile(r"\[\^[^\[\]\s]{1,60}\]:")
_NOTE_MARK_PATTERN = re.compile(r"\[\^[^\[\]\s]{1,60}\](?!:)")

_LINK_PATTERN = re.compile(r"\[([^\[\]\n]{0,2000})\]\((<?[^\s()]{1,2000}>?)\)")
_EMPHASIS_PATTERN = re.compile(
    r"(?<!\\)\*{1,3}(?=\S)|(?<=[^\s\\])\*{1,3}|(?<![\w\\])_(?=\w)|(?<=\w)_(?!\w)"
)
_ESCAPE_PATTERN = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~&])")


def render_reference_markdown(markdown: str) -> str:
    """The lines of a markdown text without emphasis and escapes; links keep words and address."""
    text = _LINK_PATTERN.sub(_show_link, markdown)
    text = _EMPHASIS_PATTERN.sub("", text)
    return _ESCAPE_PATTERN.sub(r"\1", text)


def _show_link(match: re.Match[str]) -> str:
    words, address = match[1], match[2].strip("<>")
    known = not address.startswith("http") or address.partition("//")[2] in words
    return words if known else f"{words} {address}"


def drop_references(markdown: str) -> str:
    """The text without reference lists, notes, and the marks that point to them."""
    kept: list[str] = []
    level = 0  # of the heading whose section is being dropped; 0 outside one
    in_note = False
    for line in markdown.split("\n"):
        heading = _HEADING_MARK_PATTERN.match(line)
        if heading and level and len(heading[1]) <= level:
            level = 0
        if heading and not level and is_references_heading(line):
            level = len(heading[1])
        in_note = bool(_NOTE_PATTERN.match(line)) or (
            in_note and (not line or line.startswith("    "))
        )
        if not level and not in_note:
            kept.append(_NOTE_MARK_PATTERN.sub("", line))
    return "\n".join(kept).strip("\n")
