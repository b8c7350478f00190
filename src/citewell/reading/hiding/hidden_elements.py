"""Finds text that HTML itself keeps from readers: comments, templates, fallbacks, unslotted children."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from citewell.reading.page_nodes import (
    count_text_chars,
    iterate_upwards,
    list_child_nodes,
    read_text_without_scripts,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.css.style_cascade import PageStyles

MIN_PAGE_CHARS = 600  # a hidden element with more may be the page itself

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


# Keeps the nodes that are to be removed from a page, and removes them all at once.


class RemovalCounts(NamedTuple):
    counts: Mapping[str, int]  # removed pieces by hiding technique
    chars: int


class HiddenNodes:
    """Nodes to remove: all are found before any is removed, because a removed node must not be read."""

    def __init__(self) -> None:
        self._whole: dict[int, tuple[LexborNode, str]] = {}
        self._texts: dict[int, tuple[LexborNode, str]] = {}
        self.more_counts: Counter[str] = Counter()  # pieces that were removed elsewhere

    def mark_node(self, node: LexborNode, technique: str) -> None:
        """Mark a node with all its content."""
        target = self._texts if node.tag == "-text" else self._whole
        target[node.mem_id] = (node, technique)

    def has_element(self, node: LexborNode) -> bool:
        return node.mem_id in self._whole

    def find_technique(self, node: LexborNode) -> str:
        """The technique that hides an element that is marked, else nothing."""
        return self._whole[node.mem_id][1] if node.mem_id in self._whole else ""

    def remove_marked(self) -> RemovalCounts:
        """Remove what is marked from the page; what is inside another marked element goes with it."""
        counts = Counter(self.more_counts)
        gone = 0
        kept_texts = [pair for pair in self._texts.values() if not self.is_inside_marked(pair[0])]
        kept_whole = [pair for pair in self._whole.values() if not self.is_inside_marked(pair[0])]
        for node, technique in (*kept_texts, *kept_whole):
            size = len(read_text_without_scripts(node).strip())
            gone += size if technique != "comment" else 0
            if size or technique == "comment" or node.tag in {"img", "template"}:
                counts[technique] += 1
            node.decompose()
        return RemovalCounts(dict(counts), gone)

    def is_inside_marked(self, node: LexborNode) -> bool:
        """Whether an element around the node is marked."""
        return any(above.mem_id in self._whole for above in iterate_upwards(node.parent))


# Counts the characters of a page and of its main part, each once.


class PageSizes:
    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree

    @cached_property
    def page_chars(self) -> int:
        return count_text_chars(self._tree.body) if self._tree.body is not None else 0

    @cached_property
    def _main_chars(self) -> int:
        cores = self._tree.css("main, [role=main]")
        return count_text_chars(cores[0]) if len(cores) == 1 else self.page_chars

    def is_main_wrapper(self, node: LexborNode, text: str) -> bool:
        """Whether the element holds most of the page: a script must show it, or there would be no page."""
        if len(text) <= MIN_PAGE_CHARS:
            return False
        is_in_main = any(
            above.tag == "main" or above.attributes.get("role") == "main"
            for above in iterate_upwards(node)
        )
        share = len(text) / max(1, self._main_chars if is_in_main else self.page_chars)
        if share > 0.5 and node.css_matches("h1, main, article"):
            return True
        return len(text) > 3 * MIN_PAGE_CHARS and share > 0.6
