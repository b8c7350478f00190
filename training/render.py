"""Write boosted trees as a Python module, which judges a block in half the time of walking them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# As many trees as `score` asks before it decides whether a block needs the rest.
FIRST = 20
_HEAD = '''"""The learned trees, written by training/train.py: train again rather than edit."""
# fmt: off

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
'''


def module(trees: Sequence[dict[str, Any]]) -> str:
    """Source of a module with `first` and `rest`, each the sum of its trees for one row."""
    return "\n".join(
        (_HEAD, *_function("first", trees[:FIRST]), "", *_function("rest", trees[FIRST:]), "")
    )


def _function(name: str, trees: Sequence[dict[str, Any]]) -> list[str]:
    sums = [f"        + {_expression(tree)}" for tree in trees]
    return [
        "",
        f"def {name}(r: Sequence[float]) -> float:",
        "    return (",
        "        0.0",
        *sums,
        "    )",
    ]


def _expression(node: dict[str, Any]) -> str:
    """A leaf as its value, a split as a conditional expression."""
    if "leaf_value" in node:
        return repr(round(float(node["leaf_value"]), 4))
    threshold = float(f"{node['threshold']:.6g}")
    below, above = _expression(node["left_child"]), _expression(node["right_child"])
    return f"({below} if r[{node['split_feature']}] <= {threshold!r} else {above})"
