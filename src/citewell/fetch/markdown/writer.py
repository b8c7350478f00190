"""Write a page, or the chosen part of it, as markdown that keeps its structure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from citewell.fetch.markdown import grid
from citewell.fetch.markdown.code import code_block
from citewell.fetch.markdown.inline import Inline, wrap
from citewell.fetch.markdown.scope import MAX_LEVEL, Scope
from citewell.fetch.markdown.text import absolute, guard_line_starts

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

_BLOCKS_NAMES = (
    "address article aside blockquote body button caption center dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend "
    "li main menu nav noscript ol p pre search section summary table tbody td tfoot th thead tr "
    "ul"
)
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CODE_TABLE = re.compile(
    r"highlighttable|rouge-table|lntable|codehilitetable|gutter", re.IGNORECASE
)
_BREAK = re.compile(r"[ \t]*\n[ \t]*")
_STANZA = re.compile(r"\n[ \t]*\n\s*")
_SPACES = re.compile(r" {2,}")
_DROPPED_NAMES = "head template style svg iframe object embed canvas video audio"
_DROPPED = frozenset(_DROPPED_NAMES.split())


def write(
    node: LexborNode,
    *,
    base: str = "",
    nodes: frozenset[int] | None = None,
    boxes: frozenset[int] | None = None,
) -> str:
    """Markdown of the node; with nodes and boxes (sets of `mem_id`), only of what they name."""
    scope = Scope(base=base, nodes=nodes, boxes=boxes)
    return "\n\n".join(_Writer(scope).blocks(node)).strip("\n")


class _Writer:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._inline = Inline(scope)
        self._mixed: dict[int, bool] = {}

    def blocks(self, node: LexborNode) -> list[str]:
        """The content of an element as a list of markdown blocks."""
        if not self._scope.enter():
            return []
        found: list[str] = []
        run: list[str] = []
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                run.append(self._inline.node(child))
            elif tag in _BLOCKS:
                _end_run(run, found)
                if self._scope.keeps_box(child.mem_id):
                    found += self._block(child, tag)
            elif tag not in _DROPPED:
                self._inline_child(child, run, found)
            child = child.next
        self._scope.leave()
        _end_run(run, found)
        return found

    def _block(self, node: LexborNode, tag: str) -> list[str]:
        handler = _HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node)
        note = self._scope.notes.get(node.attributes.get("id") or "")
        inner = self.blocks(node)
        return [_note(note, inner)] if note and inner else inner

    def _inline_child(self, node: LexborNode, run: list[str], found: list[str]) -> None:
        if not self._holds_block(node):
            run.append(self._inline.node(node))
            return
        _end_run(run, found)
        inner = self.blocks(node)
        href = node.attributes.get("href") if node.tag == "a" else None
        if inner and href:
            inner[0] = self._linked(inner[0], href)
        found += inner

    def _holds_block(self, node: LexborNode, depth: int = 0) -> bool:
        """Whether an inline element has a block-level one inside; asked once per node."""
        known = self._mixed.get(node.mem_id)
        if known is None:
            # Where the text would not be written either, the answer no longer matters.
            known = False
            child = node.first_child if depth < MAX_LEVEL else None
            while child is not None and not known:
                tag = child.tag or ""
                if tag != "-text" and tag not in _DROPPED:
                    known = tag in _BLOCKS or self._holds_block(child, depth + 1)
                child = child.next
            self._mixed[node.mem_id] = known
        return known

    def _linked(self, block: str, href: str) -> str:
        """A card that is one big link keeps it on its first line, when that is plain text."""
        address = absolute(self._scope.base, href)
        plain = (
            "\n" not in block
            and "](" not in block
            and not block.startswith(("```", "|", ">", "- "))
        )
        if not address or not plain:
            return block
        marks, _, text = block.rpartition("# ") if block.startswith("#") else ("", "", block)
        linked = f"[{text}]({address})"
        return f"{marks}# {linked}" if block.startswith("#") else linked

    def rule(self, _: LexborNode) -> list[str]:
        return ["---"]

    def heading(self, node: LexborNode) -> list[str]:
        text = " ".join(self._flat(node).replace("**", "").split())
        return [f"{'#' * _HEADINGS[node.tag or 'h1']} {text}"] if text else []

    def _flat(self, node: LexborNode) -> str:
        if not self._holds_block(node):
            return self._inline.children(node)
        return " ".join(self.blocks(node))

    def summary(self, node: LexborNode) -> list[str]:
        text = " ".join(self._flat(node).split())
        return (
            [wrap(text, "**") if "**" not in text and not text.startswith("#") else text]
            if text
            else []
        )

    def code(self, node: LexborNode) -> list[str]:
        block = code_block(node)
        return [block] if block else []

    def quote(self, node: LexborNode) -> list[str]:
        inner = "\n\n".join(self.blocks(node))
        if not inner:
            return []
        return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))]

    def listing(self, node: LexborNode) -> list[str]:
        ordered = node.tag == "ol"
        number = _start(node) if ordered else 0
        items: list[str] = []
        notes: list[str] = []
        loose = False
        for child in node.iter(include_text=False):
            if not self._scope.keeps_box(child.mem_id):
                number += child.tag == "li"
                continue
            inner = self.blocks(child) if child.tag == "li" else self._block(child, child.tag or "")
            note = self._scope.notes.get(child.attributes.get("id") or "")
            if not inner:
                continue
            if note:
                notes.append(_note(note, inner))
                continue
            if child.tag != "li" and items:
                items[-1] += "\n" + _indent("\n".join(inner), "  ")
                continue
            mark = f"{number}. " if ordered else "- "
            number += 1
            loose = loose or _is_loose(inner)
            items.append(mark + _indent(_join_item(inner), " " * len(mark)).lstrip(" "))
        found = [("\n\n" if loose else "\n").join(items)] if items else []
        return found + notes

    def definitions(self, node: LexborNode) -> list[str]:
        groups: list[str] = []
        after_term = False
        for child in _entries(node):
            if not self._scope.keeps_box(child.mem_id):
                continue
            inner = self.blocks(child)
            if not inner:
                continue
            if child.tag == "dd":
                text = ": " + _indent("\n\n".join(inner), "  ").lstrip(" ")
                _append_line(groups, text, joined=bool(groups))
                after_term = False
            else:
                _append_line(groups, " ".join(inner), joined=after_term)
                after_term = child.tag == "dt"
        return groups

    def table(self, node: LexborNode) -> list[str]:
        code = self._code_table(node)
        if code is not None:
            return self.code(code)
        rows = grid.cells_of(node)
        caption = node.css_first("caption")
        if not grid.is_data(node, rows):
            return self._layout(node, rows)
        found = self.blocks(caption) if caption is not None else []
        table = grid.render(node, rows, self._scope)
        return [*found, table] if table else found

    def _layout(self, node: LexborNode, rows: list[list[grid.Cell]]) -> list[str]:
        if not rows:
            return self.blocks(node)
        found: list[str] = []
        for row in rows:
            parts = [self.blocks(cell.node) for cell in row]
            simple = all(len(part) <= 1 and "\n" not in "".join(part) for part in parts)
            flat = [block for part in parts for block in part]
            if (
                simple
                and flat
                and len(flat) > 1
                and not any(block.startswith("#") for block in flat)
            ):
                found.append(" ".join(flat))
            else:
                found += flat
        return found

    @staticmethod
    def _code_table(node: LexborNode) -> LexborNode | None:
        """The code of a table that only sets line numbers beside it."""
        style = node.attributes.get("class") or ""
        if not _CODE_TABLE.search(style):
            return None
        blocks = node.css("pre")
        return blocks[-1] if blocks else node.css_first("code")


# Outside the instance, so that no bound method refers back to it and it is freed at once.
_HANDLERS: dict[str, Callable[[_Writer, LexborNode], list[str]]] = {
    "pre": _Writer.code,
    "ul": _Writer.listing,
    "ol": _Writer.listing,
    "menu": _Writer.listing,
    "dl": _Writer.definitions,
    "blockquote": _Writer.quote,
    "table": _Writer.table,
    "hr": _Writer.rule,
    "summary": _Writer.summary,
    **dict.fromkeys(_HEADINGS, _Writer.heading),
}


def _entries(node: LexborNode) -> list[LexborNode]:
    """Terms and definitions, also when grouped in a div each."""
    found: list[LexborNode] = []
    for child in node.iter(include_text=False):
        if child.tag == "div":
            found += _entries(child)
        else:
            found.append(child)
    return found


def _append_line(groups: list[str], text: str, *, joined: bool) -> None:
    if joined:
        groups[-1] += "\n" + text
    else:
        groups.append(text)


def _end_run(run: list[str], found: list[str]) -> None:
    """Close a run of inline text; two line breaks in it part paragraphs, one is a hard break."""
    whole = "".join(run)
    run.clear()
    if "\n" not in whole:
        text = whole.strip(" \t")
        if text:
            found.append(guard_line_starts(_SPACES.sub(" ", text) if "  " in text else text))
        return
    for part in _STANZA.split(_SPACES.sub(" ", whole)):
        text = _BREAK.sub("\n", part).strip(" \n\t")
        if text:
            text = guard_line_starts(text)
            found.append(text.replace("\n", "  \n"))


def _start(node: LexborNode) -> int:
    attributes: dict[str, Any] = node.attributes
    value = attributes.get("start") or "1"
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _is_loose(inner: list[str]) -> bool:
    """More than one paragraph; a nested list alone does not part the items."""
    return sum(not _is_list(block) for block in inner) > 1


def _is_list(block: str) -> bool:
    return re.match(r"(?:- |\d+\. )", block) is not None


def _join_item(inner: list[str]) -> str:
    joined = inner[0]
    for block in inner[1:]:
        joined += ("\n" if _is_list(block) else "\n\n") + block
    return joined


def _indent(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line else line for line in text.split("\n"))


def _note(label: str, inner: list[str]) -> str:
    return f"[^{label}]: " + _indent("\n\n".join(inner), "    ").lstrip(" ").rstrip()
