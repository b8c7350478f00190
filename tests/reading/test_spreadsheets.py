"""Tables of values separated by commas and other marks."""

from __future__ import annotations

import struct

import pytest

from tests.documents import open_document
from tests.old_documents import xls, xlsb


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


@pytest.mark.parametrize("build", [xls, xlsb])
def test_old_and_binary_workbooks_are_tables(build: type) -> None:
    rows = (("Name", "Größe"), ("a|b", 0.30000000000000004), ("", 2.0))

    found = open_document(build(rows))

    assert found.markdown.endswith("| Name | Größe |\n| --- | --- |\n| a\\|b | 0.3 |\n|  | 2 |")


def test_a_workbook_without_a_container_is_read() -> None:
    def record(number: int, content: bytes) -> bytes:
        return struct.pack("<2H", number, len(content)) + content

    body = record(0x0209, struct.pack("<3H", 0, 0x10, 0))
    body += record(0x0204, struct.pack("<4H", 0, 0, 0, 5) + b"Hello")
    body += record(0x0203, struct.pack("<3Hd", 0, 1, 0, 2.5)) + record(0x000A, b"")

    assert "| Hello | 2.5 |" in open_document(body).markdown
