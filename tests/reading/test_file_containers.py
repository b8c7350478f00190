"""Archives and compound files, whole and damaged."""

from __future__ import annotations

import struct

import pytest

from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents.document_text import (
    UnreadableDocument,
    UnsupportedDocument,
)
from citewell.reading.file_containers import CompoundFile, DamagedContainer, list_zip_names
from tests.documents import open_document, packed, sound
from tests.old_documents import compound, doc


def read_or_refuse(body: bytes) -> str:
    """The text, or the sentence that says why there is none."""
    try:
        return open_document(body).markdown
    except UnreadableDocument as error:
        return error.message


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


SOUND = sound()


def test_a_zip_of_sixty_thousand_files_is_known_by_a_few_of_its_names() -> None:
    body = packed({f"f{n}": "" for n in range(60_000)})

    assert detect_document_kind(body) == "ZIP archive"
    listing = list_zip_names(body, most=100)
    assert listing is not None
    assert (len(listing.names), listing.is_whole, listing.declared_count) == (100, False, 60_000)


def test_an_opendocument_file_that_puts_sizes_after_its_members_is_known() -> None:
    body = bytearray(SOUND["odt"])
    body[6] |= 8  # sizes follow the members
    body[14:26] = bytes(12)

    assert detect_document_kind(bytes(body)) == "odt"
