"""PDFs keep the headings and tables they have, get none they have not, and lose nothing in silence."""

from __future__ import annotations

import pytest

from tests.documents import Pdf
from tests.unit.fetch.test_documents_pdf import FILLER, read_pdf


def find_headings(made: Pdf) -> list[str]:
    return [line for line in read_pdf(made.build()).markdown.splitlines() if line.startswith("#")]


def test_headings_that_the_file_tags_keep_their_level() -> None:
    made = Pdf().tagged("H1", 60, 60, "The whole").lines(60, 80, [FILLER] * 3)
    made.tagged("H3", 60, 130, "A part").lines(60, 150, [FILLER] * 3)
    made.tagged("H3", 60, 200, "Another part").lines(60, 220, [FILLER] * 3)
    made.text(60, 270, "Only bold", font="F2").lines(60, 290, [FILLER] * 3)

    assert find_headings(made) == ["# The whole", "### A part", "### Another part"]


def test_a_line_that_the_outline_names_is_a_heading() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3).text(60, 110, "3 Results of the study")
    made.lines(60, 122, [FILLER] * 3).bookmark("Results of the Study")

    assert find_headings(made) == ["# 3 Results of the study"]


@pytest.mark.parametrize(
    "line", ["II. RELATED WORK", "CONCLUSION AND OUTLOOK", "3.2 How the parts were found"]
)
def test_a_line_set_like_the_text_is_a_heading_by_its_number_or_capitals(line: str) -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4).text(60, 128, line).lines(60, 150, [FILLER] * 4)

    assert find_headings(made) == [f"# {line}"]


@pytest.mark.parametrize(
    "line",
    ["the words go on here", "He came in 1999.", "1. The first of some points", "A sentence."],
)
def test_a_short_line_of_the_text_is_no_heading(line: str) -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4).text(60, 128, line).lines(60, 150, [FILLER] * 4)

    assert find_headings(made) == []


def test_numbers_on_the_axis_of_a_figure_are_no_headings() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    for place, number in enumerate(("0.5", "30", "150 s")):
        made.text(60, 200 + 40 * place, number, size=16)

    assert find_headings(made) == []


def test_a_bold_row_of_figures_is_no_heading() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    made.text(60, 150, "Total of all", font="F2").text(300, 150, "24", font="F2")
    made.text(400, 150, "36", font="F2").lines(60, 180, [FILLER] * 3)

    assert find_headings(made) == []


def test_many_bold_names_below_one_another_are_no_headings() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    for place in range(6):
        made.text(60, 130 + 30 * place, f"Name of Member {place}", font="F2")

    assert find_headings(made.lines(60, 330, [FILLER] * 3)) == []


def test_numbers_tell_the_rank_of_headings_set_alike() -> None:
    made = Pdf().text(60, 60, "1 First", font="F2").lines(60, 80, [FILLER] * 3)
    made.text(60, 130, "1.1 Inner", font="F2").lines(60, 150, [FILLER] * 3)
    made.text(60, 200, "2 Second", font="F2").lines(60, 220, [FILLER] * 3)

    assert find_headings(made) == ["# 1 First", "## 1.1 Inner", "# 2 Second"]


def test_two_columns_beside_a_figure_are_no_table() -> None:
    made = Pdf()
    for row, label in enumerate(("10", "8", "6", "4", "2")):
        made.text(60, 60 + 20 * row, label, size=8)
    for row in range(9):
        made.text(320, 60 + 12 * row, f"r{row} text of the right column that fills it")
    for row in range(8):
        made.text(60, 190 + 12 * row, f"l{row} text of the left column that fills it")
        made.text(320, 190 + 12 * row, f"s{row} text of the right column that fills it")

    found = read_pdf(made.build()).markdown

    assert "|" not in found
    places = [
        found.index(f"{name}{row} ") for name, rows in (("l", 8), ("r", 9)) for row in range(rows)
    ]
    assert places == sorted(places)


def test_long_lines_side_by_side_are_read_column_by_column() -> None:
    made = Pdf()
    for row in range(3):
        made.text(60, 60 + 12 * row, f"a{row} some running text of a left column")
        made.text(320, 60 + 12 * row, f"b{row} some running text of a right column")

    found = read_pdf(made.build()).markdown

    assert "|" not in found
    assert found.index("a2") < found.index("b0")


def test_figures_that_stand_close_have_columns_of_their_own() -> None:
    made = Pdf().lines(60, 60, [FILLER])
    for row, name in enumerate(("North", "South", "West", "East")):
        made.text(60, 100 + 14 * row, name)
        for column in range(3):
            made.text(150 + 21 * column, 100 + 14 * row, f"{row}.{column}")

    assert "| North | 0.0 | 0.1 | 0.2 |" in read_pdf(made.build()).markdown


def test_text_up_the_margin_is_a_line_of_its_own() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.draw("BT /F1 10 Tf 0 1 -1 0 40 400 Tm (Label up the margin) Tj ET")

    assert read_pdf(made.build()).markdown.endswith("\n\nLabel up the margin")


def test_a_watermark_that_is_left_out_is_mentioned() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.draw("BT /F1 60 Tf 0.7 0.7 -0.7 0.7 100 200 Tm (DRAFT) Tj ET")

    assert read_pdf(made.build()).notes == (
        "1 word at an angle, such as a watermark, was left out.",
    )


def test_a_title_that_cannot_be_read_is_left_out_and_mentioned() -> None:
    made = Pdf(info="/Title <FEFFD800> /Author (An author)").lines(60, 60, [FILLER])

    found = read_pdf(made.build())

    assert found.markdown == FILLER
    assert (found.title, found.author) == (None, "An author")
    assert found.notes == ("Properties of the PDF could not be read: Title.",)


def test_a_page_whose_text_is_all_in_a_table_has_text() -> None:
    made = Pdf().image().grid([60, 160, 260], [100, 120, 140, 160])
    for row in range(3):
        made.text(64, 114 + 20 * row, f"cell {row}").text(164, 114 + 20 * row, str(row))

    assert read_pdf(made.build()).notes == ()


def test_a_footnote_mark_does_not_part_the_word_from_its_line() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.text(60, 117, "1", size=6).text(63.4, 120, "Baevski and others, 2021")

    assert read_pdf(made.build()).markdown.endswith("1Baevski and others, 2021")


def test_a_hyphen_at_the_line_end_stays_in_a_word_that_has_it_elsewhere() -> None:
    made = Pdf().lines(
        60, 60, ["A well-known word, and it is well-", "known, but the hyphen-", "ation goes."]
    )

    assert read_pdf(made.build()).markdown == (
        "A well-known word, and it is well-known, but the hyphenation goes."
    )


def test_text_of_a_negative_size_is_read() -> None:
    made = Pdf().draw("BT /F1 -10 Tf -1 0 0 -1 60 700 Tm (Turned twice and so upright.) Tj ET")

    assert read_pdf(made.build()).markdown == "Turned twice and so upright."


def test_a_page_number_between_two_columns_does_not_join_them() -> None:
    made = Pdf().text(294, 800, "29")
    for row in range(8):
        made.text(60, 60 + 12 * row, f"l{row} text of the left column which fills it now")
        made.text(310, 60 + 12 * row, f"r{row} text of the right column which fills it now")

    found = read_pdf(made.build()).markdown

    assert found.index("l7") < found.index("r0")


def test_rules_around_groups_of_rows_do_not_join_the_rows() -> None:
    made = Pdf().grid([60, 200, 300], [80, 100, 220])
    made.text(64, 94, "Offence").text(204, 94, "Count")
    for row in range(7):
        made.text(64, 114 + 14 * row, f"name {row}").text(204, 114 + 14 * row, str(row))

    assert "| name 3 | 3 |" in read_pdf(made.build()).markdown


def test_dots_that_lead_to_several_figures_are_a_table_row() -> None:
    made = Pdf()
    for row, name in enumerate(("Fraud", "Arson", "Theft", "Other")):
        made.text(60, 80 + 14 * row, f"{name} . . . . . . . . . .")
        made.text(200, 80 + 14 * row, f"1{row}.1").text(260, 80 + 14 * row, f"2{row}.2")

    assert "| Arson | 11.1 | 21.2 |" in read_pdf(made.build()).markdown


def test_paragraphs_with_a_number_in_the_margin_are_no_table() -> None:
    made = Pdf()
    for row in range(4):
        made.text(60, 80 + 36 * row, f"6.4.{row}").text(110, 80 + 36 * row, FILLER[:70])
        made.text(60, 92 + 36 * row, FILLER).text(60, 104 + 36 * row, "and its end.")

    assert "|" not in read_pdf(made.build()).markdown


def test_a_document_that_breaks_no_words_keeps_the_hyphens_at_its_line_ends() -> None:
    made = Pdf()
    for row in range(62):
        made.text(60, 40 + 12 * row, f"Line {row} of a text that goes on and on for a while")
    made.text(60, 784, "and then a double-").text(60, 796, "click on it.")

    assert read_pdf(made.build()).markdown.endswith("a double-click on it.")


def test_a_table_ends_where_the_next_heading_begins() -> None:
    made = Pdf()
    for row, name in enumerate(("Land", "North", "South", "West")):
        made.text(60, 60 + 14 * row, name).text(200, 60 + 14 * row, str(row))
    made.text(60, 126, "A heading", size=14, font="F2")
    for row in range(2):
        made.text(60, 146 + 12 * row, "Words of a line").text(150, 146 + 12 * row, "with a gap")

    found = read_pdf(made.build()).markdown

    assert "| West | 3 |\n\n# A heading" in found


def test_a_hyphen_between_two_words_of_the_document_stays() -> None:
    made = Pdf().lines(
        60, 60, ["The inner part has a border. It is the inner-", "border that is meant here."]
    )

    assert "the inner-border that" in read_pdf(made.build()).markdown
