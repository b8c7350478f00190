"""Documents that are ZIP archives."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import (
    DocumentLimits,
    DocumentRequest,
    TookTooMuch,
)
from citewell.reading.documents.readers_by_kind import read_document_request
from tests.documents import packed


def test_an_archive_that_names_fewer_files_than_it_holds_is_refused_all_the_same() -> None:
    body = bytearray(packed({"word/document.xml": "<x/>"} | {f"f{n}": "" for n in range(50)}))
    place = body.rindex(b"PK\x05\x06")
    body[place + 8 : place + 12] = b"\x01\x00\x01\x00"
    limits = DocumentLimits(max_members=20)

    with pytest.raises(TookTooMuch, match="21 files, more than are allowed"):
        read_document_request(DocumentRequest(bytes(body), "", "", limits, None))
