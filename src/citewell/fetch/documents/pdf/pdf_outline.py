"""The titles in a PDF's outline (its bookmarks), by the page that each leads to."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from citewell.fetch.documents.pdf.pdfium import PdfiumFailure

_MAX_OUTLINE_ENTRIES = 5000
_MAX_OUTLINE_DEPTH = 12
_TITLE_NUMBER_PATTERN = re.compile(
    r"(?:(?:chapter|section|part|appendix|kapitel|chapitre|abschnitt|anhang|глава)\s+)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,5}|[a-z]\d{0,2}(?=[.)])|[ivxlc]{1,6}(?=[.)]))[.):]?\s+",
    re.IGNORECASE,
)


def read_outline_titles(document: Any) -> dict[int, dict[str, int]]:
    """For each page the normalised titles that lead to it, with their depth from 1."""
    titles: dict[int, dict[str, int]] = {}
    try:
        for count, mark in enumerate(document.get_toc(max_depth=_MAX_OUTLINE_DEPTH)):
            if count >= _MAX_OUTLINE_ENTRIES:
                break
            target = mark.get_dest()
            page = target.get_index() if target else None
            title = normalize_heading_text(mark.get_title() or "")
            if page is not None and title:
                titles.setdefault(page, {}).setdefault(title, mark.level + 1)
    except (PdfiumFailure, ValueError, UnicodeError):
        return titles
    return titles


def normalize_heading_text(text: str) -> str:
    """Only the letters and digits of a heading, without its number, for comparing two of them."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    bare = _TITLE_NUMBER_PATTERN.sub("", plain, count=1)
    return "".join(filter(str.isalnum, bare)) or "".join(filter(str.isalnum, plain))
