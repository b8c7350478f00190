"""Hostile XML is refused."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import (
    TookTooMuch,
)
from tests.documents import laughs, open_document


@pytest.mark.parametrize(
    "body", [laughs().encode(), laughs().encode("utf-16")], ids=["utf-8", "utf-16"]
)
def test_an_xml_bomb_is_refused(body: bytes) -> None:
    with pytest.raises(TookTooMuch, match="entities"):
        open_document(body, content_type="application/xml")


def test_xml_that_asks_for_a_file_is_refused() -> None:
    body = b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>'

    with pytest.raises(TookTooMuch, match="entities"):
        open_document(body)
