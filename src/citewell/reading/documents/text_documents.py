"""Reads JSON, XML, HTML, markdown and plain text documents, and HTML inside other documents."""

from __future__ import annotations

import json
import re

from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_text import Broken, DocumentRequest, DocumentText
from citewell.reading.page_charset import decode_body
from citewell.text.passages.markdown_blocks import find_first_heading

_HIDDEN_ELEMENT_SELECTOR = (
    "script, style, template, [hidden], [style*='display:none'], [style*='display: none']"
)

_CONTROL_CHARACTER_PATTERN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TERMINAL_ESCAPE_PATTERN = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")  # colour codes of a terminal
_OVERSTRIKE_PATTERN = re.compile("[^\n]\x08")  # how line printers write bold and underlined text

_LONG_LINE_CHARS = 2000  # characters; a longer single line of JSON is indented


def read_json_document(job: DocumentRequest) -> DocumentText:
    text = _decode_document(job)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return DocumentText(
            markdown=text, notes=("The JSON is not well formed; its text is returned unchanged.",)
        )
    if "\n" not in text and len(text) > _LONG_LINE_CHARS:
        text = json.dumps(value, ensure_ascii=False, indent=1)
    return DocumentText(markdown=text)


def read_xml_document(job: DocumentRequest) -> DocumentText:
    text = _decode_document(job)
    try:
        root = xml_tree.parse_xml_text(text)
    except Broken:
        return DocumentText(
            markdown=text, notes=("The XML is not well formed; its text is returned unchanged.",)
        )
    title = next(xml_tree.find_descendants(root, "title", "article-title"), None)
    return DocumentText(markdown=text, title=xml_tree.join_element_text(title) or None)


# Reads plain text and markdown: decodes, normalizes line ends, removes control characters.


def _decode_document(job: DocumentRequest, usual_type: str = "") -> str:
    text = decode_body(job.body, content_type=job.content_type or usual_type).text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    if "\x08" in text:
        text = _OVERSTRIKE_PATTERN.sub("", text)
    return _CONTROL_CHARACTER_PATTERN.sub("", _TERMINAL_ESCAPE_PATTERN.sub("", text))


def read_text_document(job: DocumentRequest) -> DocumentText:
    return DocumentText(markdown=_decode_document(job))


def read_markdown_document(job: DocumentRequest) -> DocumentText:
    text = _decode_document(job, "charset=utf-8")
    return DocumentText(markdown=text, title=find_first_heading(text) or None)


# Converts HTML inside a document (chapter, e-mail, feed entry) to markdown, all of it.


def convert_html_fragment(html: str, *, base: str = "") -> str:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.html.markup_limits import limit_markup
    from citewell.reading.markdown.markdown_writer import render_markdown

    tree = LexborHTMLParser(limit_markup(html))
    for node in tree.css(_HIDDEN_ELEMENT_SELECTOR):
        node.decompose()
    return render_markdown(tree.body, base=base) if tree.body is not None else ""


def read_html_document(job: DocumentRequest) -> DocumentText:
    """An HTML file read as a document: converted whole, without extraction of the main content."""
    from selectolax.lexbor import LexborHTMLParser

    html = decode_body(job.body, content_type=job.content_type).text
    node = LexborHTMLParser(html[:100_000]).css_first("title")
    title = " ".join(node.text().split()) if node is not None else ""
    return DocumentText(markdown=convert_html_fragment(html, base=job.url), title=title or None)
