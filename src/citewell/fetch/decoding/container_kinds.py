"""Finds out what a ZIP archive or OLE container is, by the names in its directory."""

from __future__ import annotations

import io
import zipfile

from citewell.fetch.decoding.compound_file import CompoundFile, DamagedContainer
from citewell.fetch.decoding.zip_directory import list_zip_names

ENCRYPTED_OFFICE_KIND = "encrypted Office document"
_KINDS_BY_ZIP_MIMETYPE = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}
_KINDS_BY_PART_PREFIX = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_KINDS_BY_OLE_STREAM = (
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "msg"),
)
_OLE_KIND_NAMES = {
    "doc": "old Word document (.doc)",
    "ppt": "old PowerPoint document (.ppt)",
    "xls": "old Excel document (.xls)",
    "msg": "Outlook message (.msg)",
}
_MAX_LISTED_NAMES = 5000  # an Office document has its main part among the first few
_MAX_OPENED_BYTES = 2**22  # opening a small archive costs little however many members it has


def detect_zip_kind(body: bytes) -> str:
    """The kind of a ZIP archive, by a few of the names in its directory."""
    listing = list_zip_names(body, most=_MAX_LISTED_NAMES)
    if listing is None:
        return _detect_damaged_zip_kind(body)
    names = listing.names
    if kind := _KINDS_BY_ZIP_MIMETYPE.get(_read_zip_mimetype(body) if "mimetype" in names else ""):
        return kind
    if "META-INF/container.xml" in names:
        return "epub"
    if "xl/workbook.bin" in names:
        return "xlsb"
    return next(
        (
            kind
            for prefix, kind in _KINDS_BY_PART_PREFIX
            if any(n.startswith(prefix) for n in names)
        ),
        "ZIP archive",
    )


def _read_zip_mimetype(body: bytes) -> str:
    """The content of the small member that declares what an archive is; "" if it is unreadable."""
    # The standards put it first and uncompressed; then the archive need not be opened.
    name_bytes, extra_bytes = (
        int.from_bytes(body[26:28], "little"),
        int.from_bytes(body[28:30], "little"),
    )
    if body[30 : 30 + name_bytes] == b"mimetype" and body[8:10] == b"\x00\x00":
        start = 38 + extra_bytes
        said = body[start : start + 100].decode("ascii", "replace")  # its size may stand elsewhere
        return max(
            (one for one in _KINDS_BY_ZIP_MIMETYPE if said.startswith(one)), key=len, default=""
        )
    if len(body) > _MAX_OPENED_BYTES:
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            small = archive.getinfo("mimetype").file_size < 200
            return archive.read("mimetype").decode("ascii", "replace").strip() if small else ""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return ""


def _detect_damaged_zip_kind(body: bytes) -> str:
    """The kind of a damaged archive, by the member names near its start."""
    head = body[:65_536]
    for said, kind in _KINDS_BY_ZIP_MIMETYPE.items():
        if b"mimetype" + said.encode() in head:
            return kind
    return next(
        (kind for prefix, kind in _KINDS_BY_PART_PREFIX if prefix.encode() in head), "ZIP archive"
    )


def detect_ole_kind(body: bytes) -> str:
    """The kind of an OLE container, by the streams in its root; a damaged one by names in it."""
    try:
        names = CompoundFile(body).list_root_names(most=_MAX_LISTED_NAMES)
    except DamagedContainer:
        return _detect_damaged_ole_kind(body)
    if "EncryptedPackage" in names:
        return ENCRYPTED_OFFICE_KIND
    known = {name.lower() for name in names}  # names in a container differ by more than case
    for name, kind in _KINDS_BY_OLE_STREAM:
        if name.lower() in known:
            return kind
    return "OLE container"


def _detect_damaged_ole_kind(body: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in body:
        return ENCRYPTED_OFFICE_KIND
    for name, kind in _KINDS_BY_OLE_STREAM:
        if name.encode("utf-16-le") in body:
            return f"damaged {_OLE_KIND_NAMES[kind]}"
    return "damaged old Office document"
