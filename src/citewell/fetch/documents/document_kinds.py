"""Detects a document's kind by its content, or else by its content type and address."""

from __future__ import annotations

import io
import re
import zipfile
from urllib.parse import urlsplit

_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BINARY_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"BM", "image"),
    (b"RIFF", "image, sound or film"),
    (b"OggS", "sound or film"),
    (b"ID3", "sound"),
    (b"fLaC", "sound"),
    (b"\x1aE\xdf\xa3", "film"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"SQLite format 3\x00", "database"),
    (b"PAR1", "Parquet table"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"%!PS", "PostScript"),
)
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
# Possessive groups: backtracking over a run of comments would take far too long.
_HTML_START_PATTERN = re.compile(
    r"\s*+(?:<\?xml[^>]{0,200}>\s*+)?+(?:<!--.{0,2000}?-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_ROOT_PATTERN = re.compile(
    r"\s*+(?:<\?[^>]{0,400}\?>\s*+|<!--.{0,4000}?-->\s*+"
    r"|<!doctype[^>\[]{0,400}+(?:\[.{0,20000}?\]\s*+)?+>\s*+)*+<([A-Za-z_][\w.:-]*+)([^>]{0,2000})",
    re.IGNORECASE | re.DOTALL,
)
_MAIL_HEADER_PATTERN = re.compile(
    r"(?:From|To|Cc|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Reply-To"
    r"|X-[\w-]+|DKIM-Signature|Content-[\w-]+|Sender|Authentication-Results|ARC-[\w-]+): ?",
    re.IGNORECASE,
)
_KINDS_BY_CONTENT_TYPE = {
    "text/csv": "csv", "application/csv": "csv", "text/tab-separated-values": "tsv",
    "text/markdown": "markdown", "text/x-markdown": "markdown", "message/rfc822": "eml",
    "application/json": "json", "text/json": "json", "application/rtf": "rtf", "text/rtf": "rtf",
    "application/xml": "xml", "text/xml": "xml", "text/html": "html", "application/xhtml+xml": "html",
    "application/x-ndjson": "text", "application/feed+json": "feed", "multipart/related": "eml",
}  # fmt: skip
_KINDS_BY_SUFFIX = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "md": "markdown", "markdown": "markdown",
             "eml": "eml", "mht": "eml", "mhtml": "eml", "json": "json"}  # fmt: skip
_CONTROL_BYTES = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_FEED_ROOT_NAMES = frozenset({"rss", "feed", "rdf"})

READABLE_KINDS = frozenset({
    "pdf", "docx", "odt", "rtf", "pptx", "odp", "xlsx", "ods", "csv", "tsv", "epub", "eml",
    "feed", "json", "xml", "markdown", "text", "html",
})  # fmt: skip


def detect_document_kind(body: bytes, *, content_type: str = "", url: str = "") -> str:
    """One of READABLE_KINDS, or a plain-English name for a kind that cannot be read."""
    if b"%PDF-" in body[:1024] and not _HTML_START_PATTERN.match(_decode_document_head(body)):
        return "pdf"
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _detect_zip_kind(body)
    if body.startswith(_OLE_SIGNATURE):
        return _detect_ole_kind(body)
    if body[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    name = next((name for magic, name in _BINARY_SIGNATURES if body.startswith(magic)), None)
    # Plain text can begin with "BM" or "MZ" too.
    if name is not None and ((len(body) > 8 and _is_binary_document(body)) or name == "PostScript"):
        return name
    if body[4:8] == b"ftyp":
        return "film or image"
    if _is_binary_document(body):
        return "binary data"
    return _detect_textual_kind(
        _decode_document_head(body), content_type.partition(";")[0].strip().lower(), url
    )


def _decode_document_head(body: bytes) -> str:
    """The beginning as text; only its ASCII characters are right, and only those are tested."""
    head = body[:32_768]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf16(head):
        return head.replace(b"\x00", b"").decode("latin-1").lstrip("\xff\xfe")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _detect_zip_kind(body: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = archive.namelist()[:5000]
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                said = archive.read("mimetype").decode("ascii", "replace").strip()
                if said in _KINDS_BY_ZIP_MIMETYPE:
                    return _KINDS_BY_ZIP_MIMETYPE[said]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return _detect_damaged_zip_kind(body)
    if "META-INF/container.xml" in names:
        return "epub"
    return next(
        (
            kind
            for prefix, kind in _KINDS_BY_PART_PREFIX
            if any(n.startswith(prefix) for n in names)
        ),
        "ZIP archive",
    )


def _detect_damaged_zip_kind(body: bytes) -> str:
    """The kind of a damaged archive, by the member names near its start."""
    head = body[:65_536]
    for said, kind in _KINDS_BY_ZIP_MIMETYPE.items():
        if b"mimetype" + said.encode() in head:
            return kind
    return next(
        (kind for prefix, kind in _KINDS_BY_PART_PREFIX if prefix.encode() in head), "ZIP archive"
    )


def _detect_ole_kind(body: bytes) -> str:
    """The kind of an OLE container: an old Office format, or a new one that is encrypted."""
    if "EncryptedPackage".encode("utf-16-le") in body:
        return "encrypted Office document"
    for mark, name in (("WordDocument", "old Word document (.doc)"), ("PowerPoint Document", "old PowerPoint document (.ppt)"),
                       ("Workbook", "old Excel document (.xls)")):  # fmt: skip
        if mark.encode("utf-16-le") in body:
            return name
    return "old Office document"


def _detect_textual_kind(head: str, content_type: str, url: str) -> str:
    if _HTML_START_PATTERN.match(head):
        return "html"
    if kind := _detect_markup_kind(head, content_type):
        return kind
    if _is_mail_message(head, content_type):
        return "eml"
    start = head.lstrip()[:1]
    named = _look_up_declared_kind(content_type, url)
    if start in {"{", "["} and named in {"json", "feed", "text", "xml", "html"}:
        return _detect_json_kind(head, named)
    return "text" if named in {"rtf", "xml", "json", "eml", "feed"} else named


def _detect_markup_kind(head: str, content_type: str) -> str:
    root = _XML_ROOT_PATTERN.match(head)
    if root is None:
        return ""
    name = root[1].rpartition(":")[2].lower()
    if name in _FEED_ROOT_NAMES and (name != "rdf" or "rss/1.0" in root[2] + head[:4000]):
        return "feed"
    if (
        head.lstrip().startswith("<?xml")
        or content_type.endswith(("/xml", "+xml"))
        or "xmlns" in root[2]
    ):
        return "xml"
    return "html" if content_type in {"text/html", "application/xhtml+xml"} else ""


def _detect_json_kind(head: str, named: str) -> str:
    if '"https://jsonfeed.org/version' in head or (named == "feed"):
        return "feed"
    if named == "json":
        return "json"
    return (
        "json"
        if re.match(
            r'\s*(?:\{\s*(?:"[^"\n]{0,200}"\s*:|\})|\[\s*(?:[\[{"\]]|-?\d|true|false|null))', head
        )
        else "text"
    )


def _is_mail_message(head: str, content_type: str) -> bool:
    lines = head.split("\n", 60)[:60]
    found = 0
    for line in lines:
        if not line.strip():
            break
        if _MAIL_HEADER_PATTERN.match(line):
            found += 1
        elif not line.startswith((" ", "\t")) and not re.match(r"[\w-]+:|From ", line):
            return False
    return found >= (1 if content_type in {"message/rfc822", "multipart/related"} else 3)


def _look_up_declared_kind(content_type: str, url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    suffix = _KINDS_BY_SUFFIX.get(path.rpartition(".")[2].lower(), "")
    known = _KINDS_BY_CONTENT_TYPE.get(content_type, "")
    if known and not (known == "text" and suffix):
        return known
    if content_type.endswith("+json"):
        return "json"
    return suffix or "text"


def _is_binary_document(body: bytes) -> bool:
    """Whether there are too many control characters for text; UTF-16 is not binary."""
    head = body[:8192]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf16(head):
        return False
    controls = len(head) - len(head.translate(None, delete=_CONTROL_BYTES))
    return controls * 50 > len(head) and (controls > 8 or 0 in head)


def _is_utf16(head: bytes) -> bool:
    zeros = (head[0::2].count(0), head[1::2].count(0))
    return max(zeros) * 4 > len(head) > 3 and min(zeros) * 20 < max(zeros)
