"""What a rendering shares from end to end: the base address, the chosen nodes, the notes seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Beyond it a page could exhaust the interpreter's stack; real pages stay below 60.
MAX_LEVEL = 150


@dataclass(slots=True, kw_only=True)
class Scope:
    """Nodes are known by `mem_id`; without a choice everything is kept."""

    base: str
    nodes: frozenset[int] | None = None
    boxes: frozenset[int] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    level: int = 0

    def enter(self) -> bool:
        """Go one level down; False, and nothing to leave, when that would be too deep."""
        if self.level >= MAX_LEVEL:
            return False
        self.level += 1
        return True

    def leave(self) -> None:
        """Come back up."""
        self.level -= 1

    def keeps(self, node: int) -> bool:
        """Whether a text or image is chosen."""
        return self.nodes is None or node in self.nodes

    def keeps_box(self, box: int) -> bool:
        """Whether a block-level element holds anything chosen."""
        return self.boxes is None or box in self.boxes

    def keeps_any(self, node: LexborNode) -> bool:
        """Whether any text below the node is chosen."""
        if self.nodes is None:
            return True
        return any(item.mem_id in self.nodes for item in node.traverse(include_text=True))
