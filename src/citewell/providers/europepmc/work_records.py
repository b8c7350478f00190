"""Parses Europe PMC's records: articles, preprints and books, with their open copies and notices."""

from __future__ import annotations

import re
from typing import Any

from citewell.dialects import csl_works
from citewell.dialects.json_responses import (
    CamelCasePart,
    HttpLink,
    JsonResponse,
    OptionalField,
    TolerantItems,
    drop_negative_count,
)
from citewell.model.paper import (
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
    WorkAuthor,
)
from citewell.text.citations import dois, notice_relations, record_fields
from citewell.text.dates.partial_dates import extract_year
from citewell.text.safety.markup_cleaning import clean_markup

_SOURCE_KINDS = {"PPR": "article", "PAT": "patent", "ETH": "thesis"}
_FREE_AVAILABILITY_CODES = {"OA", "F"}  # open access, free to read; S (subscription) is left out
_SITE_HOSTS = {"europe_pmc": "repository", "pubmedcentral": "repository", "doi": "publisher"}
_ABSTRACT_HEADING_PATTERN = re.compile(r"<h\d>\s*+([^<>]{0,300}?)[\s:.]{0,20}</h\d>", re.IGNORECASE)
_NAME_INITIALS_PATTERN = re.compile(r"(.+) ([A-Z]{1,4})")
_PREPRINT_WITHDRAWAL_TYPES = {
    "preprint-withdrawal": "withdrawal",
    "preprint-removal": "removal",
}


class _EuropePmcAuthor(CamelCasePart):
    full_name: OptionalField[str] = None
    first_name: OptionalField[str] = None
    last_name: OptionalField[str] = None
    initials: OptionalField[str] = None
    collective_name: OptionalField[str] = None


class _EuropePmcAuthorList(CamelCasePart):
    author: TolerantItems[_EuropePmcAuthor] = ()


class _EuropePmcJournal(CamelCasePart):
    title: OptionalField[str] = None


class _EuropePmcJournalInfo(CamelCasePart):
    issue: OptionalField[str] = None
    volume: OptionalField[str] = None
    date_of_publication: OptionalField[str] = None
    journal: OptionalField[_EuropePmcJournal] = None


class _EuropePmcBook(CamelCasePart):
    publisher: OptionalField[str] = None
    comprising_title: OptionalField[str] = None


class _EuropePmcTypes(CamelCasePart):
    pub_type: TolerantItems[str] = ()


class _EuropePmcFullText(CamelCasePart):
    url: HttpLink
    availability_code: OptionalField[str] = None
    document_style: OptionalField[str] = None
    site: OptionalField[str] = None


class _EuropePmcFullTextList(CamelCasePart):
    full_text_url: TolerantItems[_EuropePmcFullText] = ()


class _EuropePmcCorrection(CamelCasePart):
    type: OptionalField[str] = None
    reference: OptionalField[str] = None
    note: OptionalField[str] = None


class _EuropePmcCorrectionList(CamelCasePart):
    comment_correction: TolerantItems[_EuropePmcCorrection] = ()


class EuropePmcWork(CamelCasePart):
    id: OptionalField[str] = None
    source: OptionalField[str] = None
    pmid: OptionalField[str] = None
    pmcid: OptionalField[str] = None
    doi: OptionalField[str] = None
    title: str
    author_string: OptionalField[str] = None
    author_list: OptionalField[_EuropePmcAuthorList] = None
    journal_info: OptionalField[_EuropePmcJournalInfo] = None
    book_or_report_details: OptionalField[_EuropePmcBook] = None
    pub_year: OptionalField[str] = None
    first_publication_date: OptionalField[str] = None
    page_info: OptionalField[str] = None
    abstract_text: OptionalField[str] = None
    language: OptionalField[str] = None
    license: OptionalField[str] = None
    pub_type_list: OptionalField[_EuropePmcTypes] = None
    full_text_url_list: OptionalField[_EuropePmcFullTextList] = None
    comment_correction_list: OptionalField[_EuropePmcCorrectionList] = None
    is_open_access: OptionalField[str] = None
    cited_by_count: OptionalField[int] = None

    @property
    def is_preprint(self) -> bool:
        return self.source == "PPR" or "preprint" in self.types

    @property
    def types(self) -> tuple[str, ...]:
        given = self.pub_type_list.pub_type if self.pub_type_list else ()
        return tuple(clean_markup(one).lower() for one in given)

    @property
    def corrections(self) -> tuple[_EuropePmcCorrection, ...]:
        return self.comment_correction_list.comment_correction if self.comment_correction_list else ()  # fmt: skip


class _EuropePmcResultList(CamelCasePart):
    result: TolerantItems[EuropePmcWork]


class EuropePmcResponse(CamelCasePart, JsonResponse):
    err_msg: Any = None
    hit_count: OptionalField[int] = None
    result_list: _EuropePmcResultList | None = None  # absent if there is an error


def parse_europepmc_work(work: EuropePmcWork, *, source: str) -> Paper:
    ids, published = _collect_europepmc_ids(work), _choose_europepmc_date(work)
    issue, book = (
        work.journal_info or _EuropePmcJournalInfo(),
        work.book_or_report_details or _EuropePmcBook(),
    )
    copies = _list_europepmc_copies(work, source)
    return Paper(
        title=record_fields.clean_title_field(work.title) or _build_europepmc_url(work, ids),
        source=source,
        url=_build_europepmc_url(work, ids),
        ids=ids,
        authors=_list_europepmc_authors(work),
        kind=_choose_europepmc_kind(work),
        year=extract_year(published),
        published=published,
        venue=_find_europepmc_venue(work),
        volume=clean_markup(issue.volume) or None,
        issue=clean_markup(issue.issue) or None,
        pages=record_fields.expand_page_range(work.page_info),
        publisher=clean_markup(book.publisher) or None,
        abstract=clean_markup(_ABSTRACT_HEADING_PATTERN.sub(r" \1: ", work.abstract_text or ""))
        or None,
        language=record_fields.convert_language_code(work.language),
        citation_count=drop_negative_count(work.cited_by_count),
        open_access=True if clean_markup(work.is_open_access).upper() == "Y" else None,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
        events=_list_europepmc_notices(work, source),
        preprint_of=_find_article_doi(work),
    )


def _collect_europepmc_ids(work: EuropePmcWork) -> dict[IdentifierScheme, str]:
    number = work.pmid or (work.id if work.source == "MED" else None)
    found = {
        IdentifierScheme.DOI: record_fields.normalize_doi_field(work.doi),
        IdentifierScheme.PMID: record_fields.normalize_pmid_field(number),
        IdentifierScheme.PMCID: record_fields.normalize_pmcid_field(work.pmcid),
    }
    return {scheme: value for scheme, value in found.items() if value}


def _build_europepmc_url(work: EuropePmcWork, ids: dict[IdentifierScheme, str]) -> str:
    if IdentifierScheme.DOI in ids:
        return csl_works.build_doi_url(ids[IdentifierScheme.DOI])
    source, number = clean_markup(work.source), clean_markup(work.id)
    known = source.isalnum() and number.isalnum()
    return f"https://europepmc.org/article/{source}/{number}" if known else "https://europepmc.org/"


def _choose_europepmc_kind(work: EuropePmcWork) -> str:
    if work.is_preprint:
        return "article"
    if work.book_or_report_details and not work.journal_info:
        part = work.book_or_report_details.comprising_title
        return _SOURCE_KINDS.get(work.source or "") or ("chapter" if part else "book")
    return _SOURCE_KINDS.get(work.source or "", "article-journal")


def _find_europepmc_venue(work: EuropePmcWork) -> str | None:
    issue, book = work.journal_info, work.book_or_report_details
    if issue and issue.journal and clean_markup(issue.journal.title):
        return record_fields.clean_journal_name(issue.journal.title)
    if book is None:
        return None
    return (
        clean_markup(book.comprising_title)
        or (clean_markup(book.publisher) if work.is_preprint else "")
        or None
    )


def _choose_europepmc_date(work: EuropePmcWork) -> str | None:
    """The issue's printed date, else the year, made more exact by the first publication date.

    Not `pub_year` for a book, because that is the year of its first edition.
    """
    first = record_fields.parse_issued_date(work.first_publication_date)
    printed = (
        record_fields.parse_issued_date(work.journal_info.date_of_publication)
        if work.journal_info
        else None
    )
    stated = printed or (first if work.book_or_report_details else None)
    stated = stated or record_fields.parse_issued_date(work.pub_year) or first
    exact = first is not None and stated is not None and first.startswith(stated)
    return first if exact and len(stated or "") == 4 else stated


def _list_europepmc_authors(work: EuropePmcWork) -> tuple[WorkAuthor, ...]:
    listed = work.author_list.author if work.author_list else ()
    people = [_parse_europepmc_author(author) for author in listed]
    if not any(people):
        names = clean_markup(work.author_string).rstrip(".").split(", ")
        people = [_parse_indexed_name(name) for name in names]
    return tuple(person for person in people if person is not None)


def _parse_europepmc_author(author: _EuropePmcAuthor) -> WorkAuthor | None:
    if body := clean_markup(author.collective_name):
        return WorkAuthor(name=body, organisation=True)
    family = clean_markup(author.last_name)
    given = clean_markup(author.first_name) or " ".join(clean_markup(author.initials))
    if not family:
        return _parse_indexed_name(clean_markup(author.full_name))
    return WorkAuthor(name=f"{given} {family}".strip(), family=family, given=given)


def _parse_indexed_name(name: str) -> WorkAuthor | None:
    """The author of a name in index form, such as `Wakefield AJ`."""
    if match := _NAME_INITIALS_PATTERN.fullmatch(name):
        family, given = match[1], " ".join(match[2])
        return WorkAuthor(name=f"{given} {family}", family=family, given=given)
    return WorkAuthor(name=name) if name else None


def _list_europepmc_copies(work: EuropePmcWork, source: str) -> tuple[OpenCopy, ...]:
    texts = work.full_text_url_list.full_text_url if work.full_text_url_list else ()
    return tuple(
        _parse_full_text_url(text, work, source)
        for text in texts
        if text.availability_code in _FREE_AVAILABILITY_CODES
    )


def _parse_full_text_url(text: _EuropePmcFullText, work: EuropePmcWork, source: str) -> OpenCopy:
    return OpenCopy(
        url=text.url,
        pdf=clean_markup(text.document_style).lower() == "pdf",
        version="submittedVersion" if work.is_preprint else None,
        license=clean_markup(work.license) or None,
        host=_SITE_HOSTS.get(clean_markup(text.site).lower()),
        source=source,
    )


def _list_europepmc_notices(work: EuropePmcWork, source: str) -> tuple[IntegrityNotice, ...]:
    found = (
        notice_relations.parse_notice_relation(
            one.type or "", one.reference or "", source=source, note=one.note or ""
        )
        for one in work.corrections
    )
    told = notice_relations.add_retraction_flag(
        tuple(event for event in found if event), work.types, source=source
    )
    gone = next(
        (label for word, label in _PREPRINT_WITHDRAWAL_TYPES.items() if word in work.types), None
    )
    if gone is None or any(event.kind is NoticeKind.RETRACTION for event in told):
        return told
    return (*told, IntegrityNotice(kind=NoticeKind.RETRACTION, source=source, label=gone))


def _find_article_doi(work: EuropePmcWork) -> str | None:
    """The DOI of the article that a preprint was published as."""
    links = (one for one in work.corrections if clean_markup(one.type).lower() == "preprint of")
    return next((doi for one in links if (doi := dois.find_doi(one.reference or ""))), None)
