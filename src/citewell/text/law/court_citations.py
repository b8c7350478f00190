"""Compares citations of reporters as registries and authors write them."""

from __future__ import annotations

import re

# 576 U.S. 644, 12 F. Supp. 3d 45, 2015-Ohio-1234 is no such form and compared as a whole.
REPORTER_CITATION_PATTERN = re.compile(
    r"(?P<volume>\d{1,4})\s{1,3}(?P<reporter>[A-Z][A-Za-z0-9.'&\- ]{0,39}?)\s{1,3}(?P<page>[0-9]{1,6}[A-Za-z]?|[ivxlc]{1,8})"
)
# Collections of statutes and regulations are cited in the same form.
_CODE_PATTERN = re.compile(
    r"U\. ?S\. ?C\.|USC|C\. ?F\. ?R|CFR|\bStat|\bCode|\bReg\.|^F\.?R\.?$|C\.S\."
)
_EMBEDDED_CITATION_PATTERN = re.compile(
    r"(?<![\w.-])\d{1,4} {1,3}(?P<reporter>[A-Z][A-Za-z.'& ]{0,25}(?:\.|\. ?\dd|\. ?\dth)) {1,3}\d{1,6}(?![\w-])"
)
_MAX_CITATION_CHARS = 120
_MAX_QUERY_CHARS = 500


def is_reporter_citation(text: str) -> bool:
    """Whether the whole text is one citation of a reporter: volume, reporter, page; 42 U.S.C. 1983 is not."""
    match = REPORTER_CITATION_PATTERN.fullmatch(text.strip()[:_MAX_CITATION_CHARS])
    return match is not None and _CODE_PATTERN.search(match["reporter"]) is None


def find_reporter_citation(text: str) -> str | None:
    """The first citation in a query such as Roe v. Wade, 410 U.S. 113 (1973); None if it has none.

    Inside a text only abbreviated reporters count: "10 Cases 2015" is no citation.
    """
    if is_reporter_citation(text):
        return " ".join(text.split())
    for match in _EMBEDDED_CITATION_PATTERN.finditer(text[:_MAX_QUERY_CHARS]):
        if _CODE_PATTERN.search(match["reporter"]) is None:
            return " ".join(match.group().split())
    return None


def build_citation_key(citation: str) -> str:
    """The citation without what is written in different ways: spaces, dots and capitals.

    576 U. S. 644 and 576 U.S. 644 have the same key; volume, reporter and page stay apart, so that
    1 F. 23 and 1 F.2 3 do not.
    """
    words = citation.strip()[:_MAX_CITATION_CHARS].casefold().split()
    parts = [words[0], "".join(words[1:-1]), words[-1]] if len(words) > 2 else words
    return " ".join("".join(filter(str.isalnum, part)) for part in parts)
