"""Parses reference lists written as prose, in any citation style.

Links and identifiers are found by patterns; the rest is read by a learned tagger, because styles
differ too much for rules (`reference_tagger`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.citations import official_citations
from citewell.citations.references import (
    author_lists,
    reference_fields,
    reference_splitting,
    tagged_fields,
)
from citewell.citations.references.reference_fields import (
    MAX_PROSE_REFERENCES,
    PROSE_LIMIT_REASON,
    BibliographyDocument,
    MalformedEntry,
    Reference,
    clean_reference_value,
    extract_damage_excerpt,
)
from citewell.citations.references.reference_tagger import TaggerWeights
from citewell.citations.references.tagged_fields import TaggedFields, clean_title, clean_venue
from citewell.text.calendar_dates import extract_year, parse_partial_date

_CAPITAL_REGEX = "[^\\W\\d_a-z]"
_COUNTED_NUMBERS_PATTERN = re.compile(
    r"(?<![\w.(])(?P<volume>[A-Z]?\d{1,4})\s?\((?P<issue>\d[\w/–‐-]{0,9})\)\s?:\s?"
    r"(?P<pages>[A-Za-z]{0,2}\d{1,7}(?:\s?[-–—‐‑−]{1,2}\s?[A-Za-z]{0,2}\d{1,7})?)"
)  # 27(2):97–111
_YEAR_VOLUME_PATTERN = re.compile(
    r"[^\W\d_][.,]?\s(?:[Vv]ol(?:ume|\.)?\s)?(?P<volume>(?:19|20)\d\d)\s?,?\s?\((?P<date>(?:1[5-9]|20)\d\d)\)[,:]?\s?(?:[Aa]rticle\s(?:ID\s)?|p{0,2}\.?\s?)?[A-Za-z]?\d"
    r"|(?<=[,\s])(?P<date2>(?:19|20)\d\d)[,;]\s?(?P<volume2>(?:19|20)\d\d)[,:]\s?[A-Za-z]?\d"
)  # Journal of Sensors 2016 (2020) 1–8; Sensors 2016, 2016, 1–8
_LAW_REVIEW_PATTERN = re.compile(
    r",\s(?P<volume>\d{1,4})\s(?P<venue>(?=[^\d]{0,60}(?:\bL\.|\bRev\b|\bREV\b|\bJ\.))[A-Z][^\d,;:]{2,60})\s"
    r"(?P<pages>\d{1,5})(?:,\s\d{1,5}(?:\s?[-–]\s?\d{1,5})?)?\s\((?P<date>[^()]{0,12}\d{4})\)\.?$"
)  # 144 U. PA. L. REV. 2021, 2024–25 (1996)
_CITED_BOOK_PATTERN = re.compile(
    r"\s(?P<pages>\d{1,4}(?:\s?[-–]\s?\d{1,4})?)\s\((?:[^()]{0,30}\s)?(?:ed|edn)\.\s(?P<date>\d{4})\)\.?$"
)  # Economic Analysis of Law 12 (9th ed. 2014)
_FAMILY_FIRST_REGEX = rf"{_CAPITAL_REGEX}[^\W\d_]{{0,30}}(?:[-\s]{_CAPITAL_REGEX}[^\W\d_]{{1,30}})?"
_INVERTED_NAMES_PATTERN = re.compile(
    rf"{_FAMILY_FIRST_REGEX},\s[^\W\d_][\w'’.\s-]{{0,30}}(?:;\s(?:and\s|&\s)?{_FAMILY_FIRST_REGEX},\s[^\W\d_][\w'’.\s-]{{0,30}}){{1,40}}"
)  # Page, Lawrence; Brin, Sergey
_WHOLE_NAME_REGEX = rf"{_CAPITAL_REGEX}[^\W\d_]{{1,20}}(?:\s{_CAPITAL_REGEX}\.?){{0,2}}\s{_CAPITAL_REGEX}[^\W\d_]{{1,30}}"
_WHOLE_NAMES_PATTERN = re.compile(
    rf"{_WHOLE_NAME_REGEX}(?:,\s(?:and\s|&\s)?{_WHOLE_NAME_REGEX}){{1,40}}"
)  # Ashish Vaswani, Noam Shazeer
_CAPITAL_FAMILY_PATTERN = re.compile(
    r"(?P<author>(?:[^\W\d_a-zß-ÿ]{4,30}[-\s]){1,3}[^\W\d_a-z][a-zß-ÿ]{1,20}(?:-[^\W\d_a-z][a-zß-ÿ]{1,20})?),\s"
    r"(?P<title>(?:(?:Les?|La|Une?|Des?|Du|El|Los|Las|Der|Die|Das|The|An?|Il)\s|L['’])\S[\s\S]{2,400})"
)  # BOURDIEU Pierre, La Distinction
_INITIALED_NAME_PATTERN = re.compile(
    rf"(?P<author>{_FAMILY_FIRST_REGEX},\s(?:{_CAPITAL_REGEX}\.[\s-]?){{1,4}}),\s(?P<title>{_CAPITAL_REGEX}[^\W\d_]{{2,30}}[^.]{{2,300}})"
)  # Schumpeter, J.A., Capitalism
_HOUSE_WORD_PATTERN = re.compile(
    r"\b(?:Press|Verlag|Books|Publish\w{2,5}|[ÉE]dit\w{2,6})\b", re.IGNORECASE
)
_FINAL_HOUSE_PATTERN = re.compile(
    r",\s(?P<publisher>[^,&]{2,40}\s&\s[^,&]{2,40}|[^,]{0,40}\b(?:Press|Verlag|Books|Publish\w{2,5})),?$"
)
_LOST_SENTENCE_PATTERN = re.compile(
    rf"{_CAPITAL_REGEX}[\w'’-]{{1,30}}(?:\s[^\W\d_][\w'’-]{{1,30}}){{2,30}}(?:\s\d{{4}})?"
)
_FINAL_YEAR_PATTERN = re.compile(r"\s(?P<year>(?:1[5-9]|20)\d\d)\.\s")
_YEAR_PATTERN = re.compile(r"(?:1[5-9]|20)\d\d")
_FINAL_SERIES_PATTERN = re.compile(r"[.,]\s(?:RFC|BCP|STD)\s\d{1,5}$")
_NAME_LIST_MARKS_PATTERN = re.compile(r"[,;.&]|\band\b|\bet\b")
_CORNER_TITLE_PATTERN = re.compile(r"「([^「」]{2,300})」")
_CORNER_WORK_PATTERN = re.compile(r"『([^『』]{2,300})』")
_CJK_VOLUME_PATTERN = re.compile(r"第?(\d{1,4})[巻卷]")
_CJK_ISSUE_PATTERN = re.compile(r"第?(\d{1,4})[号期]")

LINK_PATTERN = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_IDENTIFIER_NOISE_PATTERN = re.compile(
    r"\bdoi:?\s{0,2}10\.\S+|\b10\.\d{4,9}/\S+|\b(?:pmid|pmcid):?\s{0,2}\w+|\bPMC\d{4,9}\b"
    r"|(?:,\s)?\barxiv:\s?\d{4}\.\d{4,5}(?:v\d+)?(?:\s?\[[\w.-]+\])?|\bisbn(?:-1[03])?:?\s{0,2}[\dxX -]{10,20}"
    r"|\s?\[(?:online|internet|[JMCDRSP](?:/OL)?|EB/OL|cited[^\]]{0,30}|accessed[^\]]{0,30})\]|\bavailable(?: (?:at|from|online)\b:?|:)"
    r"|\(?\b(?:last )?accessed:?(?:\son)?\s(?:\d{1,2}\s)?[^\W\d_]{3,9}\.?\s(?:\d{1,2},?\s)?\d{4}\)?(?:\.|$)?|\bretrieved\s(?:[^.]{4,30}?,?\s)?from\b:?|\bretrieved\s{0,2}$|\bdoi:\s?$",
    re.IGNORECASE,
)

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
            or reference_fields.find_ids_in_text(whole)
            or official_citations.find_legal_citation(whole)
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
    fields = mend_misread_fields(body, tagged_fields.read_tagged_fields(body, weights))
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
        ids=reference_fields.find_ids_in_text(text),
        and_others=authors.and_others,
    )


def _find_likely_year(text: str) -> str:
    """The most likely date: the one in brackets, else the last year; empty if there is none."""
    bracketed = re.search(rf"\(([^()]{{0,20}}{_YEAR_REGEX}[^()]{{0,20}})\)", text)
    if bracketed is not None:
        return parse_partial_date(bracketed[1])
    years = re.findall(rf"(?<![\d–-]){_YEAR_REGEX}(?![\d–-])", text)
    return parse_partial_date(years[-1]) if years else ""


# Blanks out what stands between the fields of a reference: links, identifiers and access notes.


def blank_reference_noise(text: str) -> str:
    """The reference with spaces in place of links, identifiers and access notes; as long as before."""
    for pattern in (LINK_PATTERN, _IDENTIFIER_NOISE_PATTERN):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


# Mends fields that the tagger misreads, where the marks of a reference leave no doubt.


def mend_misread_fields(text: str, fields: TaggedFields) -> TaggedFields:
    """The fields of a reference without the mistakes that its marks disprove."""
    if law_review := _read_law_footnote(text, fields):
        return law_review
    fields = _find_last_authors(_part_author_from_title(text, fields))
    for mend in (
        _find_lost_title,
        _part_counted_numbers,
        _part_year_volume,
        _read_corner_brackets,
        _keep_title_year,
    ):
        fields = mend(text, fields)
    fields = _choose_journal(fields)
    return replace(fields, title=_FINAL_SERIES_PATTERN.sub("", fields.title))


def _part_year_volume(text: str, fields: TaggedFields) -> TaggedFields:
    """The volume and the year where a journal numbers its volumes by years: "Sensors 2016 (2020) 1–8"."""
    found = _YEAR_VOLUME_PATTERN.search(text)
    if found is None or found.start() < text.find(fields.title):
        return fields
    volume, date = found["volume"] or found["volume2"], found["date"] or found["date2"]
    venue = fields.venue.removesuffix(volume).removesuffix(date).rstrip(" ,")
    return replace(fields, venue=venue, volume=volume, date=date)


def _read_law_footnote(text: str, fields: TaggedFields) -> TaggedFields | None:
    """A work cited as footnotes of law reviews do, with the page and the year at the end."""
    found = _LAW_REVIEW_PATTERN.search(text)
    book = None if found else _CITED_BOOK_PATTERN.search(text)
    end = found or book
    if end is None or not fields.authors or not text.startswith(fields.authors):
        return None
    title = clean_title(text[len(fields.authors) : end.start()])
    if len(title.split()) < 2:
        return None
    return TaggedFields(
        authors=fields.authors,
        title=title,
        venue=clean_venue(found["venue"]) if found else "",
        date=end["date"],
        volume=found["volume"] if found else "",
        pages=end["pages"],
    )


def _part_author_from_title(text: str, fields: TaggedFields) -> TaggedFields:
    """Authors and title where the tagger took words of one for the other."""
    authors = fields.authors
    if found := _CAPITAL_FAMILY_PATTERN.fullmatch(authors):
        start = text.find(authors) + found.start("title")
        end = text.find(fields.title) + len(fields.title) if fields.title else 0
        title = text[start:end] if end > start else found["title"]
        return replace(fields, authors=found["author"], title=clean_title(title))
    if not fields.title and (found := _INITIALED_NAME_PATTERN.fullmatch(authors)):
        title = found["title"].rstrip(" ,")
        house = _FINAL_HOUSE_PATTERN.search(title)
        return replace(
            fields,
            authors=found["author"],
            title=clean_title(title[: house.start()] if house else title),
            publisher=fields.publisher or (house["publisher"] if house else ""),
        )
    alone = not (fields.title or fields.venue or fields.date or fields.publisher)
    if alone and authors and not _NAME_LIST_MARKS_PATTERN.search(authors):
        return replace(fields, authors="", title=clean_title(text))  # nothing but a title
    return fields


def _find_last_authors(fields: TaggedFields) -> TaggedFields:
    """Authors who stand after the title, and were read as its last sentence."""
    title, stop, names = fields.title.rpartition(". ")
    if fields.authors or not stop or " " not in title:
        return fields
    if _INVERTED_NAMES_PATTERN.fullmatch(names) or _WHOLE_NAMES_PATTERN.fullmatch(names):
        return replace(fields, authors=names, title=title)
    return fields


def _find_lost_title(text: str, fields: TaggedFields) -> TaggedFields:
    """The sentence after the authors, if it has words and nothing was read as title or journal."""
    if fields.title or fields.venue or not fields.authors:
        return fields
    sentence = text.partition(fields.authors)[2].partition(". ")[0].strip()
    lost = _LOST_SENTENCE_PATTERN.fullmatch(sentence)
    return replace(fields, title=clean_title(sentence)) if lost else fields


def _part_counted_numbers(text: str, fields: TaggedFields) -> TaggedFields:
    """Volume, issue and pages of the form "27(2):97", if the tagger did not part them."""
    if fields.pages and not any(mark in fields.issue + fields.volume for mark in "():"):
        return fields
    found = _COUNTED_NUMBERS_PATTERN.search(text)
    if found is None:
        return fields
    return replace(
        fields,
        volume=found["volume"],
        issue=found["issue"],
        pages=re.sub(r"\s?[-–—‐‑−]{1,2}\s?", "-", found["pages"]),
    )


def _read_corner_brackets(text: str, fields: TaggedFields) -> TaggedFields:
    """Title and journal of Japanese lists, whose brackets tell an article from the work it is in."""
    article, work = _CORNER_TITLE_PATTERN.search(text), _CORNER_WORK_PATTERN.search(text)
    if not (article or work):
        return fields
    volume, issue = _CJK_VOLUME_PATTERN.search(text), _CJK_ISSUE_PATTERN.search(text)
    return replace(
        fields,
        title=article[1] if article else work[1] if work else "",
        venue=work[1] if article and work else "",
        volume=volume[1] if volume else fields.volume,
        issue=issue[1] if issue else fields.issue,
        pages=fields.pages.rstrip("頁页"),
    )


def _keep_title_year(text: str, fields: TaggedFields) -> TaggedFields:
    """A title with the year that ends it, where the reference has a date of its own besides."""
    if not fields.title:
        return fields
    after = text.partition(fields.title)[2]
    found = _FINAL_YEAR_PATTERN.match(after)
    if found is None or not _YEAR_PATTERN.search(after, found.end()):
        return fields
    return replace(fields, title=f"{fields.title} {found['year']}")


def _choose_journal(fields: TaggedFields) -> TaggedFields:
    """A journal in the place of a publisher: what has volumes with numbered issues is a journal."""
    house = fields.publisher
    if fields.venue or not (fields.volume and fields.issue and house):
        return fields
    if _HOUSE_WORD_PATTERN.search(house):
        return fields
    return replace(fields, venue=house, publisher="")
