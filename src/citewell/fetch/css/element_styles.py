"""The winning declarations of an element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.fetch.css.sheets.layer_ranks import LayerRank
from citewell.fetch.css.sheets.selectors import Specificity

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Whether it is important, whether it is in a `style` attribute, its layer, weight and order.
DeclarationPriority = tuple[bool, bool, LayerRank, Specificity, int]


class ElementStyle:
    """The winning declarations of one element."""

    __slots__ = ("node", "ranks", "values")

    def __init__(self, node: LexborNode) -> None:
        self.node = node
        self.values: dict[str, str] = {}
        self.ranks: dict[str, DeclarationPriority] = {}

    def set_if_stronger(self, name: str, value: str, rank: DeclarationPriority) -> None:
        if name not in self.ranks or rank >= self.ranks[name]:
            self.ranks[name] = rank
            self.values[name] = value

    def find_value(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def list_important(self) -> set[str]:
        return {name for name, rank in self.ranks.items() if rank[0]}
