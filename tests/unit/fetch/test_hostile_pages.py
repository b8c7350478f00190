"""Small pages that once took minutes to read: each must be done within the test's time limit."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.css.sheets.selectors import split_selector_list
from citewell.fetch.hidden_text import remove_hidden_text
from citewell.fetch.metadata.page_metadata import read_page_metadata
from citewell.text.safety.markup_cleaning import clean_markup

BODY = "<body><p style='clip-path:{clip}'>Words that stay.</p></body>"
SPACES = " " * 60_000
HOSTILE = {
    "spaces in a media query": f"<style>@media (a{SPACES}b) {{p {{display: none}}}}</style>",
    "spaces in a media attribute": f"<style media='(a{SPACES}b)'>p {{display: none}}</style>",
    "selectors with one bracket": "<style>" + "p," * 50_000 + "p[x] {color: red}</style>",
    "comments that never end": f'<meta name="author" content="{"<!--" * 26_000}">',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_hostile_page_is_read_and_keeps_its_words(name: str) -> None:
    tree = LexborHTMLParser(f"<html><head>{HOSTILE[name]}</head>{BODY.format(clip='none')}</html>")

    read_page_metadata(tree, url="https://example.org/")
    remove_hidden_text(tree)

    assert tree.body is not None
    assert "Words that stay." in tree.body.text()


def test_a_long_name_without_a_call_in_a_style_is_no_burden() -> None:
    tree = LexborHTMLParser(BODY.format(clip="a" * 106_000))

    remove_hidden_text(tree)

    assert tree.body is not None
    assert "Words that stay." in tree.body.text()


def test_a_selector_list_is_split_outside_brackets() -> None:
    assert split_selector_list("a, b:is(c, d) e, [f='g,h'], i") == [
        "a",
        "b:is(c, d) e",
        "[f='g,h']",
        "i",
    ]


def test_a_comment_goes_and_one_without_an_end_stays() -> None:
    assert (
        clean_markup("one <!-- two --> three <!-- four <b>five</b>") == "one three <!-- four five"
    )
