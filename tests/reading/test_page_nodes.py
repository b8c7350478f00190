"""Walks around a node of a parsed page."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading import page_nodes

TREE = LexborHTMLParser(
    "<main id=m><h2>Tides</h2> <!-- note --><p class='a b' id=p>The <b>sea</b> rises.</p>"
    "<div>Text<script>run()</script></div></main>"
)


def find(selector: str) -> LexborNode:
    node = TREE.css_first(selector)
    assert node is not None
    return node


def test_the_node_comes_before_those_around_it() -> None:
    tags = [node.tag for node in page_nodes.iterate_upwards(find("b"))]

    assert tags[:4] == ["b", "p", "main", "body"]
    assert list(page_nodes.iterate_upwards(None)) == []


def test_the_element_before_is_found_across_spaces_and_comments() -> None:
    before = page_nodes.find_element_before(find("p"))

    assert before is not None
    assert before.tag == "h2"
    assert page_nodes.find_element_before(find("h2")) is None


def test_children_include_texts() -> None:
    assert [child.tag for child in page_nodes.list_child_nodes(find("p"))] == [
        "-text",
        "b",
        "-text",
    ]


def test_the_names_of_an_element_are_one_text() -> None:
    assert page_nodes.read_class_and_id(find("p")) == "a b p"


def test_programs_are_no_text() -> None:
    assert page_nodes.read_text_without_scripts(find("div")).strip() == "Text"
    assert page_nodes.count_text_chars(find("div")) == len("Text")
