"""Rich text in any code page."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import Broken, TookTooMuch
from citewell.reading.documents.office.rich_text import read_rtf_body


def read_rtf(body: str) -> str:
    return read_rtf_body(rf"{{\rtf1\ansi {body}}}".encode("ascii")).markdown


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (r"One.\par Two.", "One.\n\nTwo."),
        (r"\'e9t\'e9", "été"),
        (r"\u945?x", "αx"),
        (r"{\fonttbl{\f0\fcharset204 A;}}\f0 \'e0", "а"),
        (r"\outlinelevel1 Title\par\pard Text", "## Title\n\nText"),
        (r"{\listtext 1.}First\par{\listtext 2.}Second", "1. First\n2. Second"),
        (
            r"\intbl a\cell b\cell\row\intbl 1\cell 2\cell\row",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            r'{\field{\*\fldinst HYPERLINK "https://example.org/"}{\fldrslt the page}}',
            "[the page](https://example.org/)",
        ),
    ],
)
def test_rich_text_is_markdown(body: str, markdown: str) -> None:
    assert read_rtf(body) == markdown


def test_hidden_text_is_left_out_and_counted() -> None:
    found = read_rtf_body(rb"{\rtf1 Seen.{\v hidden}}")

    assert found.markdown == "Seen."
    assert found.notes == ("1 piece of hidden text was left out.",)


def test_the_title_is_read() -> None:
    assert read_rtf_body(rb"{\rtf1{\info{\title A Title}}Text.}").title == "A Title"


def test_groups_without_end_and_other_files_are_refused() -> None:
    with pytest.raises(TookTooMuch):
        read_rtf_body(rb"{\rtf1" + b"{" * 1000)
    with pytest.raises(Broken):
        read_rtf_body(b"plain")
