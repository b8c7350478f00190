"""Keeps the nodes that are to be removed from a page, and removes them all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.hiding.node_texts import read_text_without_scripts

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


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
        above = node.parent
        while above is not None:
            if above.mem_id in self._whole:
                return True
            above = above.parent
        return False
