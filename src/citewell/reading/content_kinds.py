"""Finds out what a body is: by its first bytes, then by its content type and address.

The bytes of a document decide before what was declared about it. A page is what its server declares,
unless it starts as HTML or is binary.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from citewell.reading.file_containers import OLE_SIGNATURE, detect_ole_kind, detect_zip_kind
from citewell.reading.page_charset import detect_unmarked_utf16

_PDF_SIGNATURE = b"%PDF-"
_PDF_JUNK_BYTES = 1024  # a PDF document may have other bytes before its signature
# Excel 2 to 5 also wrote workbooks without a container; they begin with one of these records.
_BARE_WORKBOOK_SIGNATURES = (
    b"\x09\x00\x04\x00",
    b"\x09\x02\x06\x00",
    b"\x09\x04\x06\x00",
    b"\x09\x08\x08\x00",
)
_BINARY_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"\x1aE\xdf\xa3", "film"),
    (b"\x1f\x8b", "gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3\x00", "database"),
    (b"%!PS", "PostScript"),
)
# Plain text can begin with these too.
_PRINTABLE_SIGNATURES = (
    (b"GIF8", "image"),
    (b"BM", "image"),
    (b"RIFF", "image, sound or film"),
    (b"OggS", "sound or film"),
    (b"ID3", "sound"),
    (b"fLaC", "sound"),
    (b"BZh", "bzip2 archive"),
    (b"MZ", "program"),
    (b"PAR1", "Parquet table"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
)
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
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROL_BYTES = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_FEED_ROOT_NAMES = frozenset({"rss", "feed", "rdf"})

PAGE_KINDS = frozenset({"html", "json", "markdown", "text", "xml"})  # read without a worker process


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentKind:
    name: str
    is_text: bool


def detect_document_kind(body: bytes, *, content_type: str = "", url: str = "") -> str:
    """A kind that has a reader, or a plain-English name for a kind that cannot be read."""
    if kind := _detect_binary_kind(body, pdf_within=_PDF_JUNK_BYTES):
        return kind
    if _is_binary_body(body):
        return "binary data"
    return _detect_textual_kind(
        _decode_body_head(body), content_type.partition(";")[0].strip().lower(), url
    )


def detect_page_kind(body: bytes, content_type: str) -> ContentKind:
    """One of PAGE_KINDS; for anything else a name, and that it is not readable as text."""
    if kind := _detect_binary_kind(body, pdf_within=len(_PDF_SIGNATURE)):
        return ContentKind(name=kind, is_text=False)
    if _HTML_START_PATTERN.match(_decode_body_head(body)):
        return ContentKind(name="html", is_text=True)
    if _is_binary_body(body):
        return ContentKind(name=content_type or "binary data", is_text=False)
    return _choose_declared_kind(content_type)


def _choose_declared_kind(content_type: str) -> ContentKind:
    known = _KINDS_BY_CONTENT_TYPE.get(content_type, "")
    if known in PAGE_KINDS:
        return ContentKind(name=known, is_text=True)
    family, _, rest = content_type.partition("/")
    if rest.endswith("+json"):
        return ContentKind(name="json", is_text=True)
    if rest.endswith("+xml") and family != "image":
        return ContentKind(name="xml", is_text=True)
    if family in {"image", "audio", "video", "font"}:
        return ContentKind(name=content_type, is_text=False)
    return ContentKind(name="text", is_text=True)


def _detect_binary_kind(body: bytes, *, pdf_within: int) -> str:
    """The kind of a PDF, archive, Office, RTF, media or program file; "" if it is none of them."""
    if _PDF_SIGNATURE in body[:pdf_within] and not _HTML_START_PATTERN.match(
        _decode_body_head(body)
    ):
        return "pdf"
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return detect_zip_kind(body)
    if body.startswith(OLE_SIGNATURE):
        return detect_ole_kind(body)
    if body[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if body.startswith(_BARE_WORKBOOK_SIGNATURES):
        return "xls"
    signatures: tuple[tuple[bytes, str], ...] = _BINARY_SIGNATURES
    if len(body) > 8 and _is_binary_body(body):
        signatures += _PRINTABLE_SIGNATURES
    for magic, name in signatures:
        if body.startswith(magic):
            return name
    return "film or image" if body[4:8] == b"ftyp" else ""


def _decode_body_head(body: bytes) -> str:
    """The beginning as text; only its ASCII characters are right, and only those are tested."""
    head = body[:32_768]
    if _is_utf16(head):
        return head.replace(b"\x00", b"").decode("latin-1").lstrip("\xff\xfe")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


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


def _is_binary_body(body: bytes) -> bool:
    """Whether there are too many control characters for text; UTF-16 is not binary."""
    head = body[:8192]
    if _is_utf16(head):
        return False
    controls = len(head) - len(head.translate(None, delete=_CONTROL_BYTES))
    return controls * 50 > len(head) and (controls > 8 or 0 in head)


def _is_utf16(head: bytes) -> bool:
    return head.startswith(_UTF16_MARKS) or detect_unmarked_utf16(head) is not None
