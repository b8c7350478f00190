"""Converts HTML inside a document (chapter, e-mail, feed entry) to markdown, all of it."""

from __future__ import annotations

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents.document_text import ParsedDocument

_HIDDEN_ELEMENT_SELECTOR = (
    "script, style, template, [hidden], [style*='display:none'], [style*='display: none']"
)


def convert_html_fragment(html: str, *, base: str = "") -> str:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.markup_limits import limit_markup
    from citewell.fetch.markdown.markdown_writer import render_markdown

    tree = LexborHTMLParser(limit_markup(html))
    for node in tree.css(_HIDDEN_ELEMENT_SELECTOR):
        node.decompose()
    return render_markdown(tree.body, base=base) if tree.body is not None else ""


def read_html_document(body: bytes, *, url: str, content_type: str) -> ParsedDocument:
    """An HTML file read as a document: converted whole, without extraction of the main content."""
    from selectolax.lexbor import LexborHTMLParser

    html = decode_body(body, content_type=content_type).text
    node = LexborHTMLParser(html[:100_000]).css_first("title")
    title = " ".join(node.text().split()) if node is not None else ""
    return ParsedDocument(markdown=convert_html_fragment(html, base=url), title=title or None)
