"""PubMed: papers in medicine and related fields, with abstracts and notices; no key needed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import Field

from citewell.citations import record_fields
from citewell.core import errors
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.providers.pubmed.article_records import read_pubmed_articles
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.language import word_forms
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="pubmed",
    title="PubMed",
    homepage="https://www.ncbi.nlm.nih.gov/books/NBK25497/",
    base_url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.INTEGRITY}),
    applied_arguments={
        Offer.PAPERS: frozenset({"open_access", "sort_by", "source", "year_from", "year_to"})
    },
    options=(
        ProviderOption(
            env="PUBMED_API_KEY",
            help="Key of an NCBI account: ten requests a second in place of three.",
            secret=True,
            per_second=10.0,
        ),
        ProviderOption(env="PUBMED_EMAIL", help="Your e-mail address, so that NCBI can warn you."),
        ProviderOption(env="OPENALEX_EMAIL", help="Used for PubMed where PUBMED_EMAIL is not set."),
    ),
    max_results=50,
    max_query_chars=1000,
    per_second=3.0,
    rank=30,
    terms="No more than three requests a second without a key; the abstracts' rights are their publishers'.",
    test_evidence="records: recorded answers; search: shape-tested only",
)

A = TypeVar("A", bound=wire.JsonResponse)

_ID_PARSERS = {
    IdentifierScheme.PMID: record_fields.normalize_pmid_field,
    IdentifierScheme.DOI: record_fields.normalize_doi_field,
    IdentifierScheme.PMCID: record_fields.normalize_pmcid_field,
}
_MAX_BATCH_IDS = 50  # 200 are allowed, but fifty abstracts are a megabyte
_MAX_TITLE_WORDS = 12  # enough to identify a title
_WORD_PATTERN = re.compile(r"[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ'’-]*")
_RATE_LIMIT_PATTERN = re.compile(r"rate limit", re.IGNORECASE)
_NO_RECORDS_PATTERN = re.compile(rb"ID list is empty|no correct IDs|UID=[^<]{0,200}cannot be retrieved", re.IGNORECASE)  # fmt: skip


class _EsearchResult(wire.ResponsePart):
    ERROR: wire.OptionalField[str] = None
    count: wire.OptionalField[int] = None
    idlist: wire.OptionalField[list[str]] = None  # empty, not absent, when nothing was found


class _EsearchResponse(wire.JsonResponse):
    esearchresult: _EsearchResult


class _EsummaryId(wire.ResponsePart):
    idtype: wire.OptionalField[str] = None
    value: wire.OptionalField[str] = None


class _EsummaryRecord(wire.ResponsePart):
    articleids: wire.TolerantItems[
        _EsummaryId
    ] = ()  # absent for an unknown id, which gets an error instead


class _EsummaryResponse(wire.JsonResponse):
    result: dict[str, wire.OptionalField[_EsummaryRecord]] = Field(default_factory=dict)
    esummaryresult: Any = None  # replaces `result` if the id is malformed


class Provider(KitProvider):
    schemes = frozenset(_ID_PARSERS)
    max_batch = MappingProxyType(
        {IdentifierScheme.PMID: _MAX_BATCH_IDS, IdentifierScheme.DOI: _MAX_BATCH_IDS}
    )

    def _set_up(self) -> None:
        self._key = self._kit.find_option("PUBMED_API_KEY")
        email = self._kit.find_option("PUBMED_EMAIL") or self._kit.find_option("OPENALEX_EMAIL")
        self._about = {"tool": "citewell"} | ({"email": email} if email else {})

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        numbers, total = await self._search_pmids(_build_esearch_params(query))
        papers = await self._fetch_articles(numbers)
        applied = csl_works.name_filters(
            year=query.year_from or query.year_to,
            sort=True,
            open_access=query.open_access,
            source=query.source == "pubmed",
        )
        return PaperHits(papers=papers[: query.count], total=total, applied=applied)

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        """The paper whose record states this identifier; the search may return other papers as well."""
        wanted = _normalize_pubmed_id(paper_id)
        found = (
            await self._fetch_articles(await self._find_pmids(paper_id.scheme, wanted))
            if wanted
            else ()
        )
        return next((paper for paper in found if paper.ids.get(paper_id.scheme) == wanted), None)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Papers by id. Fetching silently skips unknown PMIDs, so only the DOI search can return None."""
        asked = [
            paper_id
            for paper_id in ids
            if _normalize_pubmed_id(paper_id) and '"' not in paper_id.value
        ]
        if not asked:
            return {}
        if asked[0].scheme is IdentifierScheme.PMID:
            return csl_works.assign_papers(
                asked,
                await self._fetch_articles([paper_id.value for paper_id in asked]),
                is_complete=False,
            )
        term = " OR ".join(f'"{paper_id.value}"[aid]' for paper_id in asked)
        numbers, total = await self._search_pmids({"term": term, "retmax": str(2 * _MAX_BATCH_IDS)})
        papers = await self._fetch_articles(numbers)
        return csl_works.assign_papers(asked, papers, is_complete=total == len(papers))

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        for term in _build_match_terms(query):
            asked = {"term": term, "retmax": str(query.count), "sort": "relevance"}
            numbers, _total = await self._search_pmids(asked)
            if numbers:
                return (await self._fetch_articles(numbers))[: query.count]
        return ()

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        paper = await self.look_up_paper(paper_id)
        return None if paper is None else paper.events

    async def _find_pmids(self, scheme: IdentifierScheme, value: str) -> Sequence[str]:
        """The PMIDs that the identifier may stand for."""
        if scheme is IdentifierScheme.PMID:
            return (value,)
        if scheme is IdentifierScheme.PMCID:
            return await self._resolve_pmcid(value)
        numbers, _total = await self._search_pmids({"term": f'"{value}"[aid]', "retmax": "5"})
        return numbers

    async def _resolve_pmcid(self, pmcid: str) -> Sequence[str]:
        number = pmcid.removeprefix("PMC")
        response = await self._send_eutils_request(
            "/esummary.fcgi", {"db": "pmc", "id": number, "retmode": "json"}, accept=(400,)
        )
        summaries = _read_eutils_json(_EsummaryResponse, response)
        summary = summaries.result.get(number) or _EsummaryRecord()
        given = (
            record_fields.normalize_pmid_field(number.value)
            for number in summary.articleids
            if number.idtype == "pmid"
        )
        return [pmid for pmid in given if pmid]

    async def _search_pmids(self, params: dict[str, str]) -> tuple[Sequence[str], int | None]:
        """The PMIDs found, best first, and the total count."""
        asked = {"db": "pubmed", "retmode": "json"} | params
        result = _read_eutils_json(
            _EsearchResponse, await self._send_eutils_request("/esearch.fcgi", asked)
        ).esearchresult
        if result.ERROR:
            message = "The upstream answered with an error in place of results."
            raise errors.UpstreamUnavailable(message, provider=SPEC.name)
        if result.idlist is None:
            raise errors.MalformedResponse("The response has no list of PMIDs.", provider=SPEC.name)
        return result.idlist, result.count

    async def _fetch_articles(self, numbers: Sequence[str]) -> tuple[Paper, ...]:
        """The papers with these PMIDs, in the same order; unknown ones are left out."""
        wanted = [number for number in map(record_fields.normalize_pmid_field, numbers) if number]
        if not wanted:
            return ()
        params = {"db": "pubmed", "id": ",".join(wanted), "retmode": "xml"}
        response = await self._send_eutils_request("/efetch.fcgi", params, accept=(400,))
        if response.status == 400:
            if _NO_RECORDS_PATTERN.search(response.body):
                return ()
            raise errors.RejectedRequest(
                "The upstream refused this request.", provider=response.provider
            )
        if response.body.lstrip().startswith(b"{"):
            _read_eutils_json(
                _EsearchResponse, response
            )  # an error, sent as JSON in spite of retmode
        found = {
            paper.ids[IdentifierScheme.PMID]: paper for paper in read_pubmed_articles(response)
        }
        return tuple(found[number] for number in dict.fromkeys(wanted) if number in found)

    async def _send_eutils_request(
        self, path: str, params: dict[str, str], *, accept: tuple[int, ...] = ()
    ) -> HttpResponse:
        """The response of an E-utility; with a key by POST, which keeps the key out of URLs."""
        asked = params | self._about
        if self._key is None:
            return await self._upstream.send_get(path, params=asked, accept=accept)
        form = asked | {"api_key": self._key}
        return await self._upstream.send_post(path, form=form, accept=accept)


def _read_eutils_json(model: type[A], response: HttpResponse) -> A:
    """The response as `model`; raises RateLimited for that error, which may come with any status."""
    answer = response.parse_json()
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, str) and _RATE_LIMIT_PATTERN.search(error):
        raise errors.RateLimited("The upstream asks us to slow down.", provider=response.provider)
    return wire.read_json_response(model, response)


def _normalize_pubmed_id(paper_id: PaperId) -> str | None:
    if paper_id.scheme not in _ID_PARSERS:
        raise errors.InvalidInput(
            f"PubMed cannot look up papers by {paper_id.scheme}.", provider=SPEC.name
        )
    return _ID_PARSERS[paper_id.scheme](paper_id.value)


def _build_esearch_params(query: PaperQuery) -> dict[str, str]:
    term = shorten_query_text(clean_markup(query.text), SPEC.max_query_chars)
    if query.open_access:
        term = f'({term}) AND "loattrfree full text"[sb]'
    if query.full_text:
        term = f'({term}) AND "pubmed pmc"[sb]'
    params = {
        "term": term,
        "retmax": str(min(query.count, SPEC.max_results)),
        "sort": "pub_date" if query.sort == "date" else "relevance",
    }
    if query.year_from or query.year_to:  # PubMed ignores one bound without the other
        bounds = {"mindate": str(query.year_from or 1500), "maxdate": str(query.year_to or 3000)}
        params |= {"datetype": "pdat"} | bounds
    return params


def _build_match_terms(query: BibliographicQuery) -> tuple[str, ...]:
    """Terms to try in order: all title words; then the author, the years around it and any title word."""
    found = _WORD_PATTERN.findall(clean_markup(query.title))
    words = word_forms.choose_telling_words(found, count=_MAX_TITLE_WORDS, min_chars=2)
    if not words:
        text = shorten_query_text(clean_markup(query.text), 300)
        return (text,) if text else ()
    exact = " AND ".join(f"{word}[ti]" for word in words)
    author = " ".join(_WORD_PATTERN.findall(clean_markup(query.author)))
    if not author:
        return (exact,)
    some = " OR ".join(f"{word}[ti]" for word in words)
    loose = f"{author}[au] AND ({some})"
    years = f" AND {query.year - 1}:{query.year + 1}[dp]" if query.year else ""
    return exact, loose + years
