"""Parses reference lists written as prose, in any citation style.

Links and identifiers are found by patterns; the rest is read by a learned tagger, because styles
differ too much for rules (`reference_tagger`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.citations import legal_citations
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import (
    author_lists,
    misread_fields,
    reference_identifiers,
    reference_splitting,
    tagged_fields,
)
from citewell.text.references.field_cleaning import (
    MAX_PROSE_REFERENCES,
    PROSE_LIMIT_REASON,
    clean_reference_value,
    extract_damage_excerpt,
)
from citewell.text.references.reference_noise import LINK_PATTERN, blank_reference_noise
from citewell.text.references.reference_tagger import TaggerWeights

_YEAR_REGEX = r"(?:1[4-9]|20)\d\d"
_SAME_AUTHOR_DASH_PATTERN = re.compile(r"[-–—_]{2,6}[.,]\s{1,3}")
_GAP_MARK_PATTERN = re.compile(r"(?<=\w) ([.,;])(?=\s|$)")  # the stop after what was blanked out
_LETTER_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
MAX_REFERENCE_CHARS = 4000  # characters


def parse_prose_document(text: str) -> BibliographyDocument:
    references: list[Reference] = []
    malformed: list[MalformedEntry] = []
    for item in reference_splitting.split_reference_items(text):
        if len(references) + len(malformed) >= MAX_PROSE_REFERENCES:
            malformed.append(MalformedEntry(line=item.line, reason=PROSE_LIMIT_REASON))
            break
        whole = clean_reference_value(item.text)
        if not (
            _LETTER_WORD_PATTERN.search(whole)
            or reference_identifiers.find_ids_in_text(whole)
            or legal_citations.find_legal_citation(whole)
        ):
            reason = "The reference has no words." if whole else "The reference is empty."
            malformed.append(
                MalformedEntry(line=item.line, reason=reason, excerpt=extract_damage_excerpt(whole))
            )
            continue
        if len(whole) > MAX_REFERENCE_CHARS:
            reason = f"The reference is too long; only its first {MAX_REFERENCE_CHARS} characters are read."
            malformed.append(
                MalformedEntry(line=item.line, reason=reason, excerpt=extract_damage_excerpt(whole))
            )
        before = references[-1] if references else None
        found = parse_prose_reference(whole[:MAX_REFERENCE_CHARS], before=before)
        references.append(replace(found, key=item.number, line=item.line))
    return BibliographyDocument(
        format="prose", references=tuple(references), malformed=tuple(malformed)
    )


def parse_prose_reference(
    text: str, *, before: Reference | None = None, weights: TaggerWeights | None = None
) -> Reference:
    """One parsed reference; a dash in place of its authors means those of `before`."""
    links = [link.rstrip(".,;)]>") for link in LINK_PATTERN.findall(text)]
    same = _SAME_AUTHOR_DASH_PATTERN.match(text)
    body = _GAP_MARK_PATTERN.sub(r"\1", " ".join(blank_reference_noise(text).split()))
    fields = misread_fields.mend_misread_fields(
        body, tagged_fields.read_tagged_fields(body, weights)
    )
    authors = author_lists.parse_author_list(fields.authors)
    if same:
        authors = author_lists.AuthorList()
    if same and before is not None:
        authors = author_lists.AuthorList(people=before.authors, and_others=before.and_others)
    published = parse_partial_date(fields.date) or _find_likely_year(body)
    return Reference(
        raw=text,
        title=fields.title,
        authors=authors.people,
        year=extract_year(published),
        published=published,
        venue=fields.venue,
        volume=fields.volume,
        issue=fields.issue,
        pages=fields.pages,
        publisher=fields.publisher,
        url=next((link for link in links if "doi.org/" not in link.lower()), ""),
        ids=reference_identifiers.find_ids_in_text(text),
        and_others=authors.and_others,
    )


def _find_likely_year(text: str) -> str:
    """The most likely date: the one in brackets, else the last year; empty if there is none."""
    bracketed = re.search(rf"\(([^()]{{0,20}}{_YEAR_REGEX}[^()]{{0,20}})\)", text)
    if bracketed is not None:
        return parse_partial_date(bracketed[1])
    years = re.findall(rf"(?<![\d–-]){_YEAR_REGEX}(?![\d–-])", text)
    return parse_partial_date(years[-1]) if years else ""
