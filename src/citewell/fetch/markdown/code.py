"""Read a code listing out of a page with its indentation, lines and language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.fetch.markdown.scope import MAX_LEVEL
from citewell.fetch.markdown.text import fenced

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src)-|brush:\s*|sourceCode\s+)"
    r"([A-Za-z][\w+#.-]*)"
)
_NOT_A_LANGUAGE_NAMES = "none plain plaintext text default block wrapper notranslate container"
_NOT_A_LANGUAGE = frozenset(_NOT_A_LANGUAGE_NAMES.split())
_NUMBERS = re.compile(
    r"\b(?:line-?numbers?-rows|lineno|linenos|gutter|line-number|copy-?btn|copy-button)\b",
    re.IGNORECASE,
)
_OWN_LINE = frozenset(["div", "p", "li", "tr"])
_SHELLS = 3


def code_block(node: LexborNode) -> str:
    """The listing as a fenced block; empty when it holds no code."""
    pieces: list[str] = []
    _collect(node, pieces, 0)
    code = "".join(pieces).replace("\r\n", "\n").replace("\u00a0", " ")
    code = code.removeprefix("\n").rstrip()
    return fenced(code, _language(node)) if code.strip() else ""


def _collect(node: LexborNode, pieces: list[str], depth: int) -> None:
    child = node.first_child if depth < MAX_LEVEL else None
    while child is not None:
        tag = child.tag or ""
        if tag == "-text":
            pieces.append(child.text_content or "")
        elif tag == "br":
            pieces.append("\n")
        elif tag not in ("button", "script", "style") and not _is_numbering(child):
            if tag in _OWN_LINE:
                _new_line(pieces)
            _collect(child, pieces, depth + 1)
            if tag in _OWN_LINE:
                _new_line(pieces)
        child = child.next


def _new_line(pieces: list[str]) -> None:
    if pieces and not pieces[-1].endswith("\n"):
        pieces.append("\n")


def _is_numbering(node: LexborNode) -> bool:
    style = node.attributes.get("class")
    return bool(style) and _NUMBERS.search(style or "") is not None


def _language(node: LexborNode) -> str:
    inner = node.css_first("code")
    holders = [inner] if inner is not None else []
    outer: LexborNode | None = node
    for _ in range(_SHELLS):
        if outer is None:
            break
        holders.append(outer)
        outer = outer.parent
    for holder in holders:
        attributes = holder.attributes
        named = attributes.get("data-lang") or attributes.get("data-language")
        found = _LANGUAGE.search(attributes.get("class") or "")
        name = (named or (found.group(1) if found else "")).lower()
        if name and name not in _NOT_A_LANGUAGE:
            return name
    return ""
