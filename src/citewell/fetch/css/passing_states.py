"""States of a page before its scripts have run, and the mode in which browsers read it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.css.sheets.selector_states import is_loading_state

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


class PassingStates:
    """The classes and attributes that scripts take away before anyone reads the page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree

    def has_state(self, selector: str) -> bool:
        """Whether a selector matches only until the scripts of the page have run."""
        return is_loading_state(selector) or any(name in selector for name in self._root_classes)

    @cached_property
    def _root_classes(self) -> tuple[str, ...]:
        """The classes of the root and the body that a script of the page takes away."""
        names = {
            name
            for node in self._tree.css("html[class], body[class]")
            for name in (node.attrs.get("class") or "").split()
        }
        if not names:
            return ()
        code = "".join(node.text(deep=True) for node in self._tree.css("script:not([src])"))
        return tuple(
            f".{name}" for name in names if f"remove('{name}'" in code or f'remove("{name}"' in code
        )


def has_doctype(tree: LexborHTMLParser) -> bool:
    """Whether the page has a doctype: without one, class names match in any case."""
    node = tree.root.prev if tree.root is not None else None
    while node is not None:
        if node.tag == "-doctype":
            return True
        node = node.prev
    return False
