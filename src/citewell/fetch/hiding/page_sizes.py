"""Counts the characters of a page and of its main part, each once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.hiding.node_texts import count_text_chars

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MIN_PAGE_CHARS = 600  # a hidden element with more may be the page itself


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
        share = len(text) / max(1, self._main_chars if _is_in_main(node) else self.page_chars)
        if share > 0.5 and node.css_matches("h1, main, article"):
            return True
        return len(text) > 3 * MIN_PAGE_CHARS and share > 0.6


def _is_in_main(node: LexborNode | None) -> bool:
    while node is not None:
        if node.tag == "main" or node.attributes.get("role") == "main":
            return True
        node = node.parent
    return False
