"""Tables of data, told from tables that lay out a page."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading.markdown.html_tables import (
    collect_table_rows,
    is_data_table,
    render_gfm_table,
)
from citewell.reading.markdown.inline_and_code import RenderScope


def read_table(html: str) -> LexborNode:
    table = LexborHTMLParser(html).css_first("table")
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("html", "is_data"),
    [
        ("<table><tr><td>a<td>b<tr><td>1<td>2</table>", True),
        ("<table><tr><th>a<th>b</table>", True),
        ("<table><tr><td>a<td>b</table>", False),
        ("<table><tr><td>a<tr><td>b</table>", False),
        ("<table role=presentation><tr><td>a<td>b<tr><td>1<td>2</table>", False),
        ("<table><tr><td><article>a</article><td>b<tr><td>1<td>2</table>", False),
    ],
)
def test_a_table_of_data_is_told_from_layout(html: str, is_data: object) -> None:
    table = read_table(html)

    assert is_data_table(table, collect_table_rows(table)) is is_data


def test_spans_leave_cells_empty_and_bars_are_escaped() -> None:
    table = read_table(
        "<table><tr><th>Port<th>Height<tr><td rowspan=2>A|B<td>1<tr><td>2"
        "<tr><td colspan=2><ul><li>x<li>y</ul></table>"
    )

    lines = render_gfm_table(table, collect_table_rows(table), RenderScope(base_address=""))

    assert lines.split("\n") == [
        "| Port | Height |",
        "| --- | --- |",
        r"| A\|B | 1 |",
        "|  | 2 |",
        "| • x • y |  |",
    ]
