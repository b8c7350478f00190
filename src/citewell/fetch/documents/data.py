"""JSON and XML: checked, then given as they are written, since their structure is their meaning."""

from __future__ import annotations

import json

from citewell.fetch.charset import decode
from citewell.fetch.documents import trees
from citewell.fetch.documents.document import Broken, Parsed
from citewell.fetch.documents.plain import clean

_LONG_LINE = 2000  # characters; JSON on one line is laid out for reading


def read_json(body: bytes, content_type: str) -> Parsed:
    text = clean(decode(body, content_type=content_type).text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Parsed(
            markdown=text, notes=("The JSON is not well formed; its text is given as it is.",)
        )
    if "\n" not in text and len(text) > _LONG_LINE:
        text = json.dumps(value, ensure_ascii=False, indent=1)
    return Parsed(markdown=text)


def read_xml(body: bytes, content_type: str) -> Parsed:
    text = clean(decode(body, content_type=content_type).text)
    try:
        root = trees.parse_text(text)
    except Broken:
        return Parsed(
            markdown=text, notes=("The XML is not well formed; its text is given as it is.",)
        )
    title = next(
        (
            trees.said(item)
            for item in root.iter()
            if trees.local(item) in {"title", "article-title"}
        ),
        None,
    )
    return Parsed(markdown=text, title=title)
