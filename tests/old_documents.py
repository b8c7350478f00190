"""Builds small documents in the binary formats that Office wrote before 2007, and XLSB."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.documents import CORE, packed, relations

_SECTOR = 512
_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


@dataclass
class _Entry:
    name: str
    kind: int
    content: bytes = b""
    children: list[int] = field(default_factory=list)


def _enter(streams: Mapping[str, bytes]) -> list[_Entry]:
    entries = [_Entry("Root Entry", 5)]
    folders = {"": 0}
    for path, content in streams.items():
        folder, _, name = path.rpartition("/")
        if folder not in folders:
            entries.append(_Entry(folder, 1))
            folders[folder] = len(entries) - 1
            entries[0].children.append(folders[folder])
        entries.append(_Entry(name, 2, content))
        entries[folders[folder]].children.append(len(entries) - 1)
    return entries


def compound(streams: Mapping[str, bytes]) -> bytes:
    """An OLE container; a slash in a name puts the stream into a storage."""
    entries = _enter(streams)
    sectors: list[bytes] = []
    chain: list[int] = []

    def store(content: bytes) -> int:
        start = len(sectors)
        for place in range(0, len(content), _SECTOR):
            sectors.append(content[place : place + _SECTOR].ljust(_SECTOR, b"\x00"))
            chain.append(len(sectors))
        if len(sectors) > start:
            chain[-1] = _END
        return start if len(sectors) > start else _END

    following = {
        child: after
        for entry in entries
        for child, after in zip(entry.children, [*entry.children[1:], _FREE], strict=False)
    }
    records = []
    for number, entry in enumerate(entries):
        raw = entry.name.encode("utf-16-le")
        child = entry.children[0] if entry.children else _FREE
        links = (len(raw) + 2, entry.kind, 1, _FREE, following.get(number, _FREE), child)
        record = raw.ljust(64, b"\x00") + struct.pack("<HBB3I", *links) + bytes(36)
        records.append(record + struct.pack("<IQ", store(entry.content), len(entry.content)))
    directory = store(b"".join(records))
    count = 1
    while (len(sectors) + count) * 4 > count * _SECTOR:
        count += 1
    first = len(sectors)
    table = [*chain, *[_TABLE] * count]
    packed_table = struct.pack(f"<{len(table)}I", *table).ljust(count * _SECTOR, b"\xff")
    listed = [first + number for number in range(count)]
    head = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6)
    )
    head += bytes(6) + struct.pack("<9I", 0, count, directory, 0, 0, _END, 0, _END, 0)
    head += struct.pack(f"<{109}I", *listed, *[_FREE] * (109 - count))
    return head + b"".join(sectors) + packed_table


def doc(text: str = "A paragraph.\r", *, flags: int = 0, wide: bool = False) -> bytes:
    """A Word document of one piece, without formats: \\r ends a paragraph, \\x07 a cell."""
    raw = text.encode("utf-16-le" if wide else "cp1252")
    head = bytearray(1024)
    struct.pack_into("<2H", head, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", head, 10, 0x0200 | flags)
    struct.pack_into("<I", head, 0x4C, len(text))
    place = 1024 if wide else 2048 | 0x40000000
    pieces = struct.pack("<2I", 0, len(text)) + struct.pack("<HIH", 0, place, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<2I", head, 0x01A2, 0, len(table))
    return compound({"WordDocument": bytes(head) + raw, "1Table": table})


def _record(number: int, content: bytes, *, instance: int = 0, children: bool = False) -> bytes:
    return (
        struct.pack("<HHI", instance << 4 | (15 if children else 0), number, len(content)) + content
    )


def _text_box(kind: int, text: str) -> bytes:
    inner = _record(0x0F9F, struct.pack("<I", kind)) + _record(0x0FA0, text.encode("utf-16-le"))
    return _record(0xF004, _record(0xF00D, inner, children=True), children=True)


def ppt(*slides: tuple[str, str], hidden: int = 0, token: int = 0xE391C05F) -> bytes:
    """A presentation of slides with a title and a body; the last `hidden` ones are not shown."""
    slides = slides or (("A title", "First\rSecond"),)
    stream = b""
    places: list[int] = []
    for number, (title, body) in enumerate(slides):
        shapes = _text_box(0, title) + _text_box(1, body)
        drawing = _record(
            0x040C,
            _record(0xF002, _record(0xF003, shapes, children=True), children=True),
            children=True,
        )
        flags = 4 if number >= len(slides) - hidden else 0
        info = _record(0x03F9, struct.pack("<I6xH4x", 0, flags))
        places.append(len(stream))
        stream += _record(0x03EE, info + drawing, children=True)
    listed = b"".join(
        _record(0x03F3, struct.pack("<5I", number + 2, 0, 0, 256 + number, 0))
        for number in range(len(slides))
    )
    places.insert(0, len(stream))
    stream += _record(0x03E8, _record(0x0FF0, listed, children=True), children=True)
    directory = len(stream)
    stream += _record(0x1772, struct.pack(f"<I{len(places)}I", 1 | len(places) << 20, *places))
    edit = len(stream)
    stream += _record(0x0FF5, struct.pack("<7I", 0, 0, 0, directory, 1, 0, 0))
    user = _record(0x0FF6, struct.pack("<3I", 20, token, edit))
    return compound(
        {
            "PowerPoint Document": stream.ljust(4096, b"\x00"),
            "Current User": user.ljust(4096, b"\x00"),
        }
    )


def xls(
    rows: tuple[tuple[str | float, ...], ...] = (("Name", "Value"), ("first", 1.5)),
    *,
    locked: bool = False,
) -> bytes:
    """A workbook of one sheet; numbers are reals, everything else is text."""

    def record(number: int, content: bytes) -> bytes:
        return struct.pack("<2H", number, len(content)) + content

    head = record(0x0809, struct.pack("<4H2I", 0x0600, 5, 0x0DBB, 0x07CC, 0, 6))
    if locked:
        head += record(0x002F, struct.pack("<2H", 0, 0) + bytes(4))
    name = b"\x05\x00Sheet"
    end = record(0x000A, b"")
    start = len(head) + len(record(0x0085, bytes(6) + name)) + len(end)
    book = head + record(0x0085, struct.pack("<IH", start, 0) + name) + end
    sheet = record(0x0809, struct.pack("<4H2I", 0x0600, 16, 0x0DBB, 0x07CC, 0, 6))
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            at = struct.pack("<3H", place, column, 0)
            if isinstance(cell, str):
                text = struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le")
                sheet += record(0x0204, at + text)
            else:
                sheet += record(0x0203, at + struct.pack("<d", cell))
    return compound({"Workbook": (book + sheet + end).ljust(4096, b"\x00")})


def msg(
    *, body: str = "The text of the message.", html: str = "", rtf: bytes = b"", attached: str = ""
) -> bytes:
    texts = {
        "0037": "A subject",
        "0C1A": "Someone",
        "0C1F": "someone@example.org",
        "0E04": "Other",
        "1000": body,
    }
    streams = {
        f"__substg1.0_{number}001F": text.encode("utf-16-le").ljust(4096, b"\x00")
        for number, text in texts.items()
        if text
    }
    sent = 133_514_355_060_000_000  # 3 February 2024, 12:05:06
    fixed = struct.pack("<2HIQ", 0x0040, 0x0039, 6, sent)
    streams["__properties_version1.0"] = (bytes(32) + fixed).ljust(4096, b"\x00")
    if html:
        streams["__substg1.0_10130102"] = html.encode().ljust(4096)
    if rtf:
        head = struct.pack("<4I", len(rtf) + 12, len(rtf), 0x414C454D, 0)
        streams["__substg1.0_10090102"] = (head + rtf).ljust(4096, b"\x00")
    if attached:
        folder = "__attach_version1.0_#00000000"
        streams[f"{folder}/__substg1.0_3707001F"] = attached.encode("utf-16-le").ljust(
            4096, b"\x00"
        )
    return compound(streams)


def xlsb(rows: tuple[tuple[str | float, ...], ...] = (("Name", "Value"), ("first", 1.5))) -> bytes:
    def record(number: int, content: bytes) -> bytes:
        head = bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])
        return head + bytes([len(content)]) + content

    def text(said: str) -> bytes:
        return struct.pack("<I", len(said)) + said.encode("utf-16-le")

    sheet = b""
    for place, row in enumerate(rows):
        sheet += record(0, struct.pack("<2IH2B", place, 0, 300, 0, 0))
        for column, cell in enumerate(row):
            at = struct.pack("<2I", column, 0)
            sheet += (
                record(6, at + text(cell))
                if isinstance(cell, str)
                else record(5, at + struct.pack("<d", cell))
            )
    return packed({
        "xl/workbook.bin": record(156, struct.pack("<2I", 0, 1) + text("r1") + text("Data")),
        "xl/_rels/workbook.bin.rels": relations(("r1", "worksheet", "worksheets/sheet1.bin", "")),
        "xl/worksheets/sheet1.bin": sheet,
        "docProps/core.xml": CORE,
    })  # fmt: skip
