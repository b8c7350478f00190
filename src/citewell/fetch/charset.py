"""Bytes of a page to its text: by byte order mark, header, meta element, then by statistics."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from citewell.fetch.alphabets import guess

_HEAD = 4096  # where a declaration has to stand; browsers look at 1024 bytes
_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_LANG = re.compile(rb"<html[^>]{0,400}?\blang\s*=\s*[\"']?([A-Za-z]{2,3})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.IGNORECASE)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Servers name the small standard and send its larger sibling; so browsers read the sibling.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "johab": "cp949",
    "utf-16": "utf-16-le",
}
# Labels of the encoding standard that Python has no codec for under that name.
_LABELS = {
    "windows-874": "cp874", "dos-874": "cp874", "x-sjis": "cp932", "ms_kanji": "cp932", "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030", "gb_2312-80": "gb18030", "cn-big5": "big5", "x-x-big5": "big5", "windows-949": "cp949",
    "korean": "cp949", "iso-8859-8-i": "iso8859-8", "iso-8859-8-e": "iso8859-8", "logical": "iso8859-8",
    "visual": "iso8859-8", "x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic",
    "x-mac-roman": "mac-roman", "macintosh": "mac-roman", "unicode-1-1-utf-8": "utf-8", "utf-16": "utf-16-le",
    "unicode": "utf-16-le", "ucs-2": "utf-16-le", "iso-10646-ucs-2": "utf-16-le", "koi": "koi8-r", "koi8-ru": "koi8-u",
    "dos-866": "cp866", "iso88591": "cp1252", "x-cp1250": "cp1250", "x-cp1251": "cp1251", "x-cp1252": "cp1252",
    "x-cp1253": "cp1253", "x-cp1254": "cp1254", "x-cp1255": "cp1255", "x-cp1256": "cp1256", "x-cp1257": "cp1257",
}  # fmt: skip
_LATIN = frozenset({"cp1252", "iso8859-15", "cp1250", "iso8859-2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    text: str
    charset: str
    basis: str  # bom, header, meta or statistics


def decode(body: bytes, *, content_type: str = "") -> Decoded:
    """The text, never failing: what fits no charset has its odd bytes replaced."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(charset, "replace")
            return Decoded(text=text, charset=charset, basis="bom")
    declared = _declared(body, content_type)
    for charset, basis in declared:
        if _mislabelled(body, charset):
            continue
        text = _decode(body, charset)
        if _clean(text, body):
            return Decoded(text=text, charset=charset, basis=basis)
    charset = guess(body, language=_language(body))
    return Decoded(text=_decode(body, charset), charset=charset, basis="statistics")


def lookup(label: str) -> str | None:
    """Python's name for a charset as browsers understand it; None for one nobody knows."""
    try:
        given = label.strip().lower()
        name = codecs.lookup(_LABELS.get(given, given)).name
    except (LookupError, ValueError):
        return None
    if name not in _TEXT and not name.startswith(("iso8859", "cp", "koi8", "mac-")):
        return None
    return _WIDER.get(name, name)


# Codecs such as hex, rot13 or unicode_escape are not charsets of pages.
_TEXT = frozenset({
    "ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "gb2312", "gbk", "gb18030",
    "hz", "big5", "big5hkscs", "shift_jis", "shift_jis_2004", "euc_jp", "euc_kr", "johab",
    "iso2022_jp", "iso2022_kr", "tis-620",
})  # fmt: skip


def _declared(body: bytes, content_type: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if header := _HEADER.search(content_type):
        found.append((lookup(header[1]) or "", "header"))
    head = body[:_HEAD]
    if meta := _META.search(head) or _XML.search(head):
        charset = lookup(meta[1].decode("ascii")) or ""
        # A meta element that could be read as ASCII cannot be telling the truth about UTF-16.
        found.append(("utf-8" if charset.startswith("utf-16") else charset, "meta"))
    return [(charset, basis) for charset, basis in found if charset]


def _language(body: bytes) -> str | None:
    match = _LANG.search(body[:_HEAD])
    return match[1].decode("ascii").lower() if match else None


def _mislabelled(body: bytes, charset: str) -> bool:
    """UTF-8 sent as Latin-1, which many servers say by default; text is never so by accident.

    Nor are the escapes of ISO-2022-JP, which fit every charset that holds ASCII.
    """
    if body.isascii():
        return b"\x1b$" in body and charset in {"utf-8", "cp1252"}
    if charset not in _LATIN:
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decode(body: bytes, charset: str) -> str:
    text = body.decode(charset, "replace")
    return text.removeprefix("\ufeff")


def _clean(text: str, body: bytes) -> bool:
    """Few bytes that do not fit are damage; many mean that the declaration is wrong."""
    broken = text.count("\ufffd")
    if broken == 0:
        return True
    foreign = len(body) - len(body.translate(None, delete=bytes(range(128, 256))))
    return broken <= 2 + foreign // 50
