"""Where a long text is cut."""

from __future__ import annotations

import pytest

from citewell.text.body_cuts import cut_body


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
