"""Publishers' markup as plain text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations import record_fields

MATH = (
    '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:semantics><mml:mrow>'
    "<mml:mi>α</mml:mi><mml:mo>=</mml:mo><mml:mn>2</mml:mn></mml:mrow>"
    '<mml:annotation encoding="application/x-tex">\\alpha = 2</mml:annotation>'
    "</mml:semantics></mml:math>"
)

SECTIONS = (
    "<jats:title>Abstract</jats:title><jats:sec><jats:title>Methods</jats:title>"
    "<jats:p>We did.</jats:p></jats:sec><jats:sec><jats:title>Results:</jats:title>"
    "<jats:p>It was.</jats:p></jats:sec>"
)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Plain &amp; simple", "Plain & simple"),
        ("CO<sub>2</sub> and <i>E. coli</i>", "CO2 and E. coli"),
        ("CO&lt;sub&gt;2&lt;/sub&gt; and &amp;lt;i&amp;gt;E. coli", "CO2 and E. coli"),
        ("&amp;amp;", "&"),
        (f"Decay at {MATH} in air", "Decay at α=2 in air"),
        ("p &lt; 0.05 and q &gt; 3", "p < 0.05 and q > 3"),
        ("Brackets &lt;meant&gt; so", "Brackets <meant> so"),
        ("Two\n      lines <br/>of it", "Two lines of it"),
        ("A\u200bB\u202e", "AB"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_line(markup: str | None, text: str) -> None:
    assert record_fields.clean_markup_line(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<jats:title>Abstract</jats:title><jats:p>It works.</jats:p>", "It works."),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("<title>Summary:</title><p>It works.</p>", "It works."),
        (SECTIONS, "Methods: We did. Results: It was."),
        ("Abstract This text has no markup.", "This text has no markup."),
        ("ABSTRACT: so it begins", "so it begins"),
        ("Abstract algebra is a field.", "Abstract algebra is a field."),
        ("<p>Plain HTML &amp; all</p>", "Plain HTML & all"),
        ("<jats:p/>", None),
        ("  ", None),
        (None, None),
    ],
)
def test_an_abstract(markup: str | None, text: str | None) -> None:
    assert record_fields.clean_abstract(markup) == text


@pytest.mark.parametrize(
    "hostile",
    [
        "<annotation>" * 100_000,
        "<jats:title>" * 100_000,
        "<" * 1_000_000,
        "&lt;" * 300_000,
        "<annotation " * 100_000,
    ],
)
def test_hostile_markup_costs_little(hostile: str) -> None:
    start = time.process_time()

    record_fields.clean_abstract(hostile)

    assert time.process_time() - start < 5


@given(st.text())
def test_any_text_becomes_one_line(text: str) -> None:
    for found in (
        record_fields.clean_markup_line(text),
        record_fields.clean_abstract(text) or "",
    ):
        assert found == " ".join(found.split())
