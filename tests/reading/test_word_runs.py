"""Text inside the paragraphs of Word."""

from __future__ import annotations

import pytest

from tests.documents import docx, open_document


def read_runs(body: str) -> str:
    return open_document(docx(f"<w:p>{body}</w:p>")).markdown


def test_a_hidden_run_is_left_out_and_counted() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"

    found = open_document(docx(f"<w:p><w:r><w:t>Seen.</w:t></w:r>{hidden}</w:p>"))

    assert found.markdown == "Seen."
    assert found.notes == ("1 piece of hidden text was left out.",)


@pytest.mark.parametrize(
    ("properties", "shown"),
    [
        ("<w:b/>", "**word**"),
        ("<w:i/>", "*word*"),
        ('<w:b w:val="0"/>', "word"),
        ("<w:strike/>", "~~word~~"),
    ],
)
def test_a_run_keeps_its_form(properties: str, shown: str) -> None:
    assert read_runs(f"<w:r><w:rPr>{properties}</w:rPr><w:t>word</w:t></w:r>") == shown


def test_the_code_of_a_field_is_not_text_and_its_link_is_kept() -> None:
    code = '<w:r><w:instrText> HYPERLINK "https://example.org/" </w:instrText></w:r>'
    begin, middle, end = (
        f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")
    )

    body = f"{begin}{code}{middle}<w:r><w:t>the page</w:t></w:r>{end}"

    assert read_runs(body) == "[the page](https://example.org/)"


def test_letters_of_a_symbol_font_are_read() -> None:
    assert read_runs('<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>') == "α"
