"""Renders a code listing as a fenced block with its indentation, lines and language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.fetch.markdown.markdown_text import format_fenced_code
from citewell.fetch.markdown.render_scope import MAX_RENDER_DEPTH

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src)-|brush:\s*|sourceCode\s+)"
    r"([A-Za-z][\w+#.-]*)"
)
_PLAIN_TEXT_NAMES = "none plain plaintext text default block wrapper notranslate container"
_PLAIN_TEXT_LANGUAGES = frozenset(_PLAIN_TEXT_NAMES.split())
_LINE_NUMBER_CLASS = re.compile(
    r"\b(?:line-?numbers?-rows|lineno|linenos|gutter|line-number|copy-?btn|copy-button)\b",
    re.IGNORECASE,
)
_OWN_LINE_TAGS = frozenset(["div", "p", "li", "tr"])
_MAX_LANGUAGE_ANCESTORS = 3


def render_code_block(node: LexborNode) -> str:
    """The listing as a fenced block; empty if it holds no code."""
    pieces: list[str] = []
    _collect_code(node, pieces, 0)
    code = "".join(pieces).replace("\r\n", "\n").replace("\u00a0", " ")
    code = code.removeprefix("\n").rstrip()
    return format_fenced_code(code, _find_code_language(node)) if code.strip() else ""


def _collect_code(node: LexborNode, pieces: list[str], depth: int) -> None:
    child = node.first_child if depth < MAX_RENDER_DEPTH else None
    while child is not None:
        tag = child.tag or ""
        if tag == "-text":
            pieces.append(child.text_content or "")
        elif tag == "br":
            pieces.append("\n")
        elif tag not in ("button", "script", "style") and not _is_line_numbering(child):
            if tag in _OWN_LINE_TAGS:
                _start_new_line(pieces)
            _collect_code(child, pieces, depth + 1)
            if tag in _OWN_LINE_TAGS:
                _start_new_line(pieces)
        child = child.next


def _start_new_line(pieces: list[str]) -> None:
    if pieces and not pieces[-1].endswith("\n"):
        pieces.append("\n")


def _is_line_numbering(node: LexborNode) -> bool:
    style = node.attributes.get("class")
    return bool(style) and _LINE_NUMBER_CLASS.search(style or "") is not None


def _find_code_language(node: LexborNode) -> str:
    inner = node.css_first("code")
    holders = [inner] if inner is not None else []
    outer: LexborNode | None = node
    for _ in range(_MAX_LANGUAGE_ANCESTORS):
        if outer is None:
            break
        holders.append(outer)
        outer = outer.parent
    for holder in holders:
        attributes = holder.attributes
        named = attributes.get("data-lang") or attributes.get("data-language")
        found = _LANGUAGE_CLASS.search(attributes.get("class") or "")
        name = (named or (found.group(1) if found else "")).lower()
        if name and name not in _PLAIN_TEXT_LANGUAGES:
            return name
    return ""
