"""Reads CSL style files, and formats works with citeproc-py. Runs in worker processes only.

A style file is foreign XML, and citeproc-py was not written for hostile ones.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

MAX_STYLE_BYTES = 2_000_000  # bytes; the largest official style has 250,000
_MAX_STYLE_DEPTH = 200
_MAX_STYLE_ELEMENTS = 100_000
_CSL_NAMESPACE = "{http://purl.org/net/xbiblio/csl}"
# citeproc-py writes the number of an entry without the space that a page would show.
_TIGHT_NUMBER_PATTERN = re.compile(r"\A(\d{1,6}\.|\[\d{1,6}\]|\(\d{1,6}\))(?=[^\s\d])")
_PARENT_LINK = "independent-parent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CslStyleFacts:
    title: str
    parent: str = ""  # the name of the style whose rules this one uses


def read_style_facts(style: bytes) -> CslStyleFacts:
    """The style's title, and its parent if it has no rules of its own. Raises InvalidInput if it is no style."""
    try:
        root = parse_xml_tree(style, max_depth=_MAX_STYLE_DEPTH, max_elements=_MAX_STYLE_ELEMENTS)
    except UnusableXml as error:
        raise InvalidInput(f"The file is not a CSL style: {error}") from None
    if root.tag != f"{_CSL_NAMESPACE}style":
        raise InvalidInput("The file is XML, but not a CSL style.")
    info = root.find(f"{_CSL_NAMESPACE}info")
    title = "" if info is None else info.findtext(f"{_CSL_NAMESPACE}title", "")
    links = [] if info is None else info.findall(f"{_CSL_NAMESPACE}link")
    parents = [link.get("href", "") for link in links if link.get("rel") == _PARENT_LINK]
    if not parents and root.find(f"{_CSL_NAMESPACE}bibliography") is None:
        raise InvalidInput("This CSL style has no bibliography; it is for notes only.")
    parent = parents[0].rstrip("/").rpartition("/")[2] if parents else ""
    return CslStyleFacts(title=" ".join(title.split()), parent=parent)


def render_csl_entries(style: bytes, records: list[dict[str, Any]]) -> list[str]:
    """The works as lines of text, in the style's own order."""
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle
    from citeproc.formatter import plain
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every field that it does not know
        try:
            made = CitationStylesStyle(io.BytesIO(style), validate=False, locale="en-US")
            shelf = CitationStylesBibliography(made, CiteProcJSON(records), plain)
            shelf.register(Citation([CitationItem(record["id"]) for record in records]))
            shelf.sort()
            return [
                _TIGHT_NUMBER_PATTERN.sub(r"\1 ", " ".join(str(line).split()))
                for line in shelf.bibliography()
            ]
        except Exception as error:  # noqa: BLE001 - whatever the library raises, the style caused it
            name = type(error).__name__
            raise InvalidInput(f"citeproc-py cannot use this style ({name}).") from None
