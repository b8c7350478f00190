"""Pages are chosen by ranges."""

from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from tests.documents import Pdf, open_document, pdf


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("2", "p2"),
        ("1-2", "p1 p2"),
        ("3-", "p3 p4"),
        ("-1", "p1"),
        ("4,1", "p1 p4"),
        ("2-99", "p2 p3 p4"),
        ("", "p1 p2 p3 p4"),
    ],
)
def test_only_the_pages_asked_for_are_read(pages: str, expected: str) -> None:
    made = Pdf().text(60, 100, "p1.")
    for n in (2, 3, 4):
        made.page().text(60, 100, f"p{n}.")

    found = open_document(made.build(), pages=pages)

    assert found.markdown.replace(".", "").split() == expected.split()
    assert found.page_count == 4


@pytest.mark.parametrize("pages", ["0", "3-1", "a", "1;2", "9", "1-2-3", "--"])
def test_page_ranges_that_make_no_sense_are_refused(pages: str) -> None:
    with pytest.raises(InvalidInput):
        open_document(pdf(), pages=pages)
