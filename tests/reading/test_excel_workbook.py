"""Cells of Excel workbooks as they are shown."""

from __future__ import annotations

import pytest

from tests.documents import open_document, xlsx


def read_cells(*cells: str, strings: tuple[str, ...] = ()) -> str:
    rows = "".join(f'<row r="{n}">{cell}</row>' for n, cell in enumerate(cells, 1))
    return open_document(xlsx({"Data": rows}, strings=strings)).markdown.removeprefix("## Data\n\n")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('<c r="A1"><v>3</v></c>', "3"),
        ('<c r="A1" s="1"><v>45292</v></c>', "2024-01-01"),
        ('<c r="A1" s="2"><v>1.50</v></c>', "1.5"),
        ('<c r="A1" t="b"><v>1</v></c>', "TRUE"),
        ('<c r="A1" t="s"><v>0</v></c>', "shared"),
        ('<c r="A1" t="e"><v>#N/A</v></c>', "#N/A"),
        ('<c r="A1" t="inlineStr"><is><r><t>rich </t></r><r><t>text</t></r></is></c>', "rich text"),
    ],
)
def test_a_cell_is_shown_as_its_kind_and_format_say(cell: str, shown: str) -> None:
    assert read_cells(cell, strings=("shared",)) == shown


def test_a_text_that_is_not_shared_is_empty() -> None:
    assert read_cells('<c r="A1" t="s"><v>7</v></c><c r="B1"><v>1</v></c>') == "1"


def test_hidden_rows_and_sheets_are_left_out() -> None:
    cell = '<row r="1"{}><c r="A1"><v>{}</v></c></row>'
    sheets = {
        "Seen": cell.format("", 1) + cell.format(' hidden="1"', 2),
        "Other": cell.format("", 3),
    }

    found = open_document(xlsx(sheets, hidden=("Other",)))

    assert found.markdown == "## Seen\n\n1"
    assert found.notes == ("Hidden sheets were left out: Other.",)


def test_only_the_wanted_sheets_are_read() -> None:
    sheets = {name: f'<row r="1"><c r="A1"><v>{name}</v></c></row>' for name in ("1", "2")}

    found = open_document(xlsx(sheets), pages="2")

    assert found.markdown == "## 2\n\n2"
    assert found.page_count == 2
