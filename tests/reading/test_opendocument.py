"""OpenDocument texts, slides and sheets."""

from __future__ import annotations

from tests.documents import open_document, opendocument


def test_a_text_keeps_headings_lists_and_notes() -> None:
    body = (
        '<text:h text:outline-level="2">Part</text:h>'
        "<text:p>Text<text:note><text:note-body><text:p>A note.</text:p></text:note-body></text:note>"
        "</text:p><text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>"
    )

    found = open_document(opendocument("text", body))

    assert found.markdown == "## Part\n\nText[^1]\n\n- Item\n\n[^1]: A note."


def test_a_link_keeps_its_address() -> None:
    link = '<text:p><text:a xlink:href="https://example.org/" xmlns:xlink="urn:x">page</text:a></text:p>'

    assert open_document(opendocument("text", link)).markdown == "[page](https://example.org/)"


def test_repeated_cells_and_rows_are_written_as_often() -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    rows = f"<table:table-row>{cell.format('', 'a')}{cell.format('', 'b')}</table:table-row>"
    twice = cell.format(' table:number-columns-repeated="2"', "1")
    rows += f'<table:table-row table:number-rows-repeated="2">{twice}</table:table-row>'

    found = open_document(
        opendocument("spreadsheet", f'<table:table table:name="S">{rows}</table:table>')
    )

    assert found.markdown == "## S\n\n| a | b |\n| --- | --- |\n| 1 | 1 |\n| 1 | 1 |"


def test_slides_come_under_headings_of_their_own() -> None:
    page = "<draw:page><draw:frame><draw:text-box><text:p>Text</text:p></draw:text-box></draw:frame></draw:page>"

    found = open_document(opendocument("presentation", page * 2))

    assert found.markdown == "## Slide 1\n\nText\n\n## Slide 2\n\nText"
    assert found.page_count == 2
