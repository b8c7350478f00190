"""Markdown parts of the generated pages."""

from __future__ import annotations

import pytest

from citewell.server.reference import format_default, render_reference_table


def test_a_cell_cannot_break_its_table() -> None:
    table = render_reference_table(("Name", "Text"), [("a|b", "two\nlines")])

    assert table == "| Name | Text |\n| --- | --- |\n| a\\|b | two lines |"


def test_a_table_without_rows_is_empty() -> None:
    assert render_reference_table(("Name",), []) == ""


@pytest.mark.parametrize(
    ("default", "text"),
    [(None, ""), ((), ""), (True, "true"), (("a", "b"), "a,b"), (2.0, "2"), (5, "5")],
)
def test_a_default_is_written_as_in_the_environment(default: object, text: str) -> None:
    assert format_default(default) == text
