"""Finds text that HTML itself keeps from readers: comments, templates, fallbacks, unslotted children."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from citewell.fetch.hiding.node_texts import (
    count_text_chars,
    list_child_nodes,
    read_text_without_scripts,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.fetch.css.style_cascade import PageStyles

HiddenNode = tuple["LexborNode", str]  # a node to remove, and the technique that hides it

_UNSHOWN_ELEMENTS = (
    "template, noembed, noframes, datalist, mphantom, input[type=hidden i], svg title, svg desc,"
    " svg metadata, img[width='0'], img[height='0'], img[width='1'], img[height='1'],"
    " maction > :not(:first-child), body title, progress > *, meter > *, area, param"
)
_FALLBACK_ELEMENTS = (
    "canvas, audio, video, iframe, progress, meter, object[data^='data:'], object[data^='about:']"
)
_FALLBACK_PARTS = frozenset({"source", "track", "param", "script", "style"})
_SVG_DEFINITIONS = "svg defs, svg symbol, svg clippath, svg mask, svg pattern, svg marker"
_PROSE_PATTERN = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]{2,}+\s++){6}")
_MIN_PAGE_CHARS = 600  # characters; a `noscript` with more may hold the page itself


def find_unshown_elements(tree: LexborHTMLParser) -> Iterator[HiddenNode]:
    """Whole elements and comments that browsers do not show, whatever the styles say."""
    for node in tree.root.traverse(include_text=False) if tree.root is not None else ():
        if node.is_comment_node:
            yield node, "comment"
    for node in tree.css(_UNSHOWN_ELEMENTS):
        yield node, "element"
    for node in tree.css(_FALLBACK_ELEMENTS):
        for child in list_child_nodes(node):
            if child.tag not in _FALLBACK_PARTS:
                yield child, "element"
    for node in tree.css("annotation, annotation-xml, rp"):
        text = read_text_without_scripts(node)
        if _PROSE_PATTERN.search(text) or (node.tag == "rp" and len(text.strip()) > 2):
            yield node, "element"
    yield from _find_svg_definitions(tree)


def _find_svg_definitions(tree: LexborHTMLParser) -> Iterator[HiddenNode]:
    """Texts in SVG definitions that nothing on the page uses."""
    definitions = [node for node in tree.css(_SVG_DEFINITIONS) if node.css_matches("text")]
    if not definitions:
        return
    used = {
        (node.attributes.get("href") or node.attributes.get("xlink:href") or "").lstrip("#")
        for node in tree.css("svg use")
    }
    for node in definitions:
        names = {inner.attributes.get("id") for inner in node.css("[id]")}
        if names.isdisjoint(used):
            yield node, "element"


def find_noscript_texts(tree: LexborHTMLParser) -> Iterator[HiddenNode]:
    """The `noscript` elements with text; where they hold the page, they are unwrapped instead.

    Those without text stay: they hold the pictures that a script loads late.
    """
    nodes = [node for node in tree.css("body noscript") if read_text_without_scripts(node).strip()]
    if not nodes or tree.body is None:
        return
    sizes = [count_text_chars(node) for node in nodes]
    rest = count_text_chars(tree.body) - sum(sizes)
    holds_page = sum(sizes) >= _MIN_PAGE_CHARS and sum(sizes) > rest
    for node in nodes:
        if holds_page:
            node.unwrap()
        else:
            yield node, "noscript"


def find_collapsed_cells(styles: PageStyles) -> Iterator[HiddenNode]:
    """The cells of table columns that `visibility: collapse` takes away."""
    for style in list(styles.found.values()):
        if style.node.tag in {"col", "colgroup"} and style.find_value("visibility") == "collapse":
            yield from _list_column_cells(style.node)


def _list_column_cells(node: LexborNode) -> Iterator[HiddenNode]:
    table = node.parent
    while table is not None and table.tag != "table":
        table = table.parent
    if table is None:
        return
    wanted = _count_columns(table, node)
    for row in table.css("tr"):
        column = 0
        for cell in list_child_nodes(row):
            if cell.tag in {"td", "th"}:
                if column in wanted:
                    yield cell, "visibility"
                column += _read_cell_span(cell, "colspan")


def _count_columns(table: LexborNode, wanted: LexborNode) -> range:
    """The numbers of the columns that a `col` or `colgroup` stands for."""
    start = 0
    for each in table.css("col, colgroup"):
        inner = [child for child in list_child_nodes(each) if child.tag == "col"]
        size = 0 if inner and each.mem_id != wanted.mem_id else _read_cell_span(each, "span")
        if each.mem_id == wanted.mem_id:
            width = sum(_read_cell_span(child, "span") for child in inner) if inner else size
            return range(start, start + width)
        start += size
    return range(0)


def _read_cell_span(node: LexborNode, name: str) -> int:
    value = node.attributes.get(name) or "1"
    return max(1, min(1000, int(value))) if value.isascii() and value.isdigit() else 1
