"""Tables of a PDF that have rules."""

from __future__ import annotations

from tests.documents import FILLER, Pdf, open_document


def test_a_ruled_table_becomes_a_gfm_table_in_its_place() -> None:
    made = Pdf().lines(60, 80, [FILLER])
    made.grid([60, 160, 260, 360], [100, 120, 140, 160])
    for row, cells in enumerate(
        [("Name", "Count", "Note"), ("first", "1", "a | b"), ("second", "2", "")]
    ):
        for column, cell in enumerate(cells):
            made.text(64 + 100 * column, 114 + 20 * row, cell)

    found = open_document(made.lines(60, 190, ["After the table."]).build()).markdown

    expected = (
        "| Name | Count | Note |\n| --- | --- | --- |\n| first | 1 | a \\| b |\n| second | 2 |  |"
    )
    assert f"{FILLER}\n\n{expected}\n\nAfter the table." == found


def test_a_page_whose_text_is_all_in_a_table_has_text() -> None:
    made = Pdf().image().grid([60, 160, 260], [100, 120, 140, 160])
    for row in range(3):
        made.text(64, 114 + 20 * row, f"cell {row}").text(164, 114 + 20 * row, str(row))

    assert open_document(made.build()).notes == ()


def test_rules_around_groups_of_rows_do_not_join_the_rows() -> None:
    made = Pdf().grid([60, 200, 300], [80, 100, 220])
    made.text(64, 94, "Offence").text(204, 94, "Count")
    for row in range(7):
        made.text(64, 114 + 14 * row, f"name {row}").text(204, 114 + 14 * row, str(row))

    assert "| name 3 | 3 |" in open_document(made.build()).markdown


def test_columns_that_keep_in_line_become_a_table_without_rules() -> None:
    made = Pdf().lines(60, 80, [FILLER])
    for row, cells in enumerate(
        [("Land", "People"), ("North", "1007"), ("South", "2040"), ("West", "3")]
    ):
        made.text(60, 120 + 14 * row, cells[0]).text(200, 120 + 14 * row, cells[1])

    found = open_document(made.build()).markdown

    assert (
        "| Land | People |\n| --- | --- |\n| North | 1007 |\n| South | 2040 |\n| West | 3 |"
        in found
    )


def test_two_columns_beside_a_figure_are_no_table() -> None:
    made = Pdf()
    for row, label in enumerate(("10", "8", "6", "4", "2")):
        made.text(60, 60 + 20 * row, label, size=8)
    for row in range(9):
        made.text(320, 60 + 12 * row, f"r{row} text of the right column that fills it")
    for row in range(8):
        made.text(60, 190 + 12 * row, f"l{row} text of the left column that fills it")
        made.text(320, 190 + 12 * row, f"s{row} text of the right column that fills it")

    found = open_document(made.build()).markdown

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

    found = open_document(made.build()).markdown

    assert "|" not in found
    assert found.index("a2") < found.index("b0")


def test_figures_that_stand_close_have_columns_of_their_own() -> None:
    made = Pdf().lines(60, 60, [FILLER])
    for row, name in enumerate(("North", "South", "West", "East")):
        made.text(60, 100 + 14 * row, name)
        for column in range(3):
            made.text(150 + 21 * column, 100 + 14 * row, f"{row}.{column}")

    assert "| North | 0.0 | 0.1 | 0.2 |" in open_document(made.build()).markdown


def test_dots_that_lead_to_several_figures_are_a_table_row() -> None:
    made = Pdf()
    for row, name in enumerate(("Fraud", "Arson", "Theft", "Other")):
        made.text(60, 80 + 14 * row, f"{name} . . . . . . . . . .")
        made.text(200, 80 + 14 * row, f"1{row}.1").text(260, 80 + 14 * row, f"2{row}.2")

    assert "| Arson | 11.1 | 21.2 |" in open_document(made.build()).markdown


def test_paragraphs_with_a_number_in_the_margin_are_no_table() -> None:
    made = Pdf()
    for row in range(4):
        made.text(60, 80 + 36 * row, f"6.4.{row}").text(110, 80 + 36 * row, FILLER[:70])
        made.text(60, 92 + 36 * row, FILLER).text(60, 104 + 36 * row, "and its end.")

    assert "|" not in open_document(made.build()).markdown


def test_a_table_ends_where_the_next_heading_begins() -> None:
    made = Pdf()
    for row, name in enumerate(("Land", "North", "South", "West")):
        made.text(60, 60 + 14 * row, name).text(200, 60 + 14 * row, str(row))
    made.text(60, 126, "A heading", size=14, font="F2")
    for row in range(2):
        made.text(60, 146 + 12 * row, "Words of a line").text(150, 146 + 12 * row, "with a gap")

    found = open_document(made.build()).markdown

    assert "| West | 3 |\n\n# A heading" in found
