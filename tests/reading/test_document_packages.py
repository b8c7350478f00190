"""Documents that are ZIP archives."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import (
    DocumentLimits,
    DocumentRequest,
    EncryptedDocument,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.reading.documents.readers_by_kind import read_document_request
from tests.documents import open_document, packed
from tests.old_documents import compound, doc, msg, ppt, xls


def test_an_archive_that_names_fewer_files_than_it_holds_is_refused_all_the_same() -> None:
    body = bytearray(packed({"word/document.xml": "<x/>"} | {f"f{n}": "" for n in range(50)}))
    place = body.rindex(b"PK\x05\x06")
    body[place + 8 : place + 12] = b"\x01\x00\x01\x00"
    limits = DocumentLimits(max_members=20)

    with pytest.raises(TookTooMuch, match="21 files, more than are allowed"):
        read_document_request(DocumentRequest(bytes(body), "", "", limits, None))


def read_or_refuse(body: bytes) -> str:
    """The text, or the sentence that says why there is none."""
    try:
        return open_document(body).markdown
    except UnreadableDocument as error:
        return error.message


@pytest.mark.parametrize(
    "body",
    [doc(flags=0x0100), ppt(token=0xF3D1C4DF), xls(locked=True)],
    ids=["doc", "ppt", "xls"],
)
def test_an_old_document_with_a_password_says_so(body: bytes) -> None:
    with pytest.raises(EncryptedDocument, match="encrypted"):
        open_document(body)


@pytest.mark.parametrize(
    ("streams", "problem"),
    [
        ({"WordDocument": b""}, "damaged or cut off"),
        ({"WordDocument": bytes(2000)}, "damaged|no text"),
        ({"PowerPoint Document": bytes(50)}, "no slides"),
        ({"Workbook": b"\x09\x08\x10\x00"}, "damaged|no workbook"),
    ],
)
def test_a_damaged_stream_is_a_clear_error(streams: dict[str, bytes], problem: str) -> None:
    with pytest.raises(UnreadableDocument, match=problem):
        open_document(
            compound(
                {name: raw.ljust(4096, b"\x00") if raw else raw for name, raw in streams.items()}
            )
        )


@pytest.mark.parametrize("build", [doc, ppt, xls, msg])
@pytest.mark.parametrize("eighth", range(1, 8))
def test_an_old_document_cut_off_is_read_or_refused(build: type, eighth: int) -> None:
    body = build()

    assert read_or_refuse(body[: len(body) * eighth // 8])
