"""Which hidden parts a reader gets to see after all."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading.hiding.sparing_rules import DisclosureControls, belongs_to_furniture


def find(html: str) -> tuple[LexborHTMLParser, LexborNode]:
    tree = LexborHTMLParser(html)
    node = tree.css_first("#it")
    assert node is not None
    return tree, node


@pytest.mark.parametrize(
    ("html", "opens"),
    [
        ("<a href='#it'>More</a><p id=it>Words", True),
        ("<button aria-controls=it>More</button><p id=it>Words", True),
        ("<div role=tabpanel><p id=it>Words", True),
        ("<h3 onclick='x()'>Question</h3><p id=it>Words", True),
        ("<div class=accordion-body><p id=it>Words", True),
        ("<p>Words</p><p id=it>Words", False),
    ],
)
def test_controls_open_what_they_point_to(html: str, opens: object) -> None:
    tree, node = find(html)

    assert DisclosureControls(tree).can_be_opened(node) is opens


def test_slides_are_known_by_their_names() -> None:
    tree, node = find("<div class=swiper-slide><p id=it>Words")

    assert DisclosureControls(tree).is_slide(node)


@pytest.mark.parametrize(
    ("html", "is_furniture"),
    [
        ("<nav><p id=it>Words", True),
        ("<div class=cookie-banner><p id=it>Words", True),
        ("<div role=dialog><p id=it>Words", True),
        ("<header><main><p id=it>Words", False),
        ("<div class=text><p id=it>Words", False),
    ],
)
def test_menus_dialogs_and_banners_are_furniture(html: str, is_furniture: object) -> None:
    _, node = find(html)

    assert belongs_to_furniture(node) is is_furniture
