"""CORE: open copies from thousands of repositories; works without a key, at lower limits."""

from __future__ import annotations

import re

from citewell.citations import record_fields
from citewell.core.errors import InvalidInput
from citewell.core.values.paper import (
    IdentifierScheme,
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
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, accept_key
from citewell.text.calendar_dates import extract_year
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="core",
    title="CORE",
    homepage="https://core.ac.uk/services/api",
    base_url="https://api.core.ac.uk/v3",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.COPIES}),
    applied_arguments={Offer.PAPERS: frozenset({"sort_by", "year_from", "year_to"})},
    options=(
        accept_key(
            "CORE_API_KEY",
            "Key of CORE; without one few requests a day are answered.",
            "Authorization: Bearer {}",
        ),
    ),
    max_results=20,  # with a key each result includes the full text
    max_query_chars=500,
    per_second=1 / 6,  # ten requests a minute without a key
    burst=5,
    rank=60,
    terms="Free for personal and academic use; name CORE.",
)

_QUERY_SYNTAX_PATTERN = re.compile(r"[:()\[\]{}^~*?\\/\"<>=!]")
_DOCUMENT_KINDS = {"thesis": "thesis", "presentation": "speech"}
_DOWNLOAD_LINK, _DISPLAY_LINK = "download", "display"


class _CoreAuthor(wire.CamelCasePart):
    name: wire.OptionalField[str] = None


class _CoreJournal(wire.CamelCasePart):
    title: wire.OptionalField[str] = None


class _CoreLanguage(wire.CamelCasePart):
    code: wire.OptionalField[str] = None


class _CoreLink(wire.CamelCasePart):
    type: wire.OptionalField[str] = None
    url: wire.OptionalField[wire.HttpLink] = None


class _CoreWork(wire.CamelCasePart):
    id: wire.OptionalField[csl_works.TextField] = None
    title: str
    authors: wire.OptionalField[wire.TolerantItems[_CoreAuthor]] = None
    abstract: wire.OptionalField[str] = None
    doi: wire.OptionalField[str] = None
    arxiv_id: wire.OptionalField[csl_works.TextField] = None
    pubmed_id: wire.OptionalField[csl_works.TextField] = None
    year_published: wire.OptionalField[int] = None
    published_date: wire.OptionalField[str] = None
    publisher: wire.OptionalField[str] = None
    journals: wire.OptionalField[wire.TolerantItems[_CoreJournal]] = None
    document_type: wire.OptionalField[str] = None
    language: wire.OptionalField[_CoreLanguage] = None
    citation_count: wire.OptionalField[int] = None
    download_url: wire.OptionalField[wire.HttpLink] = None  # "" if CORE holds no file
    source_fulltext_urls: wire.OptionalField[wire.TolerantItems[wire.HttpLink]] = None
    links: wire.OptionalField[wire.TolerantItems[_CoreLink]] = None

    def find_link(self, kind: str) -> str | None:
        return next((link.url for link in self.links or () if link.type == kind and link.url), None)


class _CoreWorkList(wire.CamelCasePart, wire.JsonResponse):
    total_hits: wire.OptionalField[int] = None
    results: wire.TolerantItems[_CoreWork]


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.DOI})

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        found = await self._search_core_works(
            _build_core_query(query), query.count, newest=query.sort == "date"
        )
        papers = tuple(_parse_core_work(work) for work in found.results)
        return PaperHits(
            papers=papers[: query.count],
            total=found.total_hits,
            applied=csl_works.name_filters(year=query.year_from or query.year_to, sort=True),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        """The paper whose record states this DOI; the search may return other papers as well."""
        if paper_id.scheme is not IdentifierScheme.DOI:
            raise InvalidInput("CORE can look up papers by DOI only.", provider=SPEC.name)
        wanted = record_fields.normalize_doi_field(paper_id.value)
        if wanted is None:
            return None
        found = await self._search_core_works(f'doi:"{wanted.replace(chr(34), "")}"', 5)
        papers = (_parse_core_work(work) for work in found.results)
        return next((paper for paper in papers if paper.doi == wanted), None)

    async def list_open_copies(self, doi: str) -> tuple[OpenCopy, ...] | None:
        paper = await self.look_up_paper(PaperId(scheme=IdentifierScheme.DOI, value=doi))
        return None if paper is None else paper.copies

    async def _search_core_works(
        self, expression: str, count: int, *, newest: bool = False
    ) -> _CoreWorkList:
        params = {"q": expression, "limit": str(min(count, SPEC.max_results))}
        if newest:
            params["sort"] = "recency"
        response = await self._upstream.send_get("/search/works", params=params)
        return wire.read_json_response(_CoreWorkList, response)


def _build_core_query(query: PaperQuery) -> str:
    text = shorten_query_text(
        " ".join(_QUERY_SYNTAX_PATTERN.sub(" ", clean_markup(query.text)).split()),
        SPEC.max_query_chars,
    )
    bounds = ((">=", query.year_from), ("<=", query.year_to))
    parts = [f"yearPublished{sign}{year}" for sign, year in bounds if year]
    if query.full_text:
        parts.append("_exists_:fullText")
    return f"({text}) AND {' AND '.join(parts)}" if parts else text


def _parse_core_work(work: _CoreWork) -> Paper:
    ids = csl_works.collect_ids(doi=work.doi, arxiv=work.arxiv_id, pmid=work.pubmed_id)
    copies = _list_core_copies(work)
    url = _choose_core_url(work, ids)
    year = record_fields.parse_issued_date(str(work.year_published))
    exact = record_fields.parse_issued_date(work.published_date)
    published = exact if exact and (year is None or exact.startswith(year)) else year
    venues = (clean_markup(journal.title) for journal in work.journals or ())
    return Paper(
        title=record_fields.clean_title_field(work.title) or url,
        source=SPEC.name,
        url=url,
        ids=ids,
        authors=tuple(
            _parse_core_author(name)
            for author in work.authors or ()
            if (name := clean_markup(author.name))
        ),
        kind=_DOCUMENT_KINDS.get(clean_markup(work.document_type).lower()),
        year=extract_year(published),
        published=published,
        venue=next((venue for venue in venues if venue), None),
        publisher=clean_markup(work.publisher).strip("'") or None,  # many records put it in quotes
        abstract=clean_markup(work.abstract) or None,
        language=clean_markup(work.language.code) or None if work.language else None,
        citation_count=work.citation_count if (work.citation_count or 0) > 0 else None,
        open_access=True if copies else None,
        pdf_url=copies[0].url if copies and copies[0].pdf else None,
        copies=copies,
    )


def _choose_core_url(work: _CoreWork, ids: dict[IdentifierScheme, str]) -> str:
    if IdentifierScheme.DOI in ids:
        return csl_works.build_doi_url(ids[IdentifierScheme.DOI])
    number = clean_markup(work.id)
    own = f"https://core.ac.uk/works/{number}" if number.isalnum() else "https://core.ac.uk/"
    return work.find_link(_DISPLAY_LINK) or own


def _parse_core_author(name: str) -> WorkAuthor:
    """The author of `Family, Given`, as most repositories write it, or of a name without a comma."""
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given:
        return WorkAuthor(name=f"{given} {family}", family=family, given=given)
    return WorkAuthor(name=name)


def _list_core_copies(work: _CoreWork) -> tuple[OpenCopy, ...]:
    """The open copies, CORE's own file first because it outlasts a repository's move."""
    own = (work.download_url, work.find_link(_DOWNLOAD_LINK))
    files = {url: True for url in own if url}
    files |= {url: url.lower().endswith(".pdf") for url in work.source_fulltext_urls or ()} | files
    return tuple(
        OpenCopy(url=url, pdf=pdf, host="repository", source=SPEC.name)
        for url, pdf in files.items()
    )
