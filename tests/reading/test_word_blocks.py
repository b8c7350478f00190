"""Paragraphs, lists and tables of Word."""

from __future__ import annotations

from tests.documents import docx, open_document, word_paragraph, word_table


def read_blocks(body: str) -> str:
    return open_document(docx(body)).markdown


def test_a_table_keeps_its_rows() -> None:
    assert read_blocks(word_table(("a", "b"), ("1", "2"))) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_table_of_one_cell_is_a_frame_around_text() -> None:
    assert read_blocks(word_table(("Framed.",))) == "Framed."


def test_a_cell_over_two_columns_leaves_the_second_empty() -> None:
    wide = (
        '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>'
    )
    cells = "".join(f"<w:tc>{word_paragraph(text)}</w:tc>" for text in ("1", "2"))

    table = read_blocks(f"<w:tbl><w:tr>{wide}</w:tr><w:tr>{cells}</w:tr></w:tbl>")

    assert table == "| wide |  |\n| --- | --- |\n| 1 | 2 |"


def test_content_controls_and_insertions_are_read() -> None:
    body = f"<w:sdt><w:sdtContent>{word_paragraph('In a control.')}</w:sdtContent></w:sdt>"

    assert read_blocks(body + f"<w:ins>{word_paragraph('Inserted.')}</w:ins>") == (
        "In a control.\n\nInserted."
    )


def test_a_deleted_paragraph_is_left_out() -> None:
    gone = "<w:p><w:del><w:r><w:delText>Gone.</w:delText></w:r></w:del></w:p>"

    assert read_blocks(gone + word_paragraph("Kept.")) == "Kept."
