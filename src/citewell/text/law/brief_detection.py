"""Tells a brief, whose running text cites cases, from a list of references."""

from __future__ import annotations

import re

_MAX_LOOK_CHARS = 400_000  # characters that are looked at
_CASE_CITATION_PATTERN = re.compile(
    r"(?<![\w.])\d{1,4}\s{1,3}(?:U\. ?S\.|S\. ?Ct\.|L\. ?Ed\.|F\.|F\. ?Supp\.|B\. ?R\.|[A-Z][A-Za-z.']{0,9})(?: ?(?:App\.|2d|3d|4th|5th|Supp\.|Ct\.|Rptr\.)){0,3}\s{1,3}(?:\d{1,5}|_{2,4})(?![\w/])"
    r"|[\[(](?:19|20)\d\d[\])] (?:UK|EW)[A-Z]{1,5}(?: Civ| Crim)? \d|\bECLI:[A-Z]{2}:|\b[CT][-‑–]\d{1,4}/\d\d\b|\b\d{1,2} C\. ?F\. ?R\. |\b20\d\d WL \d{5,}"
)
_CASE_SIGN_PATTERN = re.compile(
    r" vs?\. |\bIn re |\bEx parte |[\[(](?:19|20)\d\d[\])] (?:UK|EW)|ECLI:|\b[CT][-‑–]\d{1,4}/\d\d\b"
)
_FAMILIAR_REPORTER_PATTERN = re.compile(
    r"\d\s{1,3}(?:U\. ?S\.|S\. ?Ct\.|F\. ?(?:2d|3d|4th|Supp\.))"
)
_PAPER_SIGN_PATTERN = re.compile(
    r"\b10\.\d{4,9}/|\bdoi\b|\barXiv\b|\bISBN\b|\bet al\., \d|\bpp\. \d|\bJournal of\b|\bUniversity Press\b"
)
_PROSE_SIGN_PATTERN = re.compile(
    r"\b(?:Id\.|supra|[Ss]ee (?:also |generally )?[A-Z]|e\.g\.|held|holds|holding|argues?|motion|plaintiffs?|defendants?|appell(?:ant|ee)|petitioner|respondent|judgment|pursuant|jurisdiction|the Court|this Court)\b",
    re.IGNORECASE,
)
_MIN_WORDS_PER_PROSE_SIGN = 120


def cites_cases(text: str) -> bool:
    """Whether a text in prose cites a case anywhere, whatever else it cites."""
    return _CASE_CITATION_PATTERN.search(text) is not None and (
        _CASE_SIGN_PATTERN.search(text) is not None
        or _FAMILIAR_REPORTER_PATTERN.search(text) is not None
    )


def is_brief_text(text: str) -> bool:
    """Whether the cases that a text cites are to be checked, rather than its entries as references.

    That is so for running text with citations of cases, and for a table of nothing but cases.
    """
    text = text[:_MAX_LOOK_CHARS]
    cases = len(_CASE_CITATION_PATTERN.findall(text))
    if not cases or not _CASE_SIGN_PATTERN.search(text):
        return False
    papers = len(_PAPER_SIGN_PATTERN.findall(text))
    if papers >= cases:
        return False
    signs = len(_PROSE_SIGN_PATTERN.findall(text))
    words = text.count(" ") + text.count("\n")
    if signs >= 2 and words <= signs * _MIN_WORDS_PER_PROSE_SIGN:
        return True
    entries = sum(1 for line in text.splitlines() if len(line.strip()) > 12)
    return not papers and cases * 10 >= entries * 8
