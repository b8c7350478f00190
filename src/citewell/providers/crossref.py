"""Crossref: the DOI registry of most articles, books and conference papers, with their notices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from pydantic import Field

from citewell.citations import identifiers, record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.errors import InvalidInput, MalformedResponse, NotFound
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.providers.dialects.csl_works import CslWork
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.safety.text_cleaning import clean_markup

W = TypeVar("W", bound=CslWork)

SPEC = ProviderSpec(
    name="crossref",
    title="Crossref",
    homepage="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    base_url="https://api.crossref.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.INTEGRITY}),
    applied_arguments={Offer.PAPERS: frozenset({"source", "year_from", "year_to"})},
    options=(
        ProviderOption(
            env="CROSSREF_EMAIL",
            help="Your address, for Crossref's polite pool; without it the limits are lower.",
        ),
    ),
    max_results=100,
    per_second=5.0,
    burst=5,
    rank=20,
    terms="Send a contact address; obey the rate limits in the answers' headers.",
    test_evidence="recorded answers",
)

_TEST_PREFIX = "10.5555/"  # Crossref's own test records
_POLITE_CONCURRENCY = 3  # parallel requests for clients that send an e-mail address
_MAX_BATCH_DOIS = 50  # DOIs in one request; more would make the URL too long
_MAX_BOOK_PARTS = 50  # works asked for by one ISBN: the book and some of its chapters
# The fields a list asks for; a full record includes hundreds of references.
_SELECTED_FIELDS = (
    "DOI,URL,type,title,subtitle,author,editor,container-title,group-title,volume,issue,page,"
    "article-number,publisher,abstract,ISBN,published,issued,published-print,published-online,"
    "posted,is-referenced-by-count,references-count,link,license,relation,updated-by"
)
_PUBLISHER_FILTERS = {"ieee": "member:263", "nature": "prefix:10.1038", "springer": "member:297"}
_NOTICE_MARKS = (
    (NoticeKind.REINSTATEMENT, ("reinstate",)),
    (NoticeKind.RETRACTION, ("retract", "withdraw", "remov")),
    (NoticeKind.CONCERN, ("concern",)),
    (NoticeKind.CORRECTION, ("correct", "corrig", "errat", "addend", "clarif")),
)


class _CrossrefUpdate(wire.ResponsePart):
    DOI: wire.OptionalField[str] = None
    type: wire.OptionalField[str] = None
    label: wire.OptionalField[str] = None
    source: wire.OptionalField[str] = None
    updated: wire.OptionalField[csl_works.CslDate] = None


class _CrossrefRelatedWork(wire.ResponsePart):
    id: wire.OptionalField[str] = None


class _CrossrefRelations(wire.ResponsePart):
    preprint_of: wire.OptionalField[wire.TolerantItems[_CrossrefRelatedWork]] = Field(
        default=None, alias="is-preprint-of"
    )
    preprints: wire.OptionalField[wire.TolerantItems[_CrossrefRelatedWork]] = Field(
        default=None, alias="has-preprint"
    )


class _CrossrefLink(wire.ResponsePart):
    URL: wire.HttpLink
    kind: wire.OptionalField[str] = Field(default=None, alias="content-type")


class _CrossrefLicense(wire.ResponsePart):
    URL: wire.OptionalField[str] = None


class _CrossrefWork(csl_works.CslWork):
    citation_count: wire.OptionalField[int] = Field(default=None, alias="is-referenced-by-count")
    reference_count: wire.OptionalField[int] = Field(default=None, alias="references-count")
    link: wire.OptionalField[wire.TolerantItems[_CrossrefLink]] = None
    license: wire.OptionalField[wire.TolerantItems[_CrossrefLicense]] = None
    relation: wire.OptionalField[_CrossrefRelations] = None
    updated_by: wire.TolerantItems[_CrossrefUpdate] = Field(default=(), alias="updated-by")


class _CrossrefWorkResponse(wire.JsonResponse):
    kind: str = Field(alias="message-type")
    message: _CrossrefWork


class _CrossrefWorkList(wire.ResponsePart):
    items: wire.TolerantItems[_CrossrefWork]
    total: wire.OptionalField[int] = Field(default=None, alias="total-results")


class _CrossrefListResponse(wire.JsonResponse):
    kind: str = Field(alias="message-type")
    message: _CrossrefWorkList


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.DOI, IdentifierScheme.ISBN})
    max_batch = MappingProxyType({IdentifierScheme.DOI: _MAX_BATCH_DOIS})

    def _set_up(self) -> None:
        email = self._kit.find_option("CROSSREF_EMAIL")
        self._contact = {"mailto": email} if email else {}
        self._upstream.limit_concurrency(
            _POLITE_CONCURRENCY if email else 1
        )  # its documented limits

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        answer = await self._list_crossref_works(_build_crossref_params(query), count=query.count)
        return PaperHits(
            papers=_parse_crossref_works(answer.items)[: query.count],
            total=wire.drop_negative_count(answer.total),
            applied=csl_works.name_filters(
                year=query.year_from or query.year_to, source=query.source in _PUBLISHER_FILTERS
            ),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is IdentifierScheme.ISBN:
            return await self._find_registered_book(paper_id.value)
        work = await self._fetch_crossref_work(paper_id)
        return None if work is None else _parse_crossref_work(work, doi=paper_id.value.lower())

    async def _find_registered_book(self, isbn: str) -> Paper | None:
        params = {"filter": f"isbn:{isbn}", "select": _SELECTED_FIELDS}
        works = (await self._list_crossref_works(params, count=_MAX_BOOK_PARTS)).items
        if (book := find_book_work(works, isbn)) is None:
            return build_container_book(works, isbn, source=SPEC.name)
        paper = _parse_crossref_work(book)
        return paper.with_changes(ids={**paper.ids, IdentifierScheme.ISBN: isbn})

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """The papers with these DOIs. Leaves out DOIs with commas and the like, which cannot be escaped.

        Crossref combines several filters of the same name with OR.
        """
        asked = csl_works.keep_plain_dois(ids)
        if not asked:
            return {}
        params = {
            "filter": ",".join(f"doi:{paper_id.value}" for paper_id in asked),
            "select": _SELECTED_FIELDS,
        }
        answer = await self._list_crossref_works(params, count=len(asked))
        whole = answer.total == len(answer.items)
        return csl_works.assign_papers(
            asked, map(_parse_crossref_work, answer.items), is_complete=whole
        )

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        answer = await self._list_crossref_works(_build_reference_params(query), count=query.count)
        return _parse_crossref_works(answer.items)[: query.count]

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        work = await self._fetch_crossref_work(paper_id)
        return None if work is None else _list_crossref_notices(work)

    async def _fetch_crossref_work(self, paper_id: PaperId) -> _CrossrefWork | None:
        if paper_id.scheme is not IdentifierScheme.DOI:
            raise InvalidInput(
                "Crossref can look up works by DOI or ISBN only.", provider=SPEC.name
            )
        path = f"/works/{csl_works.encode_doi_segment(paper_id.value)}"
        try:
            response = await self._upstream.send_get(path, params=self._contact)
        except NotFound:  # the body is plain text, sent as application/json
            return None
        answer = wire.read_json_response(_CrossrefWorkResponse, response)
        _check_message_type(answer.kind, "work", response)
        return answer.message

    async def _list_crossref_works(
        self, params: dict[str, str], *, count: int
    ) -> _CrossrefWorkList:
        rows = {"rows": str(min(count, SPEC.max_results))}
        response = await self._upstream.send_get("/works", params=params | rows | self._contact)
        answer = wire.read_json_response(_CrossrefListResponse, response)
        _check_message_type(answer.kind, "work-list", response)
        return answer.message


def _check_message_type(kind: str, wanted: str, response: HttpResponse) -> None:
    if kind != wanted:
        raise MalformedResponse(
            "The response has an unexpected message type.", provider=response.provider
        )


def _build_crossref_params(query: PaperQuery) -> dict[str, str]:
    chosen = (
        f"from-pub-date:{query.year_from}" if query.year_from is not None else "",
        f"until-pub-date:{query.year_to}" if query.year_to is not None else "",
        _PUBLISHER_FILTERS.get(query.source, ""),
    )
    filters = ",".join(filter(None, chosen))
    # Never sorted by date: Crossref matches any single word, so the newest would be irrelevant.
    params = {"query": shorten_query_text(clean_markup(query.text), SPEC.max_query_chars)}
    return params | ({"filter": filters} if filters else {})


def _build_reference_params(query: BibliographicQuery) -> dict[str, str]:
    if not query.title:
        return {
            "query.bibliographic": shorten_query_text(
                clean_markup(query.text), SPEC.max_query_chars
            )
        }
    params = {"query.title": shorten_query_text(clean_markup(query.title), SPEC.max_query_chars)}
    return params | (
        {"query.author": clean_markup(query.author)} if clean_markup(query.author) else {}
    )


def _parse_crossref_works(works: tuple[_CrossrefWork, ...]) -> tuple[Paper, ...]:
    papers = (_parse_crossref_work(work) for work in works)
    return tuple(
        paper for paper in papers if paper.title and not (paper.doi or "").startswith(_TEST_PREFIX)
    )


def _parse_crossref_work(work: _CrossrefWork, *, doi: str | None = None) -> Paper:
    return csl_works.build_csl_paper(work, source=SPEC.name, doi=doi).with_changes(
        citation_count=wire.drop_negative_count(work.citation_count),
        reference_count=wire.drop_negative_count(work.reference_count),
        open_access=csl_works.has_open_license(licence.URL for licence in work.license or ()),
        pdf_url=next(
            (
                link.URL
                for link in work.link or ()
                if clean_markup(link.kind).lower() == "application/pdf"
            ),
            None,
        ),
        events=_list_crossref_notices(work),
        preprint_of=_find_related_doi(work.relation.preprint_of if work.relation else None),
        preprint_doi=_find_related_doi(work.relation.preprints if work.relation else None),
    )


def _list_crossref_notices(work: _CrossrefWork) -> tuple[IntegrityNotice, ...]:
    found = (_parse_crossref_update(update) for update in work.updated_by)
    return tuple(event for event in found if event is not None)


def _parse_crossref_update(update: _CrossrefUpdate) -> IntegrityNotice | None:
    """The notice that an update stands for; None for a new edition or version, which is no notice."""
    word = re.sub(r"[\s-]+", "_", clean_markup(update.type or update.label).lower())
    kind = next((kind for kind, marks in _NOTICE_MARKS if any(m in word for m in marks)), None)
    if kind is None:
        return None
    return IntegrityNotice(
        kind=kind,
        source=clean_markup(update.source) or "publisher",
        label=word,
        date=csl_works.format_iso_date(update.updated),
        notice_doi=record_fields.normalize_doi_field(update.DOI),
    )


def _find_related_doi(related: tuple[_CrossrefRelatedWork, ...] | None) -> str | None:
    found = (record_fields.normalize_doi_field(other.id) for other in related or ())
    return next(filter(None, found), None)


# Finds the book with an ISBN among works: chapters carry the ISBN of their book, too.


def find_book_work(works: Sequence[W], isbn: str) -> W | None:
    """The first work that is a book and states this ISBN, in 10 or 13 digits."""
    return next(
        (
            work
            for work in works
            if csl_works.choose_csl_kind(work.type) == "book" and _states_isbn(work, isbn)
        ),
        None,
    )


def build_container_book(works: Sequence[CslWork], isbn: str, *, source: str) -> Paper | None:
    """The book as far as its chapters describe it; their authors are not its own."""
    parts = [work for work in works if work.container and _states_isbn(work, isbn)]
    if not parts:
        return None
    paper = csl_works.build_csl_paper(parts[0], source=source)
    if not paper.venue:
        return None
    return Paper(
        title=paper.venue,
        source=source,
        ids={IdentifierScheme.ISBN: isbn},
        authors=csl_works.build_authors(parts[0].editor),
        kind="book",
        year=paper.year,
        published=paper.published,
        publisher=publisher_markup.clean_markup_line(parts[0].publisher) or None,
    )


def _states_isbn(work: CslWork, isbn: str) -> bool:
    stated = (re.sub(r"[^0-9X-]", "", clean_markup(text).rpartition("/")[2].upper()) for text in work.ISBN)  # fmt: skip
    return any(identifiers.parse_isbn(text).value == isbn for text in stated)
