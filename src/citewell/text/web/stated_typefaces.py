"""Finds typefaces that a text states for headings, running text or code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from citewell.model.domains.brand import StatedFont
from citewell.text.data_tables import load_table

_MAX_FONT_LINES = 6000
_MAX_LINE_CHARS = 300
_ROLE = (
    r"(?P<role>headings?|headlines?|titles?|display|body(?: text| copy)?|paragraphs?|text|copy|mono(?:space)?d?|code"
    r"|primary|secondary|brand|main|corporate)"
)
_KIND = r"(?:typefaces?|fonts?|font famil(?:y|ies)|type)"
_FAMILY = r"(?P<family>[A-Z][\w+]{1,30}(?: (?:[A-Z][\w+]{0,30}|\d{1,3})){0,3})"
_GAP = r"[\s:|*_`\"“”'‘’–—-]{0,8}"
# "Headings: Inter", "| Body font | Source Sans 3 |", "Our primary typeface is Inter".
_STATEMENTS = (
    re.compile(rf"\b(?i:{_ROLE}(?: {_KIND})?)[*_`]{{0,3}}\s?[:|–—]{_GAP}{_FAMILY}"),
    re.compile(rf"\b(?i:{_ROLE} {_KIND} (?:is|are))[\s*_`\"“]{{1,6}}{_FAMILY}"),
    re.compile(rf"\b(?i:(?P<role>our|the) {_KIND} is)[\s*_`\"“]{{1,6}}{_FAMILY}"),
    re.compile(rf"^[\W_]{{0,6}}(?i:(?P<role>typeface|font|font family))[*_`]{{0,3}}\s?[:|]{_GAP}{_FAMILY}"),
)  # fmt: skip
_TYPE_SECTION_PATTERN = re.compile(r"typograph|typeface|font", re.IGNORECASE)
_WEIGHT_NAMES = {
    "thin": 100, "extralight": 200, "light": 300, "regular": 400, "medium": 500,
    "semibold": 600, "bold": 700, "extrabold": 800, "black": 900,
}  # fmt: skip
_WEIGHT_PATTERN = re.compile(
    r"\b(thin|extra ?light|light|regular|medium|semi ?bold|extra ?bold|bold|black|[1-9]00)\b",
    re.IGNORECASE,
)
_ROLES_BY_WORD = {
    "head": "heading", "titl": "heading", "disp": "heading", "prim": "heading", "bran": "heading",
    "main": "heading", "corp": "heading", "our": "heading", "the": "heading", "type": "heading",
    "font": "heading", "body": "body", "para": "body", "text": "body", "copy": "body",
    "seco": "body", "mono": "mono", "code": "mono",
}  # fmt: skip


def find_stated_fonts(lines: Sequence[str]) -> tuple[StatedFont, ...]:
    """The first typeface that a markdown text states for each role."""
    found: dict[str, StatedFont] = {}
    heading = ""
    for line in lines[:_MAX_FONT_LINES]:
        short = line[:_MAX_LINE_CHARS]
        if short.startswith("#"):
            heading = short
        font = _read_statement(short, in_section=bool(_TYPE_SECTION_PATTERN.search(heading)))
        if font is not None and font.role not in found:
            found[font.role] = font
    return tuple(found.values())


def _read_statement(line: str, *, in_section: bool) -> StatedFont | None:
    """The statement of a line; outside a section on type the line itself must speak of a typeface."""
    if not in_section and not _TYPE_SECTION_PATTERN.search(line):
        return None
    for pattern in _STATEMENTS:
        match = pattern.search(line)
        if match is None:
            continue
        family = _trim_family(match["family"])
        role = _ROLES_BY_WORD.get(match["role"].lower()[:4]) or _ROLES_BY_WORD.get(
            match["role"].lower()
        )
        if family and role:
            rest = line[match.start("family") + len(family) :]
            return StatedFont(family=family, role=role, weights=_list_weights(rest))
    return None


def _trim_family(words: str) -> str | None:
    """The family without the names of weights; None if the words are no family."""
    parts = words.split()
    while parts and _WEIGHT_PATTERN.fullmatch(parts[-1]):
        parts.pop()
    if not parts or parts[0] in _load_no_families():
        return None
    return " ".join(parts)


@cache
def _load_no_families() -> frozenset[str]:
    """Words that begin with a capital and are no family."""
    return frozenset(load_table(__package__, "no_typeface_names"))


def _list_weights(rest: str) -> tuple[int, ...]:
    named = (match[1].lower().replace(" ", "") for match in _WEIGHT_PATTERN.finditer(rest))
    return tuple(sorted({_WEIGHT_NAMES.get(name) or int(name) for name in named}))
