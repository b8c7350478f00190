"""The style sheets of a page."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from citewell.reading.css import style_sheets as layer_ranks
from citewell.reading.css.page_styles import PageSheets


def test_an_import_is_noticed_and_layers_are_marked() -> None:
    outside = LexborHTMLParser("<style>@import url(x.css);a{b:c}</style>")
    inside = LexborHTMLParser("<style>@import url(data:text/css,a%7Bb:c%7D) layer(x);</style>")
    sheet = layer_ranks.parse_style_sheet("@layer x{a{b:c}}d{e:f}")

    assert PageSheets(outside).has_outside
    assert not PageSheets(inside).has_outside
    assert [rule.layer for rule in PageSheets(inside).sheets[0].rules] == [("x",)]
    assert [rule.layer for rule in sheet.rules] == [("x",), ()]
