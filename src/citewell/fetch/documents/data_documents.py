"""Reads JSON and XML documents; the text is kept as written, since its structure is the content."""

from __future__ import annotations

import json

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken, ParsedDocument
from citewell.fetch.documents.plain_text import clean_text_document

_LONG_LINE_CHARS = 2000  # characters; a longer single line of JSON is indented


def read_json_document(body: bytes, content_type: str) -> ParsedDocument:
    text = clean_text_document(decode_body(body, content_type=content_type).text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ParsedDocument(
            markdown=text, notes=("The JSON is not well formed; its text is returned unchanged.",)
        )
    if "\n" not in text and len(text) > _LONG_LINE_CHARS:
        text = json.dumps(value, ensure_ascii=False, indent=1)
    return ParsedDocument(markdown=text)


def read_xml_document(body: bytes, content_type: str) -> ParsedDocument:
    text = clean_text_document(decode_body(body, content_type=content_type).text)
    try:
        root = xml_tree.parse_xml_text(text)
    except Broken:
        return ParsedDocument(
            markdown=text, notes=("The XML is not well formed; its text is returned unchanged.",)
        )
    title = next(
        (
            xml_tree.find_element_text(item)
            for item in root.iter()
            if xml_tree.strip_namespace(item) in {"title", "article-title"}
        ),
        None,
    )
    return ParsedDocument(markdown=text, title=title)
