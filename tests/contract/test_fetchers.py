"""Every reader of documents × hostile documents: an answer or an error of ours, in time, and the next one works."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.core.errors import InvalidInput
from citewell.reading.documents.document_reader import read_document
from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentText,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.reading.documents.readers_by_kind import READERS
from citewell.workers.worker_pool import WorkerLimits, WorkerPool
from tests.documents import (
    docx,
    epub,
    laughs,
    opendocument,
    packed,
    pdf,
    sound,
    word_paragraph,
    xlsx,
)

pytestmark = pytest.mark.process  # documents are read by workers

LIMITS = DocumentLimits(timeout=120.0)
SOUND = sound()
PACKED = sorted(kind for kind, body in SOUND.items() if body.startswith(b"PK"))
MAIN_PARTS = {
    "docx": "word/document.xml", "pptx": "ppt/presentation.xml", "xlsx": "xl/workbook.xml",
    "odt": "content.xml", "ods": "content.xml", "odp": "content.xml", "epub": "META-INF/container.xml",
    "xlsb": "xl/_rels/workbook.bin.rels",
}  # fmt: skip
TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values", "markdown": "text/markdown"}
Read = Callable[..., DocumentText]


@pytest.fixture(scope="module")
def reader() -> Iterator[Read]:
    """Reads through one pool of real workers, which outlives every hostile document."""
    with asyncio.Runner() as runner:

        async def open_pool() -> WorkerPool:
            return WorkerPool(WorkerLimits(count=1, memory_bytes=LIMITS.memory))

        workers = runner.run(open_pool())

        def read(body: bytes, *, kind: str = "", pages: str | None = None) -> DocumentText:
            said = TYPES.get(kind, "")
            made = read_document(
                body,
                url="https://example.org/file",
                content_type=said,
                limits=LIMITS,
                pages=pages,
                workers=workers,
            )
            return runner.run(made)

        yield read
        runner.run(workers.aclose())


def survives(reader: Read, body: bytes, *, kind: str = "") -> None:
    """The document is read or refused with a sentence; it neither hangs nor crashes its reader."""
    try:
        said = reader(body, kind=kind).markdown
    except (UnreadableDocument, TookTooMuch, InvalidInput) as error:
        said = error.message
    assert said.strip()
    assert not said.endswith("seconds and was stopped.")
    assert "crashed its reader" not in said


def repacked(body: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return packed(
            {name: change(name, archive.read(name)) for name in archive.namelist()},
            stored=("mimetype",),
        )


@pytest.mark.parametrize("kind", sorted(READERS))
def test_a_sound_document_is_read(reader: Read, kind: str) -> None:
    found = reader(SOUND[kind], kind=kind)

    assert found.kind == kind
    assert found.markdown.strip()


@pytest.mark.parametrize("kind", sorted(READERS))
def test_a_document_cut_off_anywhere_is_read_or_refused(reader: Read, kind: str) -> None:
    body = SOUND[kind]

    for eighth in range(1, 8):
        survives(reader, body[: len(body) * eighth // 8], kind=kind)


@pytest.mark.parametrize("kind", PACKED)
def test_an_archive_cut_off_says_that_it_is_damaged(reader: Read, kind: str) -> None:
    with pytest.raises(Broken, match="damaged"):
        reader(SOUND[kind][:-40], kind=kind)


@pytest.mark.parametrize("kind", PACKED)
def test_an_xml_bomb_in_a_document_is_refused(reader: Read, kind: str) -> None:
    body = repacked(
        SOUND[kind], lambda name, part: laughs().encode() if name == MAIN_PARTS[kind] else part
    )

    with pytest.raises(TookTooMuch, match="entities"):
        reader(body, kind=kind)


@pytest.mark.parametrize("kind", PACKED)
def test_xml_nested_without_end_is_refused(reader: Read, kind: str) -> None:
    deep = b"<a>" * 100_000 + b"</a>" * 100_000
    body = repacked(SOUND[kind], lambda name, part: deep if name == MAIN_PARTS[kind] else part)

    with pytest.raises(TookTooMuch, match="nested"):
        reader(body, kind=kind)


@pytest.mark.parametrize("kind", PACKED)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(reader: Read, kind: str) -> None:
    body = repacked(
        SOUND[kind],
        lambda name, part: b" " * 5_000_000 + part if name == MAIN_PARTS[kind] else part,
    )

    with pytest.raises(TookTooMuch, match="bomb"):
        reader(body, kind=kind)


def test_an_archive_of_too_many_files_is_refused(reader: Read) -> None:
    body = packed({"word/document.xml": "<x/>"} | {f"f{n}": "" for n in range(10_001)})

    with pytest.raises(TookTooMuch, match="10002 files"):
        reader(body)


def test_an_archive_that_claims_to_be_huge_is_refused(reader: Read) -> None:
    body = bytearray(docx())
    entry = body.rindex(b"PK\x01\x02")
    body[entry + 24 : entry + 28] = b"\xff\xff\xff\x7f"

    with pytest.raises(TookTooMuch, match="unpack to"):
        reader(bytes(body))


def test_an_archive_inside_an_archive_is_not_opened(reader: Read) -> None:
    inner = packed({"a": b"\x00" * 500_000})
    body = docx(parts={"word/embeddings/inner.zip": inner.decode("latin-1")})

    assert reader(body).markdown == "A paragraph."


HOSTILE: dict[str, bytes] = {
    "JSON arrays without end": b"[" * 200_000,
    "JSON objects without end": b'{"a":' * 100_000,
    "RTF groups without end": b"{\\rtf1" + b"{" * 100_000,
    "a long RTF run": b"{\\rtf1 " + b"\\'ff" * 200_000 + b"}",
    "comments": b"<!---->" * 4000 + b"x",
    "comments in XML": b"<?xml version='1.0'?>" + b"<!---->" * 4000 + b"<a",
    "document types": b"<!doctype a [" * 2000,
    "a wide table": b"a," * 1_000_000,
    "quotes": b'"' * 1_000_001,
    "one long line": b"x" * 5_000_000,
    "many mail headers": b"From: a\nTo: b\nSubject: c\n" + b"X-A: b\n" * 50_000 + b"\ntext",
    "an encoded subject without end": b"From: a\nTo: b\nSubject: "
    + b"=?utf-8?q?" * 20_000
    + b"\n\ntext",
    "mail parts without end": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000)
    ),
    "nested feed items": b"<rss><channel>"
    + b"<item>" * 300
    + b"</item>" * 300
    + b"</channel></rss>",
    "nested divs in a book": epub("<div>" * 100_000),
    "a long Word paragraph": docx(word_paragraph("x" * 2_000_000)),
    "far columns of a sheet": xlsx({"S": '<row><c r="XFD1"><v>1</v></c></row>' * 20_000}),
    "repeated rows of a sheet": opendocument(
        "spreadsheet",
        '<table:table table:name="S">'
        + '<table:table-row table:number-rows-repeated="999999"><table:table-cell table:number-columns-repeated="9999"><text:p>x</text:p></table:table-cell></table:table-row>'
        * 50
        + "</table:table>",
    ),
    "a PDF that claims pages": pdf().replace(b"/Count 1 ", b"/Count 999999999 "),
    "a PDF that holds itself": pdf().replace(b"/Kids [", b"/Kids [2 0 R "),
    "PDF streams without end": b"%PDF-1.4\n" + b"1 0 obj<</Length 99999999999>>stream\n" * 1000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_document_made_to_exhaust_its_reader_is_survived(reader: Read, name: str) -> None:
    survives(reader, HOSTILE[name], kind="csv" if name in {"a wide table", "quotes"} else "")

    assert reader(b"The next one.").markdown == "The next one."


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.binary(max_size=6), st.integers(0, 6)), min_size=1, max_size=12
)


def edited(body: bytes, edits: list[tuple[float, bytes, int]]) -> bytes:
    made = bytearray(body)
    for place, put, take in edits:
        start = int(place * len(made))
        made[start : start + take] = put
    return bytes(made)


@pytest.mark.parametrize("kind", sorted(READERS))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS)
def test_damaged_bytes_never_hang_or_crash_a_reader(reader: Read, kind: str, edits: Any) -> None:
    survives(reader, edited(SOUND[kind], edits), kind=kind)


@pytest.mark.parametrize("kind", PACKED)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS, which=st.integers(0, 20))
def test_damaged_parts_never_hang_or_crash_a_reader(
    reader: Read, kind: str, edits: Any, which: int
) -> None:
    with zipfile.ZipFile(io.BytesIO(SOUND[kind])) as archive:
        target = archive.namelist()[which % len(archive.namelist())]

    survives(
        reader,
        repacked(SOUND[kind], lambda name, part: edited(part, edits) if name == target else part),
        kind=kind,
    )
