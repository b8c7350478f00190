"""Paragraphs, lists and code of a PDF."""

from __future__ import annotations

from tests.documents import FILLER, Pdf, open_document


def test_lists_keep_their_items_and_continuation_lines() -> None:
    made = Pdf().text(60, 80, "\x95 first item that goes on").text(72, 92, "to a second line")
    made.text(60, 104, "\x95 second item").text(60, 130, "1. one").text(60, 142, "2. two")

    found = open_document(made.build()).markdown

    assert found == "- first item that goes on to a second line\n- second item\n1. one\n2. two"


def test_code_keeps_its_lines_and_indentation() -> None:
    made = Pdf().lines(60, 60, [FILLER, FILLER]).text(60, 100, "def f(x):", font="F3")
    made.text(84, 112, "return x", font="F3")

    assert open_document(made.build()).markdown.endswith("```\ndef f(x):\n    return x\n```")


def test_a_word_broken_at_the_line_end_is_made_whole() -> None:
    made = Pdf().lines(60, 80, ["This sentence ends in a hyphen-", "ated word."])

    assert open_document(made.build()).markdown == "This sentence ends in a hyphenated word."


def test_chinese_lines_are_joined_without_a_space() -> None:
    made = (
        Pdf(alphabet="中文測試段落")
        .text(60, 80, "中文測", font="F4")
        .text(60, 92, "試段落", font="F4")
    )

    assert open_document(made.build()).markdown == "中文測試段落"
