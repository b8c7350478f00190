"""Words of a PDF page in lines, and lines in columns."""

from __future__ import annotations

from tests.documents import FILLER, Pdf, open_document


def test_two_columns_are_read_one_after_the_other_though_written_line_by_line() -> None:
    made = Pdf().text(60, 60, "A heading that spans both of the columns", size=16, font="F2")
    for n in range(12):
        made.text(60, 100 + 12 * n, f"L{n} in the left column of the page", size=10)
        made.text(320, 100 + 12 * n, f"R{n} in the right column of the page", size=10)

    found = open_document(made.build()).markdown

    places = [found.index(f"{side}{n} ") for side in "LR" for n in range(12)]
    assert places == sorted(places)
    assert found.startswith("# A heading that spans both of the columns")


def test_a_footnote_mark_does_not_part_the_word_from_its_line() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.text(60, 117, "1", size=6).text(63.4, 120, "Baevski and others, 2021")

    assert open_document(made.build()).markdown.endswith("1Baevski and others, 2021")


def test_a_page_number_between_two_columns_does_not_join_them() -> None:
    made = Pdf().text(294, 800, "29")
    for row in range(8):
        made.text(60, 60 + 12 * row, f"l{row} text of the left column which fills it now")
        made.text(310, 60 + 12 * row, f"r{row} text of the right column which fills it now")

    found = open_document(made.build()).markdown

    assert found.index("l7") < found.index("r0")
