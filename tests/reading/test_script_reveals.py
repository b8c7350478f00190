"""What scripts and dormant rules say about hidden elements."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading.css.style_cascade import PageStyles
from citewell.reading.hiding.script_reveals import ScriptReveals


def reveal(html: str) -> tuple[ScriptReveals, LexborNode]:
    tree = LexborHTMLParser(f"<!doctype html>{html}")
    return ScriptReveals(tree, PageStyles(tree)), find_node(tree)


def find_node(tree: LexborHTMLParser) -> LexborNode:
    node = tree.css_first("#it")
    assert node is not None
    return node


@pytest.mark.parametrize(
    ("marks", "appears"),
    [("class=fade-in", True), ("data-aos=zoom", True), ("class=plain", False)],
)
def test_elements_that_appear_while_scrolling_are_known_by_their_names(
    marks: str, appears: object
) -> None:
    reveals, node = reveal(f"<script></script><p id=it {marks}>Words")

    assert reveals.is_appearing(node) is appears


def test_nothing_appears_without_scripts() -> None:
    reveals, node = reveal("<p id=it class=fade-in>Words")

    assert not reveals.is_appearing(node)


@pytest.mark.parametrize(
    ("code", "is_mentioned"),
    [
        ("document.querySelector('#it').style.display = 'block'", True),
        ("count('#it')", False),
        ("document.querySelector('#other').style.display = 'block'", False),
    ],
)
def test_a_script_that_handles_an_element_names_it(code: str, is_mentioned: object) -> None:
    reveals, node = reveal(f"<p id=it>Words</p><script>{code}</script>")

    assert reveals.is_mentioned(node) is is_mentioned


def test_a_rule_out_of_force_may_show_an_element() -> None:
    sheet = ".open #it{display:block}#it{display:none}"
    tree = LexborHTMLParser(f"<!doctype html><style>{sheet}</style><script></script><p id=it>Words")
    styles = PageStyles(tree)
    style = styles.found[find_node(tree).mem_id]

    rules = ScriptReveals(tree, styles).find_revealing_rules(style, frozenset({"display"}))
    shown = list(rules)

    assert [declared["display"] for declared in shown] == [("block", False)]
