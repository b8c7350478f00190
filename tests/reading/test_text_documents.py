"""JSON and plain text, in their charsets."""

from __future__ import annotations

import pytest

from tests.documents import open_document


def test_json_stays_json() -> None:
    body = b'{"a": [1, 2], "b": "\xc3\xbc"}'

    found = open_document(body, content_type="application/json")

    assert (found.kind, found.markdown) == ("json", '{"a": [1, 2], "b": "ü"}')


def test_damaged_json_is_given_with_a_note() -> None:
    found = open_document(b'{"a": [1, 2', content_type="application/json")

    assert found.markdown == '{"a": [1, 2'
    assert "not well formed" in found.notes[0]


def test_plain_text_loses_its_control_characters_only() -> None:
    body = b"NAME\r\n\x1b[1mbold\x1b[0m N\x08No\x07ise\ttab\r\n  indented"

    assert open_document(body).markdown == "NAME\nbold Noise\ttab\n  indented"


@pytest.mark.parametrize("charset", ["utf-16", "gb18030", "shift_jis", "cp1251", "euc-kr"])
def test_text_with_a_declared_charset_is_decoded(charset: str) -> None:
    words = {
        "gb18030": "文档内容",
        "shift_jis": "文書の内容",
        "cp1251": "Документ",
        "euc-kr": "문서 내용",
    }.get(charset, "Größe")

    found = open_document(words.encode(charset), content_type=f"text/plain; charset={charset}")

    assert found.markdown == words
