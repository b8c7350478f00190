"""The binary formats of Office: text, structure and the names of what cannot be read."""

from __future__ import annotations

import struct

import pytest

from citewell.fetch.decoding.compound_file import CompoundFile, DamagedContainer
from citewell.fetch.documents.compressed_rtf import unpack_rtf
from citewell.fetch.documents.document_text import (
    DocumentLimits,
    DocumentText,
    EncryptedDocument,
    UnreadableDocument,
    UnsupportedDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request
from tests.old_documents import compound, doc, msg, ppt, xls, xlsb


def open_document(body: bytes, *, pages: str | None = None) -> DocumentText:
    return read_document_request(
        DocumentRequest(body, "https://example.org/file", "", DocumentLimits(), pages)
    )


def read_or_refuse(body: bytes) -> str:
    """The text, or the sentence that says why there is none."""
    try:
        return open_document(body).markdown
    except UnreadableDocument as error:
        return error.message


@pytest.mark.parametrize("wide", [False, True])
def test_an_old_word_document_has_paragraphs_tables_and_no_field_codes(wide: bool) -> None:
    text = 'First.\rA\x07B\x07\x071\x072\x07\x07See \x13 HYPERLINK "https://example.org/" \x14the page\x15, \x13 PAGE \x147\x15.\rLast\x0bline.\r'

    found = open_document(doc(text, wide=wide))

    assert found.markdown == (
        "First.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n"
        "See [the page](https://example.org/), 7.\n\nLast line."
    )
    assert found.kind == "doc"


def test_an_old_word_document_in_pieces_of_both_widths_is_read() -> None:
    found = open_document(doc("Größe ≤ 5 µm.\r", wide=True))

    assert found.markdown == "Größe ≤ 5 µm."


def test_old_slides_come_in_order_without_the_hidden_ones() -> None:
    body = ppt(("One", "a\rb"), ("Two", "c"), ("Secret", "d"), hidden=1)

    found = open_document(body)

    assert found.markdown == "## Slide 1: One\n\n- a\n- b\n\n## Slide 2: Two\n\nc"
    assert found.notes == ("1 hidden slide was left out.",)
    assert open_document(body, pages="2").markdown == "## Slide 2: Two\n\nc"


@pytest.mark.parametrize("build", [xls, xlsb])
def test_old_and_binary_workbooks_are_tables(build: type) -> None:
    rows = (("Name", "Größe"), ("a|b", 0.30000000000000004), ("", 2.0))

    found = open_document(build(rows))

    assert found.markdown.endswith("| Name | Größe |\n| --- | --- |\n| a\\|b | 0.3 |\n|  | 2 |")


def test_an_outlook_message_has_headers_text_and_attachments() -> None:
    found = open_document(msg(attached="report.pdf"))

    assert found.markdown == (
        "**From:** Someone \\<someone@example.org>  \n**To:** Other  \n**Date:** 2024-02-03T12:05:06Z  \n"
        "**Subject:** A subject\n\nThe text of the message.\n\n"
        "**Attachments:**\n\n- report.pdf (application/octet-stream, 0 bytes)"
    )
    assert (found.title, found.created) == ("A subject", "2024-02-03T12:05:06Z")


def test_an_outlook_message_without_plain_text_is_read_from_its_html_or_rich_text() -> None:
    html = msg(body="", html="<p>Some <b>text</b>.</p>")
    rich = msg(body="", rtf=rb"{\rtf1\ansi Rich {\b text}.\par}")

    assert open_document(html).markdown.endswith("\n\nSome **text**.")
    assert open_document(rich).markdown.endswith("\n\nRich text.")


def test_compressed_rich_text_is_unpacked() -> None:
    # The example of the format's specification: literals and references into the first window.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
        "0af32068656c090020627705b06c647d0a800fa0"
    )

    assert unpack_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


@pytest.mark.parametrize(
    "body",
    [doc(flags=0x0100), ppt(token=0xF3D1C4DF), xls(locked=True)],
    ids=["doc", "ppt", "xls"],
)
def test_an_old_document_with_a_password_says_so(body: bytes) -> None:
    with pytest.raises(EncryptedDocument, match="encrypted"):
        open_document(body)


@pytest.mark.parametrize(
    ("streams", "said"),
    [
        ({"WordDocument": b""}, "damaged or cut off"),
        ({"WordDocument": bytes(2000)}, "damaged|no text"),
        ({"PowerPoint Document": bytes(50)}, "no slides"),
        ({"Workbook": b"\x09\x08\x10\x00"}, "damaged|no workbook"),
    ],
)
def test_a_damaged_stream_is_a_clear_error(streams: dict[str, bytes], said: str) -> None:
    with pytest.raises(UnreadableDocument, match=said):
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


def test_a_container_whose_chains_are_loops_ends() -> None:
    body = bytearray(doc())
    table = len(body) - 512
    for place in range(128):
        struct.pack_into("<I", body, table + 4 * place, 0)  # every sector is followed by the first

    assert read_or_refuse(bytes(body))


def test_a_container_that_is_cut_off_is_named_by_what_it_was() -> None:
    body = doc()
    without_directory = body[: body.index("Root Entry".encode("utf-16-le"))]
    named = without_directory + "WordDocument".encode("utf-16-le")

    with pytest.raises(DamagedContainer, match="cut off"):
        CompoundFile(without_directory)
    with pytest.raises(UnsupportedDocument, match="damaged old Word document"):
        open_document(named)


def test_names_of_streams_are_found_whatever_their_case() -> None:
    container = CompoundFile(compound({"WORKBOOK": b"x" * 5000, "A/B": b"y" * 5000}))

    assert container.find_stream("Workbook") == b"x" * 5000
    assert container.find_stream("A/B") == b"y" * 5000
    assert container.find_stream("C") is None
    assert container.list_root_names(most=10) == {"WORKBOOK", "A"}


def test_a_workbook_without_a_container_is_read() -> None:
    def record(number: int, content: bytes) -> bytes:
        return struct.pack("<2H", number, len(content)) + content

    body = record(0x0209, struct.pack("<3H", 0, 0x10, 0))
    body += record(0x0204, struct.pack("<4H", 0, 0, 0, 5) + b"Hello")
    body += record(0x0203, struct.pack("<3Hd", 0, 1, 0, 2.5)) + record(0x000A, b"")

    assert "| Hello | 2.5 |" in open_document(body).markdown
