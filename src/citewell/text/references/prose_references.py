"""Parses reference lists written as prose, in any citation style.

Styles differ in punctuation, but the order is the same: authors, perhaps a date, title, imprint. So
the title is found first, by its quotation marks, the date before it, or the end of the names; the
text before it is the authors, and the text after it the imprint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.citations import legal_citations
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import (
    author_lists,
    imprints,
    reference_identifiers,
    reference_splitting,
    unusual_forms,
)
from citewell.text.references.field_cleaning import (
    MAX_PROSE_REFERENCES,
    PROSE_LIMIT_REASON,
    clean_reference_value,
    extract_damage_excerpt,
)

_YEAR_REGEX = r"(?:1[4-9]|20)\d\d"
_BRACKETED_DATE_PATTERN = re.compile(
    rf"\s?\((?P<date>{_YEAR_REGEX}[a-z]?(?:[,/–-]\s?[^()]{{1,30}})?|n\.\s?d\.|no date|in press|forthcoming)\)[.,:]?\s",
    re.IGNORECASE,
)
_STOPPED_DATE_PATTERN = re.compile(
    rf"(?<=[.)\]’”\"])\s(?P<date>{_YEAR_REGEX}[a-z]?(?=\.)|n\.d(?=\.))\.\s(?=\S)", re.IGNORECASE
)
_QUOTED_TITLE_PATTERN = re.compile(
    r"[“\"«„](?P<title>[^“”\"«»„]{3,500}|[^“”«»„]{3,500})[”\"»“](?P<after>[.,;]?)(?=\s|$)"
    r"|‘(?P<single>[^‘]{3,500}?)’(?P<behind>[.,;]?)(?=\s|$)"
)
_SAME_AUTHOR_DASH_PATTERN = re.compile(r"[-–—_]{2,6}[.,]\s{1,3}")
_REFERENCE_LINK_PATTERN = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_IDENTIFIER_NOISE_PATTERN = re.compile(
    r"\bdoi:?\s{0,2}10\.\S+|\b10\.\d{4,9}/\S+|\b(?:pmid|pmcid):?\s{0,2}\w+|\bPMC\d{4,9}\b"
    r"|(?:,\s)?\barxiv:\s?\d{4}\.\d{4,5}(?:v\d+)?(?:\s?\[[\w.-]+\])?|\bisbn(?:-1[03])?:?\s{0,2}[\dxX -]{10,20}"
    r"|\s?\[(?:online|internet|cited[^\]]{0,30}|accessed[^\]]{0,30})\]|\bavailable(?: (?:at|from|online)\b:?|:)"
    r"|\(?\b(?:last )?accessed:?(?:\son)?\s(?:\d{1,2}\s)?[^\W\d_]{3,9}\.?\s(?:\d{1,2},?\s)?\d{4}\)?(?:\.|$)?|\bretrieved\s(?:[^.]{4,30}?,?\s)?from\b:?|\bretrieved\s{0,2}$|\bdoi:\s?$",
    re.IGNORECASE,
)
_TITLE_BRACKET_PATTERN = re.compile(
    r"\s{0,2}(?:\[[^\[\]]{2,60}\]|\((?:[^()]{0,20}\b(?:ed|edn|edition)\b\.?[^()]{0,20}|Version [^()]{1,20}|Vol\.[^()]{1,20}|No\.[^()]{1,20}|Report [^()]{1,30})\))\s{0,2}$",
    re.IGNORECASE,
)
_TITLE_END_PATTERN = re.compile(
    r"(?<!\b[A-ZÀ-ÞА-Я])(?<!\bvs)(?<!\bSt)(?<!\bDr)(?<!\bspp)(?<!\bsp)(?<!\bvar)(?<!\bno)(?<!\bpp)(?<!\bvol)[.?!](?:[”\"])?\s(?=[^\W_a-z]|[“\"(\[]|in\s[A-Z]|arXiv|bioRxiv|medRxiv|eLife|npj|mBio|iScience)"
)
_TITLE_EDITION_PATTERN = re.compile(
    r",\s(?:\d{1,2}(?:st|nd|rd|th)|rev\.|first|second|third)\s(?:ed|edition)$", re.IGNORECASE
)
_LETTER_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
_MAX_REFERENCE_CHARS = 4000  # characters


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
        if len(whole) > _MAX_REFERENCE_CHARS:
            reason = f"The reference is too long; only its first {_MAX_REFERENCE_CHARS} characters are read."
            malformed.append(
                MalformedEntry(line=item.line, reason=reason, excerpt=extract_damage_excerpt(whole))
            )
        before = references[-1] if references else None
        found = parse_prose_reference(whole[:_MAX_REFERENCE_CHARS], before=before)
        references.append(replace(found, key=item.number, line=item.line))
    return BibliographyDocument(
        format="prose", references=tuple(references), malformed=tuple(malformed)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProseParts:
    authors: str = ""
    date: str = ""
    title: str = ""
    imprint_text: str = ""


def parse_prose_reference(text: str, *, before: Reference | None = None) -> Reference:
    """One parsed reference; a dash in place of its authors means those of `before`."""
    links = [link.rstrip(".,;)]>") for link in _REFERENCE_LINK_PATTERN.findall(text)]
    body = _strip_links_and_ids(text)
    same = _SAME_AUTHOR_DASH_PATTERN.match(body)
    parts = _split_reference_parts(body[same.end() :] if same else body)
    authors = author_lists.parse_author_list(parts.authors)
    if same and before is not None:
        authors = author_lists.AuthorList(people=before.authors, and_others=before.and_others)
    published = (
        parse_partial_date(parts.date)
        or _find_likely_year(parts.imprint_text)
        or _find_likely_year(body)
    )
    where = imprints.parse_imprint(parts.imprint_text)
    return Reference(
        raw=text,
        title=parts.title,
        authors=authors.people,
        year=extract_year(published),
        published=published,
        venue=where.venue,
        volume=where.volume,
        issue=where.issue,
        pages=where.pages,
        publisher=where.publisher,
        url=next((link for link in links if "doi.org/" not in link.lower()), ""),
        ids=reference_identifiers.find_ids_in_text(text),
        and_others=authors.and_others,
    )


def _strip_links_and_ids(text: str) -> str:
    """The reference without links, identifiers and access dates."""
    bare = (
        _IDENTIFIER_NOISE_PATTERN.sub(" ", _REFERENCE_LINK_PATTERN.sub(" ", text))
        .replace(" .", ".")
        .replace("..", ".")
    )
    return " ".join(bare.split()).strip(" ,;")


def _split_reference_parts(body: str) -> _ProseParts:
    dated = _find_date_before_title(_BRACKETED_DATE_PATTERN, body) or _find_date_before_title(
        _STOPPED_DATE_PATTERN, body
    )
    quoted = _QUOTED_TITLE_PATTERN.search(body)
    if quoted is not None and _is_quoted_title(quoted, body, dated):
        head = body[: quoted.start()]
        when = dated["date"] if dated and dated.end() <= quoted.start() + 1 else ""
        authors = body[: dated.start()] if when and dated else _strip_trailing_year(head)
        return _ProseParts(
            authors=authors,
            date=when,
            title=_clean_reference_title(_extract_quoted_title(quoted)),
            imprint_text=body[quoted.end() :],
        )
    if dated is not None:
        return _split_after_date(body, dated)
    if (shaped := unusual_forms.parse_unusual_form(body)) is not None:
        return _convert_unusual_parts(shaped)
    return _split_undated_reference(body)


def _convert_unusual_parts(parts: unusual_forms.UnusualParts) -> _ProseParts:
    title, tail = (
        _split_title_sentence(parts.title_and_imprint)
        if parts.title_and_imprint
        else (parts.title, parts.imprint_text)
    )
    return _ProseParts(
        authors=parts.authors,
        date=parts.date,
        title=_clean_reference_title(title),
        imprint_text=tail,
    )


def _find_date_before_title(pattern: re.Pattern[str], body: str) -> re.Match[str] | None:
    """A date that is followed by enough words for a title; None if there is none."""
    match = pattern.search(body + " ")
    if (
        match is None
        or len(_LETTER_WORD_PATTERN.findall(body[match.end() : match.end() + 300])) < 2
    ):
        return None
    return match


def _is_quoted_title(quoted: re.Match[str], body: str, dated: re.Match[str] | None) -> bool:
    """Whether the quoted text is the title: only authors and a date may come before it."""
    before = body[: quoted.start()].rstrip()
    if dated is not None and dated.end() < quoted.start():
        return not body[dated.end() : quoted.start()].strip()
    closed = _extract_quoted_title(quoted).rstrip()[-1:] in ".,?!" or bool(
        quoted["after"] or quoted["behind"]
    )
    return closed and (not before or before[-1] in ".,:)" or before.endswith("al"))


def _extract_quoted_title(quoted: re.Match[str]) -> str:
    return quoted["title"] or quoted["single"]


def _strip_trailing_year(head: str) -> str:
    return re.sub(rf"[\s(,]{{1,3}}{_YEAR_REGEX}[a-z]?\)?[.,:]?\s{{0,2}}$", "", head)


def _clean_reference_title(text: str) -> str:
    text = text.strip(" ,")
    while (shorter := _TITLE_BRACKET_PATTERN.sub("", text)) != text:
        text = shorter
    return _TITLE_EDITION_PATTERN.sub("", text.rstrip(".")).strip(" ,;:")


def _split_after_date(body: str, dated: re.Match[str]) -> _ProseParts:
    head, rest = body[: dated.start()], body[dated.end() :]
    if author_lists.is_likely_title(head):
        return _ProseParts(
            date=dated["date"], title=_clean_reference_title(head), imprint_text=rest
        )
    title, tail = _split_title_sentence(rest)
    return _ProseParts(
        authors=head, date=dated["date"], title=_clean_reference_title(title), imprint_text=tail
    )


def _split_undated_reference(body: str) -> _ProseParts:
    """The parts of a reference without a date: the title starts after the names, if there are any."""
    end = author_lists.find_author_list_end(body)
    title, tail = _split_title_sentence(body[end:])
    return _ProseParts(
        authors=body[:end].rstrip(), title=_clean_reference_title(title), imprint_text=tail
    )


def _split_title_sentence(text: str) -> tuple[str, str]:
    """The title and the text after it.

    A question or exclamation mark ends the title only if an imprint seems to follow.
    """
    for found in _TITLE_END_PATTERN.finditer(text):
        if text[found.start()] == ".":
            return text[: found.start()], text[found.end() :]
        further = _TITLE_END_PATTERN.search(text, found.end())
        between = text[found.end() : further.start()] if further else ""
        dated = further is not None and text[further.end() : further.end() + 1].isdigit()
        if not between or dated or any(char.isdigit() for char in between):
            return text[: found.start() + 1], text[found.end() :]
    return text, ""


def _find_likely_year(text: str) -> str:
    """The most likely date: the one in brackets, else the last year; empty if there is none."""
    bracketed = re.search(rf"\(([^()]{{0,20}}{_YEAR_REGEX}[^()]{{0,20}})\)", text)
    if bracketed is not None:
        return parse_partial_date(bracketed[1])
    years = re.findall(rf"(?<![\d–-]){_YEAR_REGEX}(?![\d–-])", text)
    return parse_partial_date(years[-1]) if years else ""
