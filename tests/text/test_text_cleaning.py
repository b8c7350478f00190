"""Plain text out of titles and snippets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.safety.text_cleaning import (
    clean_markup,
    extract_visible_text,
    strip_invisible_characters,
)
from tests.requirements import requires


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


# Characters nobody sees go and are counted; those that shape visible text stay.


_ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@requires("scrape_page.sanitised", "defect.hidden_text")
@pytest.mark.parametrize(
    ("text", "seen", "counts"),
    [
        ("pass\u200bword\ufeff\u2060", "password", {"zeroWidth": 3}),
        ("pass\u200dword\u200c", "password", {"zeroWidth": 2}),
        ("abc\u202edef\u2066ghi\u2069\u200f", "abcdefghi", {"bidi": 4}),
        ("hi\U000e0069\U000e0067\U000e006e", "hi", {"tags": 3}),
        ("🏴\U000e0075\U000e0073\U000e007f", "🏴", {"tags": 3}),
        ("a\ufe0f\U000e0101\U000e0102b", "ab", {"selectors": 3}),
        ("❤️\ufe0f\ufe0f", "❤️", {"selectors": 2}),
        ("co\u00adoperate", "cooperate", {"softHyphens": 1}),
        ("\ufff9base\ufffanote\ufffb", "basenote", {"annotations": 3}),
        ("f\u2061(x)\u2062y", "f(x)y", {"invisibleMath": 2}),
        ("a\u3164b\u115fc\uffa0", "abc", {"fillers": 3}),
        ("a\u2800b", "ab", {"fillers": 1}),
        ("icon \ue000\uf8ff\U000f0000", "icon ", {"privateUse": 3}),
        ("half \ud83d", "half ", {"surrogates": 1}),
        ("nul\x00bell\x07\x9f", "nulbell", {"controls": 3}),
        ("Z" + "\u0301" * 30, "Z" + "\u0301" * 8, {"combining": 22}),
        ("odd\x0bbreak\x85here", "odd break here", {}),
    ],
)
def test_what_nobody_sees_is_taken_out_and_counted(
    text: str, seen: str, counts: dict[str, int]
) -> None:
    found = strip_invisible_characters(text)

    assert found.text == seen
    assert found.removed_counts == counts


@pytest.mark.parametrize(
    "text",
    [
        "Plain text,\n\twith lines and a caf\u00e9 \u2013 \u201cquoted\u201d.",
        "می‌خواهم کتاب‌ها",
        "क्‍ष र्‍य",
        "ශ්‍රී ලංකා",
        "👩‍👩‍👧‍👦 👨🏽‍💻 🏳️‍🌈 ❤️ 1️⃣ ☺︎",
        _ENGLAND + " won",
        "葛󠄀城市",
        "שָׁלוֹם עֲלֵיכֶם",
        "สวัสดี ชาวโลก",
        "Tiếng Việt e\u0302\u0301",
        "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙",
        "a\u00a0b\u3000c",
    ],
)
def test_text_of_every_script_stays_whole(text: str) -> None:
    assert strip_invisible_characters(text).text == text
    assert strip_invisible_characters(text).removed_counts == {}


@given(st.text(alphabet=st.characters(codec=None)))
def test_cleaning_is_done_once_and_adds_nothing(text: str) -> None:
    seen = extract_visible_text(text)

    assert extract_visible_text(seen) == seen
    seen.encode()
    rest = iter(text)
    assert all(char in rest for char in seen if not char.isspace())


_SHAPERS = "\u200c\u200d\ufe0f\ufe00\U000e0101\u0301क्م👩a\u034f\u180b"


@given(st.text(alphabet=_SHAPERS, max_size=60))
def test_mixtures_of_shapers_settle(text: str) -> None:
    assert extract_visible_text(extract_visible_text(text)) == extract_visible_text(text)
