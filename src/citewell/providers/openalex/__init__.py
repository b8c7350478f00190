"""OpenAlex: an open index of scholarly works, with abstracts and citations; no key needed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from citewell.core.errors import InvalidInput, MalformedResponse, NotFound, RateLimited
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
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream.json_responses import read_json_response
from citewell.providers.dialects import csl_works
from citewell.providers.openalex import openalex_works
from citewell.providers.openalex.openalex_works import OpenAlexWork, OpenAlexWorkList
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec, accept_key
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="openalex",
    title="OpenAlex",
    homepage="https://developers.openalex.org/api-reference/authentication",
    base_url="https://api.openalex.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH, Offer.INTEGRITY}),
    applied_arguments={
        Offer.PAPERS: frozenset({"open_access", "sort_by", "source", "year_from", "year_to"})
    },
    options=(
        ProviderOption(env="OPENALEX_EMAIL", help="Your address, so that OpenAlex can reach you."),
        accept_key(
            "OPENALEX_API_KEY", "A free key of OpenAlex; without it a day's searches are few."
        ),
    ),
    max_results=100,
    per_second=30.0,
    burst=30,
    rank=10,
    terms="Free within a daily allowance, ten times as large with a free key.",
    test_evidence="recorded answers",
)

_SOURCE_IDS = {
    "arxiv": "S4306400194",
    "pubmed": "S4306525036",
    "ieee": "S202467917",
    "nature": "S137773608",
    "springer": "S70931966",
}
_QUERY_OPERATOR_PATTERN = re.compile(
    r"[\"“”„«»*?~|!()\[\]{}^\\]+"
)  # operators of the query language
_FILTER_SEPARATOR_PATTERN = re.compile(r"[,:|!&]+")  # separators in filters
_MAX_BATCH_IDS = 50  # ids in one filter; the limit is 100
_MAX_REFERENCES = 200  # of one work that are looked up


class Provider(KitProvider):
    schemes = frozenset(
        {
            IdentifierScheme.DOI,
            IdentifierScheme.PMID,
            IdentifierScheme.PMCID,
            IdentifierScheme.OPENALEX,
            IdentifierScheme.ARXIV,
        }
    )
    max_batch = MappingProxyType(
        {IdentifierScheme.DOI: _MAX_BATCH_IDS, IdentifierScheme.ARXIV: _MAX_BATCH_IDS}
    )

    def _set_up(self) -> None:
        given = {
            "mailto": self._kit.find_option("OPENALEX_EMAIL"),
            "api_key": self._kit.find_option(
                "OPENALEX_API_KEY"
            ),  # OpenAlex does not accept it as a header
        }
        self._own = {name: value for name, value in given.items() if value}

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        params = _build_openalex_params(query)
        if not params["search"]:
            return PaperHits(papers=())
        answer = await self._list_openalex_works(params, count=query.count)
        return PaperHits(
            papers=openalex_works.parse_openalex_works(answer.results)[: query.count],
            total=answer.meta.count if answer.meta else None,
            applied=csl_works.name_filters(
                year=query.year_from or query.year_to,
                source=query.source in _SOURCE_IDS,
                sort=query.sort == "date",
                open_access=query.open_access,
            ),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        work = await self._fetch_openalex_work(paper_id)
        return None if work is None else openalex_works.parse_openalex_work(work)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = {
            paper_id: PaperId(scheme=IdentifierScheme.DOI, value=_convert_to_doi(paper_id))
            for paper_id in ids
        }
        dois = csl_works.keep_plain_dois(asked.values())
        if not dois:
            return {}
        values = "|".join(doi.value for doi in dois)
        answer = await self._list_openalex_works(
            {"filter": f"doi:{values}"}, count=SPEC.max_results
        )
        whole = answer.meta is not None and answer.meta.count == len(answer.results)
        found = csl_works.assign_papers(
            dois, map(openalex_works.parse_openalex_work, answer.results), is_complete=whole
        )
        return {paper_id: found[doi] for paper_id, doi in asked.items() if doi in found}

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        words = _strip_search_operators(query.title or query.text)
        if query.title:
            words = " ".join(_FILTER_SEPARATOR_PATTERN.sub(" ", words).split())
        if not words:
            return ()
        params = {"filter": f"title.search:{words}"} if query.title else {"search": words}
        answer = await self._list_openalex_works(params, count=query.count)
        return openalex_works.parse_openalex_works(answer.results)[: query.count]

    async def list_citing_papers(
        self, paper_id: PaperId, *, count: int
    ) -> tuple[Paper, ...] | None:
        work = await self._fetch_openalex_work(paper_id, select="id,doi")
        if work is None or (number := openalex_works.find_openalex_id(work)) is None:
            return None
        params = {"filter": f"cites:{number}", "sort": "cited_by_count:desc"}
        return openalex_works.parse_openalex_works(
            (await self._list_openalex_works(params, count=count)).results
        )[:count]

    async def list_cited_papers(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        """The works it cites, most cited first; looks at no more than `_MAX_REFERENCES` of them."""
        work = await self._fetch_openalex_work(paper_id, select="id,doi,referenced_works")
        if work is None:
            return None
        numbers = openalex_works.list_referenced_ids(work)[:_MAX_REFERENCES]
        papers: list[Paper] = []
        for start in range(0, len(numbers), _MAX_BATCH_IDS):
            batch = "|".join(numbers[start : start + _MAX_BATCH_IDS])
            answer = await self._list_openalex_works(
                {"filter": f"openalex_id:{batch}"}, count=_MAX_BATCH_IDS
            )
            papers += openalex_works.parse_openalex_works(answer.results)
        papers.sort(key=lambda paper: -(paper.citation_count or 0))
        return tuple(papers[:count])

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        work = await self._fetch_openalex_work(paper_id, select="id,doi,is_retracted")
        if work is None:
            return None
        if work.is_retracted is None:
            raise MalformedResponse(
                "The response does not say whether the work is retracted.", provider=SPEC.name
            )
        return openalex_works.list_openalex_notices(work)

    async def _fetch_openalex_work(
        self, paper_id: PaperId, *, select: str = ""
    ) -> OpenAlexWork | None:
        params = {"select": select} if select else {}
        try:
            response = await self._fetch_openalex_json(
                f"/works/{_build_work_segment(paper_id)}", params
            )
        except NotFound:
            return None
        work = read_json_response(OpenAlexWork, response)
        # OpenAlex merges versions: a preprint's DOI may return the article, a different work.
        is_requested = paper_id.scheme is not IdentifierScheme.DOI or csl_works.normalize_doi(
            work.doi
        ) in {"", paper_id.value.lower()}
        return work if is_requested else None

    async def _list_openalex_works(
        self, params: Mapping[str, str], *, count: int
    ) -> OpenAlexWorkList:
        size = {"per_page": str(min(count, SPEC.max_results))}
        return read_json_response(
            OpenAlexWorkList, await self._fetch_openalex_json("/works", {**params, **size})
        )

    async def _fetch_openalex_json(self, path: str, params: Mapping[str, str]) -> HttpResponse:
        response = await self._upstream.send_get(
            path, params={**params, **self._own}, accept=(403,)
        )
        if response.status == 403:  # OpenAlex sends 403 for too many requests in a second
            raise RateLimited(
                "OpenAlex is limiting the rate of our requests.",
                provider=SPEC.name,
                retry_after=read_retry_delay(response.headers, now=self._kit.clock),
            )
        return response


def _build_work_segment(paper_id: PaperId) -> str:
    value = paper_id.value
    match paper_id.scheme:
        case IdentifierScheme.DOI:
            return f"doi:{csl_works.encode_doi_segment(value)}"
        case IdentifierScheme.ARXIV:
            return f"doi:{csl_works.encode_doi_segment(_convert_to_doi(paper_id))}"
        case IdentifierScheme.PMID | IdentifierScheme.PMCID:
            return f"{paper_id.scheme}:{csl_works.encode_doi_segment(value)}"
        case IdentifierScheme.OPENALEX:
            return csl_works.encode_doi_segment(value)
        case _:
            message = f"OpenAlex cannot look up works by {paper_id.scheme}."
            raise InvalidInput(message, provider=SPEC.name)


def _convert_to_doi(paper_id: PaperId) -> str:
    """The DOI of a paper; for an arXiv id the DOI that arXiv registers for it."""
    arxiv = paper_id.scheme is IdentifierScheme.ARXIV
    return f"10.48550/arxiv.{paper_id.value}".lower() if arxiv else paper_id.value


def _build_openalex_params(query: PaperQuery) -> dict[str, str]:
    chosen = (
        f"from_publication_date:{query.year_from}-01-01" if query.year_from is not None else "",
        f"to_publication_date:{query.year_to}-12-31" if query.year_to is not None else "",
        "open_access.is_oa:true" if query.open_access or query.full_text else "",
        f"primary_location.source.id:{_SOURCE_IDS[query.source]}"
        if query.source in _SOURCE_IDS
        else "",
    )
    filters = ",".join(filter(None, chosen))
    params = {"search": _strip_search_operators(query.text)}
    if filters:
        params["filter"] = filters
    if query.sort == "date":
        params["sort"] = "publication_date:desc"
    return params


def _strip_search_operators(text: str) -> str:
    """The text without quotes, which would exclude almost everything, and without other operators."""
    return shorten_query_text(
        " ".join(_QUERY_OPERATOR_PATTERN.sub(" ", clean_markup(text)).split()), SPEC.max_query_chars
    )
