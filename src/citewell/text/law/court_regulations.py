"""Citations of US regulations: the Code of Federal Regulations and the Federal Register."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CFR_PATTERN = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2})\s{1,3}c\.?\s?f\.?\s?r\.?\s{0,3}"
    r"(?:(?:\u00a7{1,2}|sections?|secs?\.|parts?|pts?\.)\s{0,3})?"
    r"(?P<part>\d{1,5})(?:\.(?P<section>\d[\w-]{0,15}))?(?![\w-])",
    re.IGNORECASE,
)
_REGISTER_PATTERN = re.compile(
    r"(?<![\w.])(?P<volume>\d{1,3})\s{1,3}(?:f\.?r\.?|fed\.\s{0,3}reg\.)\s{1,3}(?P<page>\d{1,3}(?:,\d{3})|\d{1,6})(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CfrPlace:
    """A part or a section of the Code of Federal Regulations."""

    title: int
    part: str
    section: str | None = None  # with its part: 240.10b-5

    @property
    def citation(self) -> str:
        return f"{self.title} CFR {self.section or self.part}"


def find_cfr_place(text: str) -> CfrPlace | None:
    """The first place of the Code that the text cites; paragraphs such as (b)(1) are left out."""
    match = _CFR_PATTERN.search(text[:500])
    if match is None:
        return None
    section = f"{match['part']}.{match['section']}" if match["section"] else None
    return CfrPlace(title=int(match["title"]), part=match["part"], section=section)


def find_register_page(text: str) -> tuple[int, int] | None:
    """Volume and page of the first citation of the Federal Register; None if there is none."""
    match = _REGISTER_PATTERN.search(text[:500])
    return (int(match["volume"]), int(match["page"].replace(",", ""))) if match else None
