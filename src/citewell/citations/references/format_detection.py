"""Decodes bibliography files and tells their format by the content."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator

from citewell.text.safety.text_cleaning import extract_visible_text

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16-LE, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODING_SAMPLE_BYTES = 2000  # bytes
_PLAIN_CHARACTERS = str.maketrans({
    "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2028": "\n", "\u2029": "\n", "\x85": "\n",
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st",
})  # fmt: skip

_BIBTEX_ENTRY_PATTERN = re.compile(
    r"^[ \t]{0,40}@[ \t]{0,4}[A-Za-z][\w-]{0,40}\s{0,5}[{(]", re.MULTILINE
)
_RIS_TYPE_PATTERN = re.compile(r"^[ \t]{0,8}TY[ \t]{0,3}[-–](?:[ \t]|$)", re.MULTILINE)
_RIS_TAGS_PATTERN = re.compile(r"^[A-Z][A-Z0-9]  ?- ", re.MULTILINE)
_JSON_OBJECT_PATTERN = re.compile(r"[\s,\[]{0,200}\{\s{0,200}\"")
_NBIB_PATTERN = re.compile(r"^PMID- ?\d{1,9}[ \t]{0,3}$", re.MULTILINE)
_WOS_TYPE_PATTERN = re.compile(r"^PT [JBSP][ \t]{0,3}$", re.MULTILINE)
_WOS_TABLE_PATTERN = re.compile(r"\s{0,20}PT\t[A-Z0-9]{2}\t")
_ENW_TYPE_PATTERN = re.compile(r"^[ \t]{0,8}%0 [A-Z][a-z]", re.MULTILINE)
_ENW_TAG_PATTERN = re.compile(r"^[ \t]{0,8}%([ATJDPVN]) \S", re.MULTILINE)
_LATEX_PATTERN = re.compile(
    r"^[^%\n]{0,200}\\(?:documentclass|begin\{document\}|begin\{thebibliography\}|bibitem|entry\{|bibliography\{|addbibresource)",
    re.MULTILINE,
)
_XML_START_PATTERN = re.compile(r"\s{0,200}<(?:\?xml|!DOCTYPE|!--|[A-Za-z])")
# The format by the name of an element; the first that occurs near the beginning decides.
_XML_ELEMENT_PATTERN = re.compile(
    r"<(?:[\w.-]{1,40}:)?(?:(?P<mods>mods|modsCollection)|(?P<rdf>RDF)|(?P<pubmed>Pubmed(?:Book)?Article(?:Set)?)|(?P<word>Sources)|(?P<endnote>records?|EndNote))(?=[\s>])"
)
_XML_FORMATS = {
    "mods": "mods", "rdf": "zotero-rdf", "pubmed": "pubmed-xml", "word": "word-xml",
    "endnote": "endnote-xml",
}  # fmt: skip
_LOOK_CHARS = 20_000
_TEXT_COMMAND_PATTERN = re.compile(
    r"\\(?:emph|textit|textsl|textsc|textbf|textrm|underline)\{([^{}]{0,500})\}"
)


def detect_bibliography_format(text: str) -> str:
    """Which of BIBLIOGRAPHY_FORMATS a document is in; "prose" if it has no sign of another."""
    if _JSON_OBJECT_PATTERN.match(text) or text.strip()[:2] in {"[]", "{}"}:
        return "csl-json"
    if _XML_START_PATTERN.match(text) and (found := detect_xml_format(text)):
        return found
    if tagged := _detect_tagged_format(text):
        return tagged
    if _LATEX_PATTERN.search(text):
        return "latex"
    if _BIBTEX_ENTRY_PATTERN.search(text):
        return "bibtex"
    if len(_RIS_TAGS_PATTERN.findall(text[:5000])) > 2:
        return "ris"
    return "csv" if _is_work_table(text) else "prose"


def extract_manuscript_text(text: str, form: str) -> str:
    """The sentences of a document in `form`: all of prose, LaTeX without commands, what precedes BibTeX.

    Empty for formats that have only records.
    """
    if form == "latex":
        return strip_text_commands(text)
    if form == "bibtex":
        return text[: first.start()] if (first := _BIBTEX_ENTRY_PATTERN.search(text)) else ""
    return text if form == "prose" else ""


def strip_text_commands(text: str) -> str:
    """LaTeX without the commands that set words in other type, and with plain spaces."""
    return _TEXT_COMMAND_PATTERN.sub(r"\1", text.replace("~", " ").replace("\\&", "&"))


def detect_xml_format(text: str) -> str:
    """The format of an XML bibliography; empty if it is none that we know."""
    match = _XML_ELEMENT_PATTERN.search(text[:_LOOK_CHARS])
    return _XML_FORMATS.get(match.lastgroup or "", "") if match else ""


def _detect_tagged_format(text: str) -> str:
    if _NBIB_PATTERN.search(text):
        return "nbib"
    if _WOS_TABLE_PATTERN.match(text) or _WOS_TYPE_PATTERN.search(text):
        return "wos"
    if _RIS_TYPE_PATTERN.search(text):
        return "ris"
    if _ENW_TYPE_PATTERN.search(text):
        return "enw"
    tags = set(_ENW_TAG_PATTERN.findall(text[:_LOOK_CHARS]))
    return "enw" if "T" in tags and len(tags) > 2 else ""


def _is_work_table(text: str) -> bool:
    from citewell.citations.references.formats.csl_table_references import find_table_delimiter

    return "\n" in text.strip() and bool(find_table_delimiter(text))


# Decodes bibliography files, whose encoding reference managers do not declare.


def decode_bibliography(document: str | bytes) -> str:
    """The document as text without byte-order mark and invisible characters, with plain newlines.

    Accents are composed, ligatures resolved and spaces plain. Form feeds stay, because they tell
    where pages end, and a soft hyphen at the end of a line becomes a hyphen.
    """
    text = document if isinstance(document, str) else _decode_bytes(document)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.translate(_PLAIN_CHARACTERS).replace("\u00ad\n", "-\n")
        text = unicodedata.normalize("NFC", text)
    return "\f".join(map(extract_visible_text, text.split("\f")))


def _decode_bytes(document: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if document.startswith(mark):
            return document[len(mark) :].decode(encoding, "replace")
    for encoding in _list_likely_encodings(document):
        try:
            return document.decode(encoding)
        except UnicodeDecodeError:
            continue
    return document.decode("latin-1")  # cannot fail: it has a character for every byte


def _list_likely_encodings(document: bytes) -> Iterator[str]:
    """Encodings to try for a file without a byte-order mark; UTF-16 shows by its many zero bytes."""
    head = document[:_ENCODING_SAMPLE_BYTES]
    if head[1::2].count(0) > len(head) // 4:
        yield "utf-16-le"
    if head[::2].count(0) > len(head) // 4:
        yield "utf-16-be"
    yield "utf-8"
    yield "cp1252"
