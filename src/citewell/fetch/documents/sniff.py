"""What a document really is: by its content first, and only where that is silent by its name."""

from __future__ import annotations

import io
import re
import zipfile
from urllib.parse import urlsplit

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BINARY = (
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
_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}
_PARTS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
# The groups are possessive: comments that could be split in many ways would take for ever.
_HTML = re.compile(
    r"\s*+(?:<\?xml[^>]{0,200}>\s*+)?+(?:<!--.{0,2000}?-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_ROOT = re.compile(
    r"\s*+(?:<\?[^>]{0,400}\?>\s*+|<!--.{0,4000}?-->\s*+"
    r"|<!doctype[^>\[]{0,400}+(?:\[.{0,20000}?\]\s*+)?+>\s*+)*+<([A-Za-z_][\w.:-]*+)([^>]{0,2000})",
    re.IGNORECASE | re.DOTALL,
)
_MAIL = re.compile(
    r"(?:From|To|Cc|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Reply-To"
    r"|X-[\w-]+|DKIM-Signature|Content-[\w-]+|Sender|Authentication-Results|ARC-[\w-]+): ?",
    re.IGNORECASE,
)
_NAMED = {
    "text/csv": "csv", "application/csv": "csv", "text/tab-separated-values": "tsv",
    "text/markdown": "markdown", "text/x-markdown": "markdown", "message/rfc822": "eml",
    "application/json": "json", "text/json": "json", "application/rtf": "rtf", "text/rtf": "rtf",
    "application/xml": "xml", "text/xml": "xml", "text/html": "html", "application/xhtml+xml": "html",
    "application/x-ndjson": "text", "application/feed+json": "feed", "multipart/related": "eml",
}  # fmt: skip
_SUFFIXES = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "md": "markdown", "markdown": "markdown",
             "eml": "eml", "mht": "eml", "mhtml": "eml", "json": "json"}  # fmt: skip
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_FEEDS = frozenset({"rss", "feed", "rdf"})

READABLE = frozenset({
    "pdf", "docx", "odt", "rtf", "pptx", "odp", "xlsx", "ods", "csv", "tsv", "epub", "eml",
    "feed", "json", "xml", "markdown", "text", "html",
})  # fmt: skip


def sniff(body: bytes, *, content_type: str = "", url: str = "") -> str:
    """One of READABLE, or a name in plain words for what cannot be read."""
    if b"%PDF-" in body[:1024] and not _HTML.match(_head(body)):
        return "pdf"
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _packed(body)
    if body.startswith(_OLE):
        return _ole(body)
    if body[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    name = next((name for magic, name in _BINARY if body.startswith(magic)), None)
    # "BM" and "MZ" begin words too.
    if name is not None and ((len(body) > 8 and _binary(body)) or name == "PostScript"):
        return name
    if body[4:8] == b"ftyp":
        return "film or image"
    if _binary(body):
        return "binary data"
    return _textual(_head(body), content_type.partition(";")[0].strip().lower(), url)


def _head(body: bytes) -> str:
    """The beginning as text, whatever its charset: only ASCII in it is looked at."""
    head = body[:32_768]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _wide(head):
        return head.replace(b"\x00", b"").decode("latin-1").lstrip("\xff\xfe")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _packed(body: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = archive.namelist()[:5000]
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                said = archive.read("mimetype").decode("ascii", "replace").strip()
                if said in _MIMETYPES:
                    return _MIMETYPES[said]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return _by_bytes(body)
    if "META-INF/container.xml" in names:
        return "epub"
    return next(
        (kind for prefix, kind in _PARTS if any(n.startswith(prefix) for n in names)), "ZIP archive"
    )


def _by_bytes(body: bytes) -> str:
    """A damaged archive still begins with the names of its members."""
    head = body[:65_536]
    for said, kind in _MIMETYPES.items():
        if b"mimetype" + said.encode() in head:
            return kind
    return next((kind for prefix, kind in _PARTS if prefix.encode() in head), "ZIP archive")


def _ole(body: bytes) -> str:
    """The old binary formats, and new ones under a password, share a container."""
    if "EncryptedPackage".encode("utf-16-le") in body:
        return "encrypted Office document"
    for mark, name in (("WordDocument", "old Word document (.doc)"), ("PowerPoint Document", "old PowerPoint document (.ppt)"),
                       ("Workbook", "old Excel document (.xls)")):  # fmt: skip
        if mark.encode("utf-16-le") in body:
            return name
    return "old Office document"


def _textual(head: str, content_type: str, url: str) -> str:
    if _HTML.match(head):
        return "html"
    if kind := _markup(head, content_type):
        return kind
    if _looks_like_mail(head, content_type):
        return "eml"
    start = head.lstrip()[:1]
    named = _named(content_type, url)
    if start in {"{", "["} and named in {"json", "feed", "text", "xml", "html"}:
        return _json(head, named)
    return "text" if named in {"rtf", "xml", "json", "eml", "feed"} else named


def _markup(head: str, content_type: str) -> str:
    root = _XML_ROOT.match(head)
    if root is None:
        return ""
    name = root[1].rpartition(":")[2].lower()
    if name in _FEEDS and (name != "rdf" or "rss/1.0" in root[2] + head[:4000]):
        return "feed"
    if (
        head.lstrip().startswith("<?xml")
        or content_type.endswith(("/xml", "+xml"))
        or "xmlns" in root[2]
    ):
        return "xml"
    return "html" if content_type in {"text/html", "application/xhtml+xml"} else ""


def _json(head: str, named: str) -> str:
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


def _looks_like_mail(head: str, content_type: str) -> bool:
    lines = head.split("\n", 60)[:60]
    found = 0
    for line in lines:
        if not line.strip():
            break
        if _MAIL.match(line):
            found += 1
        elif not line.startswith((" ", "\t")) and not re.match(r"[\w-]+:|From ", line):
            return False
    return found >= (1 if content_type in {"message/rfc822", "multipart/related"} else 3)


def _named(content_type: str, url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    suffix = _SUFFIXES.get(path.rpartition(".")[2].lower(), "")
    known = _NAMED.get(content_type, "")
    if known and not (known == "text" and suffix):
        return known
    if content_type.endswith("+json"):
        return "json"
    return suffix or "text"


def _binary(body: bytes) -> bool:
    """Control characters are rare in text; zeros that alternate with letters are UTF-16."""
    head = body[:8192]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _wide(head):
        return False
    controls = len(head) - len(head.translate(None, delete=_CONTROLS))
    return controls * 50 > len(head) and (controls > 8 or 0 in head)


def _wide(head: bytes) -> bool:
    zeros = (head[0::2].count(0), head[1::2].count(0))
    return max(zeros) * 4 > len(head) > 3 and min(zeros) * 20 < max(zeros)
