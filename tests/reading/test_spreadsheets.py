"""Tables of values separated by commas and other marks."""

from __future__ import annotations

import pytest

from tests.documents import open_document


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_of_a_table_is_found(mark: str) -> None:
    body = (
        f'name{mark}said\na{mark}"x{mark} y\nz"\nb{mark}p|q\n'.encode()
        if mark != "|"
        else b'name|said\na|"x| y\nz"\nb|pq\n'
    )

    found = open_document(body, content_type="text/csv").markdown

    assert found.startswith("| name | said |\n| --- | --- |\n| a | x")
    assert found.count("\n") == 3


def test_a_table_in_an_old_charset_is_decoded() -> None:
    body = "Stadt;Größe\nKöln;groß\nMünchen;größer\n".encode("cp1252")

    assert "| Köln | groß |" in open_document(body, content_type="text/csv").markdown


def test_a_table_of_one_column_degrades_to_lines() -> None:
    assert open_document(b"only\none\n", content_type="text/csv").markdown == "only  \none"
