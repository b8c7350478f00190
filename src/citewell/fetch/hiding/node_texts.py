"""Reads the text of parts of a page, without the text of scripts and style sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def read_text_without_scripts(node: LexborNode) -> str:
    """The text below the node, without scripts and style sheets."""
    if node.tag == "-text":
        return node.text_content or ""
    text = node.text(deep=True)
    if text and node.css_matches("script, style"):
        for inner in node.css("script, style"):
            text = text.replace(inner.text(deep=True), " ", 1)
    return text


def count_text_chars(node: LexborNode) -> int:
    programs = sum(len(inner.text(deep=True)) for inner in node.css("script, style"))
    return len(node.text(deep=True)) - programs


def list_child_nodes(node: LexborNode) -> list[LexborNode]:
    found: list[LexborNode] = []
    child = node.first_child
    while child is not None:
        found.append(child)
        child = child.next
    return found
