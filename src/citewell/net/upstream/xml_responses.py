"""Reads XML responses of upstreams: the tree, and the text of its elements."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import Element

from citewell.core.errors import MalformedResponse
from citewell.core.values.counted_words import pluralize
from citewell.net.http.messages import HttpResponse
from citewell.text.safety.text_cleaning import extract_visible_text
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

_MAX_XML_DEPTH = 200
_MAX_XML_ELEMENTS = 1_000_000
# Inline markup that was escaped into text; any other "<" is a sign, as in A<B and C>D.
_INLINE_MARKUP_PATTERN = re.compile(
    r"</?(?:i|b|u|em|strong|italic|bold|sc|sub|sup|p|br|span|tt)\s*/?>", re.IGNORECASE
)


def read_xml_tree(response: HttpResponse) -> Element:
    """The root element. MalformedResponse if it is not XML, is too large, or declares entities."""
    try:
        return parse_xml_tree(
            response.body, max_depth=_MAX_XML_DEPTH, max_elements=_MAX_XML_ELEMENTS
        )
    except UnusableXml:
        message = f"Expected XML and got something else ({len(response.body)} {pluralize(len(response.body), 'byte')})."
        raise MalformedResponse(message, provider=response.provider) from None


def extract_element_text(element: Element | None, path: str = ".") -> str:
    """The text of the first element at `path`, cleaned and on one line; empty if there is none."""
    found = element.find(path) if element is not None else None
    if found is None:
        return ""
    text = _INLINE_MARKUP_PATTERN.sub("", unescape("".join(found.itertext())))
    return " ".join(extract_visible_text(text).split())
