"""Reads plain text and markdown: decodes, normalizes line ends, removes control characters."""

from __future__ import annotations

import re

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents.document_text import ParsedDocument
from citewell.text.web.markdown_headings import find_first_heading

_CONTROL_CHARACTER_PATTERN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TERMINAL_ESCAPE_PATTERN = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")  # colour codes of a terminal
_OVERSTRIKE_PATTERN = re.compile("[^\n]\x08")  # how line printers write bold and underlined text


def clean_text_document(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    if "\x08" in text:
        text = _OVERSTRIKE_PATTERN.sub("", text)
    return _CONTROL_CHARACTER_PATTERN.sub("", _TERMINAL_ESCAPE_PATTERN.sub("", text))


def read_text_document(body: bytes, content_type: str) -> ParsedDocument:
    return ParsedDocument(
        markdown=clean_text_document(decode_body(body, content_type=content_type).text)
    )


def read_markdown_document(body: bytes, content_type: str) -> ParsedDocument:
    text = clean_text_document(decode_body(body, content_type=content_type or "charset=utf-8").text)
    return ParsedDocument(markdown=text, title=find_first_heading(text) or None)
