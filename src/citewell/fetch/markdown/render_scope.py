"""State that is shared while a page is rendered: base address, kept nodes, notes, depth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Deeper pages could exhaust the interpreter's stack; real pages stay below 60.
MAX_RENDER_DEPTH = 150


@dataclass(slots=True, kw_only=True)
class RenderScope:
    """`nodes` and `boxes` hold the `mem_id` of what to keep; None keeps everything."""

    base_address: str
    kept_nodes: frozenset[int] | None = None
    kept_boxes: frozenset[int] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    depth: int = 0

    def enter_level(self) -> bool:
        """Go one level down. False if that is too deep; then `leave_level` must not be called."""
        if self.depth >= MAX_RENDER_DEPTH:
            return False
        self.depth += 1
        return True

    def leave_level(self) -> None:
        self.depth -= 1

    def keeps_node(self, node: int) -> bool:
        """Whether a text or image node is kept."""
        return self.kept_nodes is None or node in self.kept_nodes

    def keeps_box(self, box: int) -> bool:
        """Whether a block-level element holds anything that is kept."""
        return self.kept_boxes is None or box in self.kept_boxes

    def keeps_text_below(self, node: LexborNode) -> bool:
        """Whether any text below the node is kept."""
        if self.kept_nodes is None:
            return True
        return any(item.mem_id in self.kept_nodes for item in node.traverse(include_text=True))
