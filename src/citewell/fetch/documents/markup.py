"""HTML found inside a document (a chapter, a mail, a feed's summary) to markdown, all of it."""

from __future__ import annotations

from citewell.fetch.charset import decode
from citewell.fetch.documents.document import Parsed

_UNSEEN = "script, style, template, [hidden], [style*='display:none'], [style*='display: none']"


def html_markdown(html: str, *, base: str = "") -> str:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.limits import tame
    from citewell.fetch.markdown.writer import write

    tree = LexborHTMLParser(tame(html))
    for node in tree.css(_UNSEEN):
        node.decompose()
    return write(tree.body, base=base) if tree.body is not None else ""


def read_html(body: bytes, *, url: str, content_type: str) -> Parsed:
    """A whole page that came under a document's name; its main content is not looked for."""
    from selectolax.lexbor import LexborHTMLParser

    html = decode(body, content_type=content_type).text
    node = LexborHTMLParser(html[:100_000]).css_first("title")
    title = " ".join(node.text().split()) if node is not None else ""
    return Parsed(markdown=html_markdown(html, base=url), title=title or None)
