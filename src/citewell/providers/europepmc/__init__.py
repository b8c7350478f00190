"""Europe PMC: life-science papers, preprints and books, with open copies and notices; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from citewell.citations import dois, record_fields
from citewell.citations import record_fields as notice_relations
from citewell.core.errors import InvalidInput, MalformedResponse, UpstreamUnavailable
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
    WorkAuthor,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import extract_year
from citewell.text.language import word_forms
from citewell.text.safety.text_cleaning import clean_markup

_SOURCE_KINDS = {"PPR": "article", "PAT": "patent", "ETH": "thesis"}
_FREE_AVAILABILITY_CODES = {"OA", "F"}  # open access, free to read; S (subscription) is left out
_SITE_HOSTS = {"europe_pmc": "repository", "pubmedcentral": "repository", "doi": "publisher"}
_ABSTRACT_HEADING_PATTERN = re.compile(r"<h\d>\s*+([^<>]{0,300}?)[\s:.]{0,20}</h\d>", re.IGNORECASE)
_NAME_INITIALS_PATTERN = re.compile(r"(.+) ([A-Z]{1,4})")
_PREPRINT_WITHDRAWAL_TYPES = {
    "preprint-withdrawal": "withdrawal",
    "preprint-removal": "removal",
}


class _EuropePmcAuthor(wire.CamelCasePart):
    full_name: wire.OptionalField[str] = None
    first_name: wire.OptionalField[str] = None
    last_name: wire.OptionalField[str] = None
    initials: wire.OptionalField[str] = None
    collective_name: wire.OptionalField[str] = None


class _EuropePmcJournal(wire.CamelCasePart):
    title: wire.OptionalField[str] = None


class _EuropePmcJournalInfo(wire.CamelCasePart):
    issue: wire.OptionalField[str] = None
    volume: wire.OptionalField[str] = None
    date_of_publication: wire.OptionalField[str] = None
    journal: wire.OptionalField[_EuropePmcJournal] = None


class _EuropePmcBook(wire.CamelCasePart):
    publisher: wire.OptionalField[str] = None
    comprising_title: wire.OptionalField[str] = None


class _EuropePmcFullText(wire.CamelCasePart):
    url: wire.HttpLink
    availability_code: wire.OptionalField[str] = None
    document_style: wire.OptionalField[str] = None
    site: wire.OptionalField[str] = None


class _EuropePmcCorrection(wire.CamelCasePart):
    type: wire.OptionalField[str] = None
    reference: wire.OptionalField[str] = None
    note: wire.OptionalField[str] = None


class EuropePmcWork(wire.CamelCasePart):
    id: wire.OptionalField[str] = None
    source: wire.OptionalField[str] = None
    pmid: wire.OptionalField[str] = None
    pmcid: wire.OptionalField[str] = None
    doi: wire.OptionalField[str] = None
    title: str
    author_string: wire.OptionalField[str] = None
    authors: wire.OptionalField[wire.TolerantItems[_EuropePmcAuthor]] = wire.nested_field(
        "authorList.author"
    )
    journal_info: wire.OptionalField[_EuropePmcJournalInfo] = None
    book_or_report_details: wire.OptionalField[_EuropePmcBook] = None
    pub_year: wire.OptionalField[str] = None
    first_publication_date: wire.OptionalField[str] = None
    page_info: wire.OptionalField[str] = None
    abstract_text: wire.OptionalField[str] = None
    language: wire.OptionalField[str] = None
    license: wire.OptionalField[str] = None
    pub_types: wire.OptionalField[wire.TolerantItems[str]] = wire.nested_field(
        "pubTypeList.pubType"
    )
    full_texts: wire.OptionalField[wire.TolerantItems[_EuropePmcFullText]] = wire.nested_field(
        "fullTextUrlList.fullTextUrl"
    )
    corrections: wire.OptionalField[wire.TolerantItems[_EuropePmcCorrection]] = wire.nested_field(
        "commentCorrectionList.commentCorrection"
    )
    is_open_access: wire.OptionalField[str] = None
    cited_by_count: wire.OptionalField[int] = None

    @property
    def is_preprint(self) -> bool:
        return self.source == "PPR" or "preprint" in self.types

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(clean_markup(word).lower() for word in self.pub_types or ())


class _EuropePmcResultList(wire.CamelCasePart):
    result: wire.TolerantItems[EuropePmcWork]


class EuropePmcResponse(wire.CamelCasePart, wire.JsonResponse):
    err_msg: Any = None
    hit_count: wire.OptionalField[int] = None
    result_list: _EuropePmcResultList | None = None  # absent if there is an error


def parse_europepmc_work(work: EuropePmcWork, *, source: str) -> Paper:
    number = work.pmid or (work.id if work.source == "MED" else None)
    ids = csl_works.collect_ids(doi=work.doi, pmid=number, pmcid=work.pmcid)
    published = _choose_europepmc_date(work)
    issue = work.journal_info or _EuropePmcJournalInfo()
    book = work.book_or_report_details or _EuropePmcBook()
    copies = _list_europepmc_copies(work, source)
    articles = (
        relation.reference or ""
        for relation in work.corrections or ()
        if clean_markup(relation.type).lower() == "preprint of"
    )
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
        citation_count=wire.drop_negative_count(work.cited_by_count),
        open_access=True if clean_markup(work.is_open_access).upper() == "Y" else None,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
        events=_list_europepmc_notices(work, source),
        preprint_of=next((doi for link in articles if (doi := dois.find_doi(link))), None),
    )


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
    people = [_parse_europepmc_author(author) for author in work.authors or ()]
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
    return tuple(
        _parse_full_text_url(text, work, source)
        for text in work.full_texts or ()
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
            notice.type or "", notice.reference or "", source=source, note=notice.note or ""
        )
        for notice in work.corrections or ()
    )
    events = notice_relations.add_retraction_flag(
        tuple(event for event in found if event), work.types, source=source
    )
    gone = next(
        (label for word, label in _PREPRINT_WITHDRAWAL_TYPES.items() if word in work.types), None
    )
    if gone is None or any(event.kind is NoticeKind.RETRACTION for event in events):
        return events
    return (*events, IntegrityNotice(kind=NoticeKind.RETRACTION, source=source, label=gone))


SPEC = ProviderSpec(
    name="europepmc",
    title="Europe PMC",
    homepage="https://europepmc.org/RestfulWebService",
    base_url="https://www.ebi.ac.uk/europepmc/webservices/rest",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.COPIES, Offer.INTEGRITY}),
    applied_arguments={
        Offer.PAPERS: frozenset({"open_access", "sort_by", "source", "year_from", "year_to"})
    },
    max_results=100,
    max_query_chars=1000,
    per_second=5.0,
    burst=5,
    rank=35,
    terms="Abstracts and full texts stay under their publishers' rights.",
    test_evidence="one recorded answer; the rest shape-tested only",
)

_ID_PARSERS = {
    IdentifierScheme.DOI: record_fields.normalize_doi_field,
    IdentifierScheme.PMID: record_fields.normalize_pmid_field,
    IdentifierScheme.PMCID: record_fields.normalize_pmcid_field,
}
_ID_QUERIES = {
    IdentifierScheme.DOI: 'DOI:"{}"',
    IdentifierScheme.PMID: "EXT_ID:{} AND SRC:MED",
    IdentifierScheme.PMCID: "PMCID:{}",
}
_MAX_BATCH_IDS = 40  # ids in one query; a work may have a second record, as a preprint
_QUERY_SYNTAX_PATTERN = re.compile(
    r"[:()\[\]{}^~*?\\/\"]"
)  # a colon in a title would start a field name
_WORD_PATTERN = re.compile(r"[^\W_]+")
_MAX_TITLE_WORDS = 15


class Provider(KitProvider):
    schemes = frozenset(_ID_PARSERS)
    max_batch = MappingProxyType(dict.fromkeys(_ID_PARSERS, _MAX_BATCH_IDS))

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        papers, total = await self._search_europepmc(
            _build_europepmc_query(query), count=query.count, newest=query.sort == "date"
        )
        applied = csl_works.name_filters(
            year=query.year_from or query.year_to,
            sort=True,
            open_access=query.open_access,
            source=query.source == "pubmed",
        )
        return PaperHits(papers=papers, total=total, applied=applied)

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        """The paper whose record states this identifier; the search may return other papers as well."""
        wanted = _normalize_europepmc_id(paper_id)
        if wanted is None:
            return None
        asked = _ID_QUERIES[paper_id.scheme].format(wanted.replace('"', ""))
        papers, _total = await self._search_europepmc(asked, count=5)
        return next((paper for paper in papers if paper.ids.get(paper_id.scheme) == wanted), None)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = {paper_id: _normalize_europepmc_id(paper_id) for paper_id in ids}
        sound = {paper_id: value for paper_id, value in asked.items() if value and '"' not in value}
        if not sound:
            return {}
        each = (
            f"({_ID_QUERIES[paper_id.scheme].format(value)})" for paper_id, value in sound.items()
        )
        papers, total = await self._search_europepmc(" OR ".join(each), count=SPEC.max_results)
        return csl_works.assign_papers(list(sound), papers, is_complete=total == len(papers))

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        for expression in _build_title_queries(query):
            papers, _total = await self._search_europepmc(expression, count=query.count)
            if papers:
                return papers
        return ()

    async def list_open_copies(self, doi: str) -> tuple[OpenCopy, ...] | None:
        paper = await self.look_up_paper(PaperId(scheme=IdentifierScheme.DOI, value=doi))
        return None if paper is None else paper.copies

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        paper = await self.look_up_paper(paper_id)
        return None if paper is None else paper.events

    async def _search_europepmc(
        self, expression: str, *, count: int, newest: bool = False
    ) -> tuple[tuple[Paper, ...], int | None]:
        params = {
            "query": expression,
            "format": "json",
            "resultType": "core",
            "pageSize": str(min(count, SPEC.max_results)),
        }
        if newest:
            params["sort"] = "P_PDATE_D desc"
        answer = wire.read_json_response(
            EuropePmcResponse, await self._upstream.send_get("/search", params=params)
        )
        if answer.err_msg:
            message = "The upstream answered with an error in place of results."
            raise UpstreamUnavailable(message, provider=SPEC.name)
        if answer.result_list is None:
            raise MalformedResponse("The response has no list of results.", provider=SPEC.name)
        papers = tuple(
            parse_europepmc_work(work, source=SPEC.name) for work in answer.result_list.result
        )
        return papers[:count], answer.hit_count


def _normalize_europepmc_id(paper_id: PaperId) -> str | None:
    if paper_id.scheme not in _ID_PARSERS:
        raise InvalidInput(
            f"Europe PMC cannot look up papers by {paper_id.scheme}.", provider=SPEC.name
        )
    return _ID_PARSERS[paper_id.scheme](paper_id.value)


def _build_europepmc_query(query: PaperQuery) -> str:
    parts = [_strip_query_syntax(query.text)]
    if query.year_from or query.year_to:
        parts.append(f"PUB_YEAR:[{query.year_from or 1500} TO {query.year_to or 3000}]")
    if query.open_access:
        parts.append("OPEN_ACCESS:Y")
    if query.full_text:
        parts.append("IN_EPMC:Y")
    if query.source == "pubmed":
        parts.append("SRC:MED")
    return f"({parts[0]}) AND {' AND '.join(parts[1:])}" if len(parts) > 1 else parts[0]


def _build_title_queries(query: BibliographicQuery) -> tuple[str, ...]:
    """Queries to try in order: all title words; then the author, the years around it and any title word."""
    found = _WORD_PATTERN.findall(clean_markup(query.title))
    words = word_forms.choose_telling_words(found, count=_MAX_TITLE_WORDS)
    if not words:
        text = shorten_query_text(_strip_query_syntax(query.text), 300)
        return (text,) if text else ()
    exact = f"TITLE:({' AND '.join(words)})"
    author = " ".join(_WORD_PATTERN.findall(clean_markup(query.author)))
    if not author:
        return (exact,)
    years = f" AND PUB_YEAR:[{query.year - 1} TO {query.year + 1}]" if query.year else ""
    return exact, f'AUTH:"{author}" AND TITLE:({" OR ".join(words)}){years}'


def _strip_query_syntax(text: str) -> str:
    return shorten_query_text(
        " ".join(_QUERY_SYNTAX_PATTERN.sub(" ", clean_markup(text)).split()), SPEC.max_query_chars
    )
