"""Hostile shapes must be cut down before the parser meets them."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading.extracted_page import PageResponse
from citewell.reading.html.markup_limits import (
    MAX_ELEMENT_DEPTH,
    MAX_HTML_CHARS,
    MAX_MARKUP_TAGS,
    MAX_TAG_ATTRIBUTES,
    bound_markup,
    limit_markup,
)
from citewell.reading.page_reading import read_page


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


NUMBERS = range(40_000)


@pytest.mark.parametrize(
    "attributes",
    [
        " ".join(f"a{number}=1" for number in NUMBERS),
        " ".join(f"a{number}='>'" for number in NUMBERS),
        "/".join(f"a{number}" for number in NUMBERS),
        " ".join(f'a{number}="<b>"' for number in NUMBERS),
        "\n".join(f"a{number} = x" for number in NUMBERS),
    ],
    ids=["plain", "quoted end of a tag", "slashes", "quoted tag", "spaces"],
)
def test_a_crowded_tag_keeps_its_first_attributes(attributes: str) -> None:
    found = bound_markup(f"<main><p {attributes}>treasure</p><p id=x>after</p></main>")

    tree = LexborHTMLParser(found.data)
    first, second = tree.css("p")
    assert len(first.attributes) == MAX_TAG_ATTRIBUTES
    assert (first.text(), second.text(), second.attributes) == ("treasure", "after", {"id": "x"})
    assert found.notes == (
        f"Attributes after the first {MAX_TAG_ATTRIBUTES} of a tag were ignored.",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [("<script>if (a<b", "</script>"), ("<!-- <a ", " -->"), ("<title>a <b ", "</title>")],
)
def test_what_only_looks_like_a_crowded_tag_is_left_alone(before: str, after: str) -> None:
    words = " ".join(f'w{number} "' for number in range(1001))
    page = f"{before} {words} {after}<p class=x>treasure</p>"

    assert bound_markup(page).data == page.encode()


def test_a_page_of_too_many_tags_is_cut_and_says_so() -> None:
    page = "<p>x</p>" * MAX_MARKUP_TAGS

    found = bound_markup(page)

    assert found.data == page[: len(page) // 2].encode()
    assert found.notes == ("Only the first 200,000 tags of the page were read.",)


def test_a_page_of_too_many_characters_says_so() -> None:
    assert bound_markup("x" * (MAX_HTML_CHARS + 1)).notes == (
        "Only the first 10,000,000 characters of the page were read.",
    )


def test_a_page_that_was_limited_is_partial_and_says_why() -> None:
    crowd = " ".join(f"a{number}" for number in NUMBERS)
    text = "Tides rise and fall on most coasts twice a day, and the Moon is the cause. " * 5
    response = PageResponse(url="https://example.org/", final_url="https://example.org/")

    extracted = read_page(
        f"<html><body {crowd}><p>{text}</p></body></html>".encode(), response
    ).extracted

    assert extracted.quality == "partial"
    assert extracted.notes[0].startswith("Attributes after the first")
    assert text.strip() in extracted.content
