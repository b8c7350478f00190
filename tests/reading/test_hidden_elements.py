"""Text that HTML itself keeps from readers."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.hiding.hidden_elements import (
    HiddenNodes,
    find_noscript_texts,
    find_unshown_elements,
)


@pytest.mark.parametrize(
    "html",
    [
        "<template>Unseen</template>",
        "<video>Unseen</video>",
        "<noframes>Unseen</noframes>",
        "<svg><defs><text>Unseen</text></defs></svg>",
    ],
)
def test_browsers_do_not_show_these_elements(html: str) -> None:
    tree = LexborHTMLParser(f"<p>Seen</p>{html}")
    nodes = HiddenNodes()

    for node, technique in find_unshown_elements(tree):
        nodes.mark_node(node, technique)
    removed = nodes.remove_marked()

    assert removed.counts == {"element": 1}
    assert "Unseen" not in (tree.html or "")


@pytest.mark.parametrize(("chars", "is_page"), [(100, False), (2000, True)])
def test_a_noscript_element_may_hold_the_page(chars: int, is_page: object) -> None:
    tree = LexborHTMLParser(f"<body><p>{'a ' * 100}</p><noscript>{'b' * chars}</noscript>")

    hidden = list(find_noscript_texts(tree))

    assert bool(hidden) is not is_page
    assert (tree.css_first("noscript") is None) is is_page
