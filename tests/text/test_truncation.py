""""""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text import truncation
from citewell.text.truncation import cut_body, truncate_text
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


# Where a long text is cut.


@pytest.mark.parametrize(
    ("text", "size", "kept"),
    [
        ("One two.\n\nThree four.\n\nFive six.", 26, "One two.\n\nThree four.\n\n"),
        ("First one here. Second sentence", 24, "First one here. "),
        ("これは文です。次の文はもっと長い文章です。", 12, "これは文です。"),
        ("- first item\n- second item\n- third item", 30, "- first item\n- second item\n"),
        ("no stops only words here at all", 20, "no stops only words "),
        ("x" * 40, 20, "x" * 20),
        ("short", 20, "short"),
        ("anything", 0, ""),
    ],
)
def test_a_text_ends_where_a_reader_would_pause(text: str, size: int, kept: str) -> None:
    assert cut_body(text, size).text == kept


def test_a_letter_keeps_its_accent_and_an_emoji_its_joiner() -> None:
    assert cut_body("aaaae\u0301bbbb", 5).text == "aaaa"
    assert cut_body("aaa👩\u200d🔬bbb", 5).text == "aaa"


def test_a_cut_is_made_before_a_code_block_that_would_be_broken() -> None:
    text = "A paragraph of words.\n\n```py\nprint(1)\n\nprint(2)\n```\n"

    cut = cut_body(text, 35)

    assert (cut.text, cut.inside) == ("A paragraph of words.\n\n", None)


def test_a_cut_through_a_long_code_block_says_so_and_ends_after_a_line() -> None:
    text = "Intro.\n\n```py\n" + "print('a line of code')\n" * 50 + "```\n"

    cut = cut_body(text, 200)

    assert cut.inside == "code block"
    assert cut.text.endswith("print('a line of code')\n")


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```"])
def test_a_closed_code_block_does_not_matter(fence: str) -> None:
    text = f"{fence}\ncode\n{fence}\n\nWords after it.\n\n" + "More words follow. " * 9

    cut = cut_body(text, len(text) // 2 + 20)

    assert cut.inside is None
    assert cut.text.endswith(("it.\n\n", "follow. "))


def test_a_fence_of_another_kind_does_not_close_a_code_block() -> None:
    text = "````\n```\nstill code\n```\n" + "still code\n" * 30 + "````\n"

    assert cut_body(text, 100).inside == "code block"


def test_a_table_is_cut_between_rows() -> None:
    text = "| a | b |\n| --- | --- |\n" + "| one cell | another cell |\n" * 40

    cut = cut_body(text, 500)

    assert cut.inside is None
    assert cut.text.endswith("cell |\n")


def test_a_cut_through_a_very_long_table_row_says_so() -> None:
    text = "| a | b |\n| " + "many words in one row | " * 80 + "\n"

    cut = cut_body(text, 500)

    assert cut.inside == "table row"
    assert cut.text.endswith("|")


@requires("scrape_page.size_category")
@pytest.mark.parametrize(
    ("length", "name"),
    [
        (0, "small"),
        (4999, "small"),
        (5000, "medium"),
        (19_999, "medium"),
        (20_000, "large"),
        (49_999, "large"),
        (50_000, "very_large"),
    ],
)
def test_a_length_has_its_category(length: int, name: str) -> None:
    assert truncation.classify_size(length) == name


def test_weight_counts_bytes_and_tokens_a_quarter_of_them() -> None:
    assert truncation.count_utf8_bytes("näive 語") == len("näive 語".encode())
    assert truncation.estimate_token_count(truncation.count_utf8_bytes("x" * 403)) == 100


def test_a_small_text_leaves_its_rest_to_the_others() -> None:
    assert truncation.split_byte_limit([10, 1000, 1000], 510) == [10, 250, 250]


def test_all_fit_when_there_is_room() -> None:
    assert truncation.split_byte_limit([5, 7], 100) == [5, 7]


@given(st.lists(st.integers(0, 10_000), max_size=12), st.integers(0, 50_000))
def test_shares_never_pass_the_room_and_waste_none_of_it(sizes: list[int], room: int) -> None:
    granted = truncation.split_byte_limit(sizes, room)

    assert all(0 <= share <= wanted for share, wanted in zip(granted, sizes, strict=True))
    assert sum(granted) <= room
    assert sum(granted) >= min(sum(sizes), room) - len(sizes)
