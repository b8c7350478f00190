"""Which text of a tagged PDF page its author marked as a heading."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from citewell.fetch.documents.pdf.pdfium import PDFIUM_API

_HEADING_TAG_PATTERN = re.compile(r"H(?:eading)?[ _]?([1-6])", re.IGNORECASE)
_MAX_TAG_NODES = 20_000
_MAX_TAG_DEPTH = 40
_MAX_TAG_BYTES = 128


def read_heading_tags(page: Any) -> dict[int, int]:
    """The heading level of each piece of marked content that stands in a heading."""
    tree = PDFIUM_API.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return {}
    try:
        count = PDFIUM_API.FPDF_StructTree_CountChildren(tree)
        tops = [PDFIUM_API.FPDF_StructTree_GetChildAtIndex(tree, n) for n in range(count)]
        return _collect_heading_levels(tops)
    finally:
        PDFIUM_API.FPDF_StructTree_Close(tree)


def _collect_heading_levels(tops: list[Any]) -> dict[int, int]:
    levels: dict[int, int] = {}
    waiting = [(element, 0, 0) for element in reversed(tops) if element]
    seen = 0
    while waiting and seen < _MAX_TAG_NODES:
        element, level, depth = waiting.pop()
        seen += 1
        level = level or _read_heading_level(element)
        for n in range(PDFIUM_API.FPDF_StructElement_CountChildren(element)):
            child = PDFIUM_API.FPDF_StructElement_GetChildAtIndex(element, n)
            if child and depth < _MAX_TAG_DEPTH:
                waiting.append((child, level, depth + 1))
            elif level:
                content = PDFIUM_API.FPDF_StructElement_GetChildMarkedContentID(element, n)
                if content >= 0:
                    levels[content] = level
    return levels


def _read_heading_level(element: Any) -> int:
    buffer = ctypes.create_string_buffer(_MAX_TAG_BYTES)
    size = PDFIUM_API.FPDF_StructElement_GetType(element, buffer, _MAX_TAG_BYTES)
    if not 2 < size <= _MAX_TAG_BYTES:
        return 0
    name = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    if name == "Title":
        return 1
    match = _HEADING_TAG_PATTERN.fullmatch(name)
    return int(match[1]) if match else 0
