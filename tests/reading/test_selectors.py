"""Small pages that once took minutes to read: each must be done within the test's time limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.css import style_sheets as layer_ranks
from citewell.reading.css.selectors import ElementIndex, measure_specificity, split_selector_list
from citewell.reading.hidden_text import remove_hidden_text
from citewell.reading.metadata.page_metadata import read_page_metadata
from citewell.text.safety.text_cleaning import clean_markup

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


TREE = LexborHTMLParser(
    '<div id="o" class="a b"><p class="c">1</p><section><p class="c d" data-k="v">2</p></section></div>'
    '<p class="md:c">3</p><input class="c" checked>'
)


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        (".c", ["1", "2", ""]), ("p.c", ["1", "2"]), ("#o > .c", ["1"]), ("#o .c", ["1", "2"]),
        (".a.b p", ["1", "2"]), ("div section > .d", ["2"]), ("[data-k=v]", ["2"]), ("p:not(.c)", ["3"]),
        (r".md\:c", ["3"]), (".c:hover", []), ("p.c:not(:hover)", ["1", "2"]), ("p::before", []),
        (".c:checked", [""]), (".missing p", []), ("p:lang(en)", []), ("..", []), ("a:link", []),
    ],
)  # fmt: skip
def test_selectors_pick_elements_at_rest(selector: str, texts: list[str]) -> None:
    assert [node.text() for node in ElementIndex(TREE).select_elements(selector)] == texts


@pytest.mark.parametrize("selector", ["p:nth-last-of-type(3n+1)", "p:nth-child(2)", "i ~ p"])
def test_a_selector_that_counts_too_many_siblings_is_left_out(selector: str) -> None:
    few = ElementIndex(LexborHTMLParser("<i>x</i>" + "<p>x</p>" * 2_000))
    many = ElementIndex(LexborHTMLParser("<i>x</i>" + "<p>x</p>" * 60_000))
    spread = ElementIndex(LexborHTMLParser("<section><i>x</i><p>x</p><p>x</p></section>" * 15_000))

    assert few.select_elements(selector)
    assert spread.select_elements(selector)
    assert not few.is_exhausted
    assert not spread.is_exhausted
    assert not many.select_elements(selector)
    assert many.is_exhausted


def test_lists_are_parted_at_outer_commas_only() -> None:
    assert split_selector_list("a, b:is(c, d), e[f='g,h']") == ["a", "b:is(c, d)", "e[f='g,h']"]


def test_ids_weigh_more_than_classes_and_classes_more_than_types() -> None:
    assert (
        measure_specificity("#a") > measure_specificity(".a.b.c") > measure_specificity("div p a")
    )


@given(st.text(alphabet="ab.#:>~+*[]()={}@;\\\"'/ \n", max_size=80))
def test_no_sheet_breaks_the_reader(text: str) -> None:
    index = ElementIndex(TREE)
    for rule in layer_ranks.parse_style_sheet(text).rules:
        for selector in split_selector_list(rule.selectors):
            list(index.select_elements(selector))
            measure_specificity(selector)
