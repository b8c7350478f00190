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
