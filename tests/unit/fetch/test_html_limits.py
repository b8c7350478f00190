"""Hostile shapes must be cut down before the parser meets them."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.fetch.html.markup_limits import MAX_ELEMENT_DEPTH, MAX_HTML_CHARS, limit_markup


def depth(node: LexborNode | None) -> int:
    deepest, level = 0, 0
    stack = [(node, 0)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if node is not None:
            stack += [(child, level + 1) for child in node.iter(include_text=False)]
    return deepest


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "x" + "</div>" * 100_000,
        "<div>" * 100_000,
        "<div/>" * 20_000,
        "<span><div></span>" * 20_000,
        "<SCRIPT></SCRIPT>" + "<div>" * 20_000,
        "<!-->" + "<div>" * 20_000 + "-->",
        "<svg><style>" + "<g>" * 20_000,
        "<svg><div/>" + "<path/>" * 20_000,
        "<table><tr><td>" * 20_000,
        "<ul><li>" * 20_000,
        '<div a="<">' * 20_000,
        "<b id=x><p>" * 20_000,
    ],
    ids=lambda page: page[:18],
)
def test_nesting_is_capped_before_parsing(page: str) -> None:
    tree = LexborHTMLParser(limit_markup(page))

    assert depth(tree.root) <= MAX_ELEMENT_DEPTH * 2


def test_text_below_the_deepest_level_survives() -> None:
    page = "<div>" * 5_000 + "<p>treasure</p>" + "</div>" * 5_000 + "<p>after</p>"

    tree = LexborHTMLParser(limit_markup(page))

    assert tree.body is not None
    assert tree.body.text().split("after")[0].strip() == "treasure"


def test_an_ordinary_page_is_not_touched() -> None:
    page = "<ul>" + "<li>a<br><img src=x>" * 900 + "</ul>" + "<p>b</p>" * 900

    assert LexborHTMLParser(limit_markup(page)).html == LexborHTMLParser(page).html


def test_unclosed_formatting_is_bounded() -> None:
    page = "<p>" + "".join(f"<b id={i}>" for i in range(2_000)) + "</p><p>x</p>" * 500

    assert len(LexborHTMLParser(limit_markup(page)).css("b")) < 20_000


def test_unclosed_tags_without_an_end_take_linear_time() -> None:
    assert len(limit_markup("<a " * 100_000)) < 300_000


def test_a_page_is_cut_at_the_size_limit() -> None:
    assert len(limit_markup("word " * 6_000_000)) == MAX_HTML_CHARS


def test_lone_surrogates_and_control_characters_are_removed() -> None:
    assert limit_markup("a\ud800b\x00c\x1bd\te") == b"abcd\te"
