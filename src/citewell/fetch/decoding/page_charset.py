"""Decodes the bytes of a page: by byte order mark, header, meta element, then by statistics."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from citewell.fetch.decoding.charset_statistics import guess_charset

_DECLARATION_BYTES = 4096  # a declaration has to be within these; browsers look at 1024 bytes
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,400}?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_XML_ENCODING = re.compile(
    rb"<\?xml[^>]{0,200}?encoding\s*+=\s*+[\"']([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_HTML_LANG = re.compile(rb"<html[^>]{0,400}?\blang\s*+=\s*+[\"']?([A-Za-z]{2,3})", re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s;\"']+)", re.IGNORECASE)

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Servers declare a small charset and send a larger one that contains it. Browsers decode the larger.
_WIDER_CHARSETS = {
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
_CHARSET_LABELS = {
    "windows-874": "cp874", "dos-874": "cp874", "x-sjis": "cp932", "ms_kanji": "cp932", "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030", "gb_2312-80": "gb18030", "cn-big5": "big5", "x-x-big5": "big5", "windows-949": "cp949",
    "korean": "cp949", "iso-8859-8-i": "iso8859-8", "iso-8859-8-e": "iso8859-8", "logical": "iso8859-8",
    "visual": "iso8859-8", "x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic",
    "x-mac-roman": "mac-roman", "macintosh": "mac-roman", "unicode-1-1-utf-8": "utf-8", "utf-16": "utf-16-le",
    "unicode": "utf-16-le", "ucs-2": "utf-16-le", "iso-10646-ucs-2": "utf-16-le", "koi": "koi8-r", "koi8-ru": "koi8-u",
    "dos-866": "cp866", "iso88591": "cp1252", "x-cp1250": "cp1250", "x-cp1251": "cp1251", "x-cp1252": "cp1252",
    "x-cp1253": "cp1253", "x-cp1254": "cp1254", "x-cp1255": "cp1255", "x-cp1256": "cp1256", "x-cp1257": "cp1257",
}  # fmt: skip
_LATIN_CHARSETS = frozenset({"cp1252", "iso8859-15", "cp1250", "iso8859-2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    text: str
    charset: str
    basis: str  # bom, header, meta or statistics


def decode_body(body: bytes, *, content_type: str = "") -> DecodedText:
    """The text and its charset. Never raises: bytes that do not fit become replacement characters."""
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(charset, "replace")
            return DecodedText(text=text, charset=charset, basis="bom")
    declared = _find_declared_charsets(body, content_type)
    for charset, basis in declared:
        if _is_mislabelled_charset(body, charset):
            continue
        text = _decode_leniently(body, charset)
        if _is_plausible_decoding(text, body):
            return DecodedText(text=text, charset=charset, basis=basis)
    charset = guess_charset(body, language=_find_declared_language(body))
    return DecodedText(text=_decode_leniently(body, charset), charset=charset, basis="statistics")


def resolve_charset_label(label: str) -> str | None:
    """Python's name for the charset that browsers take this label for; None if it is unknown."""
    try:
        given = label.strip().lower()
        name = codecs.lookup(_CHARSET_LABELS.get(given, given)).name
    except (LookupError, ValueError):
        return None
    if name not in _TEXT_CODECS and not name.startswith(("iso8859", "cp", "koi8", "mac-")):
        return None
    return _WIDER_CHARSETS.get(name, name)


# Codecs such as hex, rot13 or unicode_escape are not charsets of pages.
_TEXT_CODECS = frozenset({
    "ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "gb2312", "gbk", "gb18030",
    "hz", "big5", "big5hkscs", "shift_jis", "shift_jis_2004", "euc_jp", "euc_kr", "johab",
    "iso2022_jp", "iso2022_kr", "tis-620",
})  # fmt: skip


def _find_declared_charsets(body: bytes, content_type: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if header := _HEADER_CHARSET.search(content_type):
        found.append((resolve_charset_label(header[1]) or "", "header"))
    head = body[:_DECLARATION_BYTES]
    if meta := _META_CHARSET.search(head) or _XML_ENCODING.search(head):
        charset = resolve_charset_label(meta[1].decode("ascii")) or ""
        # A meta element that is readable as ASCII is not in UTF-16, whatever it says.
        found.append(("utf-8" if charset.startswith("utf-16") else charset, "meta"))
    return [(charset, basis) for charset, basis in found if charset]


def _find_declared_language(body: bytes) -> str | None:
    match = _HTML_LANG.search(body[:_DECLARATION_BYTES])
    return match[1].decode("ascii").lower() if match else None


def _is_mislabelled_charset(body: bytes, charset: str) -> bool:
    """Whether the body is valid UTF-8 but declared as Latin-1, the default of many servers.

    Latin-1 text is practically never valid UTF-8 by accident. The same check finds the escape
    sequences of ISO-2022-JP, which are valid in every charset that contains ASCII.
    """
    if body.isascii():
        return b"\x1b$" in body and charset in {"utf-8", "cp1252"}
    if charset not in _LATIN_CHARSETS:
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decode_leniently(body: bytes, charset: str) -> str:
    text = body.decode(charset, "replace")
    return text.removeprefix("\ufeff")


def _is_plausible_decoding(text: str, body: bytes) -> bool:
    """Whether so few bytes failed that the file is damaged rather than declared wrongly."""
    broken = text.count("\ufffd")
    if broken == 0:
        return True
    foreign = len(body) - len(body.translate(None, delete=bytes(range(128, 256))))
    return broken <= 2 + foreign // 50
