"""The small reader of style sheets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.css.sheets import media_queries, style_sheets
from citewell.fetch.css.sheets.declarations import parse_declarations, parse_style_attribute
from citewell.fetch.css.sheets.page_sheets import PageSheets
from citewell.fetch.css.sheets.selectors import (
    ElementIndex,
    measure_specificity,
    split_selector_list,
)
from citewell.fetch.css.values import colours, lengths
from citewell.fetch.css.values.colours import RgbColour


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("0", 0), ("12px", 12), ("-1.5em", -24), ("2rem", 32), ("12pt", 16), ("1e2px", 100),
        ("calc(1px + 2 * 3px)", 7), ("calc(-1 * (4px - 1px))", -3), ("min(3px, 5px)", 3),
        ("max(3px, 5px)", 5), ("clamp(1px, 9px, 4px)", 4), ("calc(1px / 0)", 1e9),
        ("auto", None), ("12furlongs", None), ("calc(1px +)", None), ("calc(", None), ("", None),
        ("attr(x)", None),
    ],
)  # fmt: skip
def test_lengths_become_pixels(text: str, pixels: float | None) -> None:
    assert lengths.parse_pixels(text) == pytest.approx(pixels)


@given(st.text(alphabet="calc(min)+-*/ 0123456789.,pxem%", max_size=60))
def test_no_sum_breaks_the_reader(text: str) -> None:
    found = lengths.parse_pixels(text)

    assert found is None or abs(found) <= 1e9


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#fff", RgbColour(255, 255, 255)), ("#0000", RgbColour(0, 0, 0, 0)), ("#11223380", None),
        ("WHITE", RgbColour(255, 255, 255)), ("transparent", RgbColour(0, 0, 0, 0)),
        ("rgb(1,2,3)", RgbColour(1, 2, 3)), ("rgb(100% 0% 0% / 50%)", RgbColour(255, 0, 0, 0.5)),
        ("hsl(120 100% 50%)", RgbColour(0, 255, 0)), ("hwb(0 0% 100%)", RgbColour(0, 0, 0)),
        ("oklch(1 0 0)", RgbColour(255, 255, 255)), ("lab(100% 0 0)", RgbColour(255, 255, 255)),
        ("color(srgb 1 1 1)", RgbColour(255, 255, 255)),
    ],
)  # fmt: skip
def test_colours_are_read(text: str, wanted: RgbColour | None) -> None:
    found = colours.parse_colour(text)

    if wanted is None:
        assert found is not None
        assert round(found.alpha, 2) == 0.5
    else:
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text",
    ["", "whiteish", "#ff", "rgb(1,2)", "rgb(a,b,c)", "oklch(.5 .2)", "color-mix(in x, red)"],
)
def test_what_is_no_plain_colour_is_none(text: str) -> None:
    assert colours.parse_colour(text) is None


@pytest.mark.parametrize(
    ("ink", "ground", "gone"),
    [
        ("#fff", "#fff", True), ("#fefefe", "#fff", True), ("#f5f5f5", "#fff", True),
        ("#ddd", "#fff", False), ("#999", "#fff", False), ("#0a0a0a", "#000", True),
        ("rgba(0,0,0,.02)", "#fff", True), ("#ff0000", "#008000", False),
    ],
)  # fmt: skip
def test_words_vanish_in_their_own_colour(ink: str, ground: str, gone: object) -> None:
    one, other = colours.parse_colour(ink), colours.parse_colour(ground)
    assert one is not None
    assert other is not None

    assert colours.is_unreadable_on(one, other) is gone


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("", True), ("screen", True), ("print", False), ("all and (min-width:600px)", True),
        ("(max-width: 40em)", False), ("print, screen", True), ("not print", True), ("not all", False),
        ("only screen and (orientation: landscape)", True), ("(400px <= width <= 2000px)", True),
        ("(width < 400px)", False), ("(prefers-color-scheme: dark)", False), ("(hover)", True),
        ("(prefers-reduced-motion)", False), ("(made-up: 1)", False), ("(min-aspect-ratio: 1/1)", True),
        ("(min-resolution: 2dppx)", False), ("not (max-width: 600px)", True),
        ("(max-width: 600px) or (min-width: 900px)", True), ("((((", False),
    ],
)  # fmt: skip
def test_a_desktop_screen_answers_media_queries(query: str, holds: object) -> None:
    assert media_queries.matches_media_query(query) is holds


def rules(text: str) -> list[tuple[str, str]]:
    return [
        (rule.selectors, rule.body.strip(" ;"))
        for rule in style_sheets.parse_style_sheet(text).rules
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a{b:c}", [("a", "b:c")]),
        ("a{b:c}d{e:f}", [("a", "b:c"), ("d", "e:f")]),
        ("@media print{a{b:c}}d{e:f}", [("d", "e:f")]),
        ("@media screen{@supports (display:grid){a{b:c}}}", [("a", "b:c")]),
        ("@supports not (display:grid){a{b:c}}", []),
        ("@supports (x:y){a{b:c}}", []),
        ("/* a{b:c} */d{e:f}", [("d", "e:f")]),
        ('a{b:"}"}d{e:f}', [("a", 'b:""'), ("d", "e:f")]),
        ("a{b:url(x;y{z)}d{e:f}", [("a", "b:url()"), ("d", "e:f")]),
        ("@font-face{a:b}@page{c:d}e{f:g}", [("e", "f:g")]),
        ("<!-- a{b:c} -->", [("a", "b:c")]),
        ("a{b:c;&.d{e:f}}", [("a", "b:c"), ("a.d", "e:f")]),
        ("a,x{d{e:f}}", [(":is(a,x) d", "e:f")]),
        ("}}a{b:c", [("a", "b:c")]),
        ("@import 'x';a{b:c}", [("a", "b:c")]),
    ],
)
def test_rules_in_force_are_read(text: str, wanted: list[tuple[str, str]]) -> None:
    assert rules(text) == wanted


def test_an_import_is_noticed_and_layers_are_marked() -> None:
    outside = LexborHTMLParser("<style>@import url(x.css);a{b:c}</style>")
    inside = LexborHTMLParser("<style>@import url(data:text/css,a%7Bb:c%7D) layer(x);</style>")
    sheet = style_sheets.parse_style_sheet("@layer x{a{b:c}}d{e:f}")

    assert PageSheets(outside).has_outside
    assert not PageSheets(inside).has_outside
    assert [rule.layer for rule in PageSheets(inside).sheets[0].rules] == [("x",)]
    assert [rule.layer for rule in sheet.rules] == [("x",), ()]


def test_an_animation_is_known_by_its_moments() -> None:
    frames = style_sheets.parse_style_sheet(
        "@keyframes in{from{opacity:0}50%, to{opacity:1}}"
    ).keyframes

    shown = {"opacity": ("1", False)}
    assert frames == {"in": {0.0: {"opacity": ("0", False)}, 50.0: shown, 100.0: shown}}


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("display:none", {"display": ("none", False)}),
        ("DISPLAY : None ! important", {"display": ("none", True)}),
        ("display:none;display:blah", {"display": ("none", False)}),
        ("display:none!important;display:block", {"display": ("none", True)}),
        (r"d\69splay:n\6f ne", {"display": ("none", False)}),
        ("font:italic 0/1 a", {"font-size": ("0", False), "line-height": ("1", False)}),
        ("inset-inline-start:-9px", {"left": ("-9px", False)}),
        ("border:1px;orphans:none;nonsense", {}),
        ("width:-1px;height:nonsense 3", {}),
        ("overflow:hidden auto", {"overflow-x": ("hidden", False), "overflow-y": ("auto", False)}),
        ("color:red;color:blah", {"color": ("red", False)}),
    ],
)
def test_declarations_that_matter_are_kept(block: str, wanted: dict[str, tuple[str, bool]]) -> None:
    assert parse_declarations(block) == wanted


def test_a_background_is_spelt_out() -> None:
    found = parse_style_attribute("background: url(a.png) no-repeat #FFF")

    assert found["background-color"] == ("#fff", False)
    assert found["background-image"] == ("url(a.png)", False)


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
    for rule in style_sheets.parse_style_sheet(text).rules:
        for selector in split_selector_list(rule.selectors):
            list(index.select_elements(selector))
            measure_specificity(selector)
