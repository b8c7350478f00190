"""Text, lists, tables and numbers of documents as markdown."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_markdown import (
    TextPiece,
    format_list_marker,
    format_list_number,
    format_stored_number,
    format_superscript,
    join_text_pieces,
    render_markdown_table,
    render_picture_text,
)


def test_spaces_between_struck_pieces_do_not_part_them() -> None:
    pieces = [TextPiece("two", struck=True), TextPiece(" "), TextPiece("words", struck=True)]

    assert join_text_pieces(pieces) == "~~two words~~"


def test_a_form_that_changes_inside_a_word_is_left_out() -> None:
    pieces = [TextPiece("H"), TextPiece("2", italic=True), TextPiece("O")]

    assert join_text_pieces(pieces) == "H2O"


def test_pieces_of_one_link_are_one_link() -> None:
    address = "https://example.org/"
    pieces = [TextPiece("the ", link=address), TextPiece("page", bold=True, link=address)]

    assert join_text_pieces(pieces) == f"[the **page**]({address})"


@pytest.mark.parametrize(
    ("text", "shown"), [("6", "^6"), ("n+1", "^(n+1)"), ("st", "st"), ("x", "^x")]
)
def test_raised_text_reads_on_one_line(text: str, shown: str) -> None:
    assert format_superscript(text) == shown


@pytest.mark.parametrize(
    ("number", "name", "shown"),
    [(4, "lowerRoman", "iv"), (28, "upperLetter", "BB"), (7, "decimalZero", "07"), (3, "", "3")],
)
def test_numbers_of_lists_are_written_as_word_does(number: int, name: str, shown: str) -> None:
    assert format_list_number(number, name) == shown


@pytest.mark.parametrize(("label", "marker"), [("", "- "), ("2)", "2. "), ("(b)", "- (b) ")])
def test_a_label_without_a_list_in_markdown_is_kept_as_text(label: str, marker: str) -> None:
    assert format_list_marker(label) == marker


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("45292", "yyyy-mm-dd", "2024-01-01"),
        ("0.5", "hh:mm", "12:00:00"),
        ("1.5", "[h]:mm", "36:00:00"),
        ("0.125", "0.0%", "12.5%"),
        ("0.123456", "0%", "12.346%"),
        ("3.0", "General", "3"),
        ("text", "0.00", "text"),
    ],
)
def test_a_stored_number_is_shown_as_its_format_shows_it(raw: str, code: str, shown: str) -> None:
    assert format_stored_number(raw, code) == shown


def test_empty_rows_and_columns_of_a_table_are_left_out() -> None:
    assert render_markdown_table([["a", "", "b"], [], ["1", "", "2"]]) == (
        "| a | b |\n| --- | --- |\n| 1 | 2 |"
    )


def test_a_picture_named_after_its_file_is_left_out() -> None:
    assert render_picture_text("IMG_1.jpeg") == []
    assert render_picture_text("A tide [gauge]") == ["![A tide (gauge)]()"]
