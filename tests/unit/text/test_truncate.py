from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.text.truncation import truncate_text
from tests.requirements import requires


def test_a_text_that_fits_is_left_alone() -> None:
    cut = truncate_text("One. Two.", 9)

    assert (cut.text, cut.truncated) == ("One. Two.", False)


@requires("scrape_page.truncated")
def test_the_cut_is_at_a_paragraph_where_one_ends_in_the_second_half() -> None:
    text = "First paragraph here.\n\nSecond one follows. It is long."

    assert truncate_text(text, 40).text == "First paragraph here."


def test_the_cut_is_at_a_sentence_without_a_paragraph() -> None:
    assert truncate_text("One two three. Four five six seven eight.", 25).text == "One two three."


def test_the_cut_is_at_a_sentence_in_chinese_too() -> None:
    assert (
        truncate_text("绿茶是不发酵的茶叶。鲜叶采摘以后，先经过杀青", 45).text
        == "绿茶是不发酵的茶叶。"
    )


def test_the_cut_is_at_a_word_without_a_sentence() -> None:
    assert truncate_text("alpha beta gamma delta", 18).text == "alpha beta gamma"


def test_a_character_is_never_broken() -> None:
    assert truncate_text("ääää", 5).text == "ää"


def test_an_accent_stays_with_its_letter() -> None:
    assert truncate_text("abcde\u0301", 5).text == "abcd"


def test_an_open_code_block_is_closed() -> None:
    text = "Intro.\n\n```python\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n```\n"

    cut = truncate_text(text, 50).text

    assert cut.endswith("\n```")
    assert len(cut) <= 50


def test_a_heading_without_its_text_is_dropped() -> None:
    text = "A paragraph that is long enough.\n\n## Next\n\nAnother paragraph follows here."

    assert truncate_text(text, 60).text == "A paragraph that is long enough."


@given(text=st.text(max_size=300), limit=st.integers(min_value=0, max_value=400))
def test_the_result_fits_and_begins_the_text(text: str, limit: int) -> None:
    cut = truncate_text(text, limit)

    assert len(cut.text.encode("utf-8", "replace")) <= limit
    assert cut.truncated == (len(text.encode("utf-8", "replace")) > limit)
    assert text.startswith(cut.text.removesuffix("\n```").removesuffix("\n~~~"))
