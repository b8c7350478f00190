"""Renders an HTML page, or the kept part of it, as markdown with its structure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.reading.markdown import html_tables, inline_and_code
from citewell.reading.markdown.markdown_text import escape_line_starts, resolve_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

_BLOCK_TAG_NAMES = (
    "address article aside blockquote body button caption center dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend "
    "li main menu nav noscript ol p pre search section summary table tbody td tfoot th thead tr "
    "ul"
)
_BLOCK_TAGS = frozenset(_BLOCK_TAG_NAMES.split())
_HEADING_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CODE_TABLE_CLASS = re.compile(
    r"highlighttable|rouge-table|lntable|codehilitetable|gutter", re.IGNORECASE
)
_LINE_BREAK = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_SPACE_RUN = re.compile(r" {2,}")
_DROPPED_TAG_NAMES = "head template style svg iframe object embed canvas video audio"
_DROPPED_TAGS = frozenset(_DROPPED_TAG_NAMES.split())


def render_markdown(
    node: LexborNode,
    *,
    base: str = "",
    nodes: frozenset[int] | None = None,
    boxes: frozenset[int] | None = None,
) -> str:
    """The node as markdown; `nodes` and `boxes` (sets of `mem_id`) limit it to those."""
    scope = inline_and_code.RenderScope(base_address=base, kept_nodes=nodes, kept_boxes=boxes)
    return "\n\n".join(_MarkdownWriter(scope).render_blocks(node)).strip("\n")


class _MarkdownWriter:
    def __init__(self, scope: inline_and_code.RenderScope) -> None:
        self._scope = scope
        self._inline = inline_and_code.InlineRenderer(scope)
        self._mixed: dict[int, bool] = {}

    def render_blocks(self, node: LexborNode) -> list[str]:
        """The content of an element as a list of markdown blocks; empty if it is nested too deeply."""
        if not self._scope.enter_level():
            return []
        found: list[str] = []
        run: list[str] = []
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                run.append(self._inline.render_node(child))
            elif tag in _BLOCK_TAGS:
                _end_inline_run(run, found)
                if self._scope.keeps_box(child.mem_id):
                    found += self._render_block(child, tag)
            elif tag not in _DROPPED_TAGS:
                self._render_inline_child(child, run, found)
            child = child.next
        self._scope.leave_level()
        _end_inline_run(run, found)
        return found

    def _render_block(self, node: LexborNode, tag: str) -> list[str]:
        handler = _BLOCK_HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node)
        note = self._scope.notes.get(node.attributes.get("id") or "")
        inner = self.render_blocks(node)
        return [_format_note(note, inner)] if note and inner else inner

    def _render_inline_child(self, node: LexborNode, run: list[str], found: list[str]) -> None:
        if not self._holds_block(node):
            run.append(self._inline.render_node(node))
            return
        _end_inline_run(run, found)
        inner = self.render_blocks(node)
        href = node.attributes.get("href") if node.tag == "a" else None
        if inner and href:
            self._link_card_line(inner, href)
        found += inner

    def _holds_block(self, node: LexborNode, depth: int = 0) -> bool:
        """Whether an inline element contains a block-level one; cached per node."""
        known = self._mixed.get(node.mem_id)
        if known is None:
            # Text deeper than MAX_RENDER_DEPTH is not rendered, so the result does not matter there.
            known = False
            child = node.first_child if depth < inline_and_code.MAX_RENDER_DEPTH else None
            while child is not None and not known:
                tag = child.tag or ""
                if tag != "-text" and tag not in _DROPPED_TAGS:
                    known = tag in _BLOCK_TAGS or self._holds_block(child, depth + 1)
                child = child.next
            self._mixed[node.mem_id] = known
        return known

    def _link_card_line(self, blocks: list[str], href: str) -> None:
        """Put the link of a card, an `a` around blocks, on its heading, or else on its first plain line."""
        address = resolve_link(self._scope.base_address, href)
        plain = [i for i, block in enumerate(blocks) if _is_plain_line(block)]
        if not address or not plain:
            return
        index = next((i for i in plain if blocks[i].startswith("#")), plain[0])
        marks, space, text = (
            blocks[index].partition(" ")
            if blocks[index].startswith("#")
            else ("", "", blocks[index])
        )
        blocks[index] = f"{marks}{space}[{text}]({address})"

    def render_heading(self, node: LexborNode) -> list[str]:
        text = " ".join(self._render_flat(node).replace("**", "").split())
        return [f"{'#' * _HEADING_LEVELS[node.tag or 'h1']} {text}"] if text else []

    def _render_flat(self, node: LexborNode) -> str:
        if not self._holds_block(node):
            return self._inline.render_children(node)
        return " ".join(self.render_blocks(node))

    def render_summary(self, node: LexborNode) -> list[str]:
        text = " ".join(self._render_flat(node).split())
        if text and "**" not in text and not text.startswith("#"):
            text = inline_and_code.wrap_in_marks(text, "**")
        return [text] if text else []

    def render_code(self, node: LexborNode) -> list[str]:
        block = inline_and_code.render_code_block(node)
        return [block] if block else []

    def render_blockquote(self, node: LexborNode) -> list[str]:
        inner = "\n\n".join(self.render_blocks(node))
        if not inner:
            return []
        return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))]

    def render_list(self, node: LexborNode) -> list[str]:
        ordered = node.tag == "ol"
        start = node.attributes.get("start") or "1"
        is_number = start.isascii() and start.isdigit() and len(start) < 9
        number = (int(start) if is_number else 1) if ordered else 0
        items: list[str] = []
        notes: list[str] = []
        loose = False
        for child in node.iter(include_text=False):
            if not self._scope.keeps_box(child.mem_id):
                number += child.tag == "li"
                continue
            inner = (
                self.render_blocks(child)
                if child.tag == "li"
                else self._render_block(child, child.tag or "")
            )
            note = self._scope.notes.get(child.attributes.get("id") or "")
            if not inner:
                continue
            if note:
                notes.append(_format_note(note, inner))
                continue
            if child.tag != "li" and items:
                items[-1] += "\n" + _indent_lines("\n".join(inner), "  ")
                continue
            mark = f"{number}. " if ordered else "- "
            number += 1
            # Whether the item has more than one paragraph; nested lists do not count.
            loose = loose or sum(not _is_list_block(block) for block in inner) > 1
            items.append(
                mark + _indent_lines(_join_item_blocks(inner), " " * len(mark)).lstrip(" ")
            )
        found = [("\n\n" if loose else "\n").join(items)] if items else []
        return found + notes

    def render_definitions(self, node: LexborNode) -> list[str]:
        groups: list[str] = []
        after_term = False
        for child in _list_definition_entries(node):
            if not self._scope.keeps_box(child.mem_id):
                continue
            inner = self.render_blocks(child)
            if not inner:
                continue
            if child.tag == "dd":
                text = ": " + _indent_lines("\n\n".join(inner), "  ").lstrip(" ")
                _append_group_line(groups, text, joined=bool(groups))
                after_term = False
            else:
                _append_group_line(groups, " ".join(inner), joined=after_term)
                after_term = child.tag == "dt"
        return groups

    def render_table(self, node: LexborNode) -> list[str]:
        code = self._find_numbered_code(node)
        if code is not None:
            return self.render_code(code)
        rows = html_tables.collect_table_rows(node)
        caption = node.css_first("caption")
        if not html_tables.is_data_table(node, rows):
            return self._render_layout_table(node, rows)
        found = self.render_blocks(caption) if caption is not None else []
        table = html_tables.render_gfm_table(node, rows, self._scope)
        return [*found, table] if table else found

    def _render_layout_table(
        self, node: LexborNode, rows: list[list[html_tables.TableCell]]
    ) -> list[str]:
        if not rows:
            return self.render_blocks(node)
        found: list[str] = []
        for row in rows:
            parts = [self.render_blocks(cell.node) for cell in row]
            simple = all(len(part) <= 1 and "\n" not in "".join(part) for part in parts)
            flat = [block for part in parts for block in part]
            if simple and len(flat) > 1 and not any(block.startswith("#") for block in flat):
                found.append(" ".join(flat))
            else:
                found += flat
        return found

    @staticmethod
    def _find_numbered_code(node: LexborNode) -> LexborNode | None:
        """The code element of a table that only puts line numbers beside code; None for other tables."""
        style = node.attributes.get("class") or ""
        if not _CODE_TABLE_CLASS.search(style):
            return None
        blocks = node.css("pre")
        return blocks[-1] if blocks else node.css_first("code")


# Outside the class: bound methods in the instance would make a reference cycle.
_BLOCK_HANDLERS: dict[str, Callable[[_MarkdownWriter, LexborNode], list[str]]] = {
    "pre": _MarkdownWriter.render_code,
    "ul": _MarkdownWriter.render_list,
    "ol": _MarkdownWriter.render_list,
    "menu": _MarkdownWriter.render_list,
    "dl": _MarkdownWriter.render_definitions,
    "blockquote": _MarkdownWriter.render_blockquote,
    "table": _MarkdownWriter.render_table,
    "hr": lambda _writer, _node: ["---"],
    "summary": _MarkdownWriter.render_summary,
    **dict.fromkeys(_HEADING_LEVELS, _MarkdownWriter.render_heading),
}


def _is_plain_line(block: str) -> bool:
    """Whether a link can be put around the block: one line without a link, image or list mark."""
    return (
        "\n" not in block
        and "](" not in block
        and not block.startswith(("```", "|", ">", "- ", "---"))
    )


def _list_definition_entries(node: LexborNode) -> list[LexborNode]:
    """The terms and definitions of a list, also those grouped in `div` elements."""
    found: list[LexborNode] = []
    for child in node.iter(include_text=False):
        if child.tag == "div":
            found += _list_definition_entries(child)
        else:
            found.append(child)
    return found


def _append_group_line(groups: list[str], text: str, *, joined: bool) -> None:
    if joined:
        groups[-1] += "\n" + text
    else:
        groups.append(text)


def _end_inline_run(run: list[str], found: list[str]) -> None:
    """Add a run of inline text as paragraphs: two line breaks separate them, one is a hard break."""
    whole = "".join(run)
    run.clear()
    if "\n" not in whole:
        text = whole.strip(" \t")
        if text:
            found.append(escape_line_starts(_SPACE_RUN.sub(" ", text) if "  " in text else text))
        return
    for part in _BLANK_LINE.split(_SPACE_RUN.sub(" ", whole)):
        text = _LINE_BREAK.sub("\n", part).strip(" \n\t")
        if text:
            text = escape_line_starts(text)
            found.append(text.replace("\n", "  \n"))


def _is_list_block(block: str) -> bool:
    return re.match(r"(?:- |\d+\. )", block) is not None


def _join_item_blocks(inner: list[str]) -> str:
    joined = inner[0]
    for block in inner[1:]:
        joined += ("\n" if _is_list_block(block) else "\n\n") + block
    return joined


def _indent_lines(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line else line for line in text.split("\n"))


def _format_note(label: str, inner: list[str]) -> str:
    return f"[^{label}]: " + _indent_lines("\n\n".join(inner), "    ").lstrip(" ").rstrip()
