"""Walks from a node of a parsed page to those around it, and reads its names and its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def iterate_upwards(node: LexborNode | None) -> Iterator[LexborNode]:
    """The node and all that are around it, the nearest first."""
    while node is not None:
        yield node
        node = node.parent


def list_child_nodes(node: LexborNode) -> list[LexborNode]:
    children: list[LexborNode] = []
    child = node.first_child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def find_element_before(node: LexborNode) -> LexborNode | None:
    """The sibling before the node, without texts and comments."""
    before = node.prev
    while before is not None and (before.tag or "").startswith("-"):
        before = before.prev
    return before


def read_class_and_id(node: LexborNode) -> str:
    """Both attributes as one text, to look for words in them."""
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}"


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
