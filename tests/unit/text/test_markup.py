"""Plain text out of titles and snippets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.safety.markup_cleaning import clean_markup, extract_visible_text


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        (None, ""),
        ("", ""),
        ("A <strong>heat pump</strong> &amp; more", "A heat pump & more"),
        ("it&#x27;s &quot;so&quot;", 'it\'s "so"'),
        ("one<br>two<p>three</p>", "one two three"),
        ("  one \n two\t three\u00a0four ", "one two three four"),
        ("if a < b and b > c", "if a < b and b > c"),
        ("I <3 it", "I <3 it"),
        ("a<!-- hidden -->b", "ab"),
        ("the &lt;div&gt; element", "the <div> element"),
        ('<span class="searchmatch">x</span>y', "xy"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("abc\u202edef\u2066ghi", "abcdefghi"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("nul\x00bell\x07", "nulbell"),
        ("half \ud83d of a pair", "half of a pair"),
        ("soft\u00adhyphen", "softhyphen"),
        ("&#8203;&#x202E;x", "x"),
        ("日本語 の テキスト", "日本語 の テキスト"),
    ],
)
def test_only_what_a_reader_sees_is_left(markup: str | None, wanted: str) -> None:
    assert clean_markup(markup) == wanted


def test_joiners_stay_where_they_shape_words_and_go_where_they_only_hide() -> None:
    persian, family = "می\u200cخواهم", "👩\u200d👧"

    assert clean_markup(persian) == persian
    assert clean_markup(family) == family
    assert clean_markup("pass\u200dword\u200c") == "password"


@given(st.text(alphabet=st.characters(codec=None)))
def test_the_result_has_nothing_unseen_and_can_be_written(text: str) -> None:
    plain = clean_markup(text)

    plain.encode()
    assert plain == plain.strip()
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Co"} for char in plain)
    assert extract_visible_text(plain) == plain
