"""Europe PMC: life-science papers, preprints and books, with open copies and notices; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from citewell.dialects import batch_lookup
from citewell.dialects.json_responses import read_json_response
from citewell.errors import InvalidInput, MalformedResponse, UpstreamUnavailable
from citewell.model.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.ports import Offer, ProviderKit, ProviderSpec
from citewell.providers.europepmc.work_records import EuropePmcResponse, parse_europepmc_work
from citewell.text.citations import record_fields
from citewell.text.language import stopwords
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.search_operators import shorten_query_text

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


class Provider:
    schemes: ClassVar[frozenset[IdentifierScheme]] = frozenset(_ID_PARSERS)
    max_batch: ClassVar[Mapping[IdentifierScheme, int]] = MappingProxyType(
        dict.fromkeys(_ID_PARSERS, _MAX_BATCH_IDS)
    )

    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        papers, total = await self._search_europepmc(
            _build_europepmc_query(query), count=query.count, newest=query.sort == "date"
        )
        return PaperHits(papers=papers, total=total, applied=_list_europepmc_filters(query))

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        """The paper whose record states this identifier; the search may return other papers as well."""
        wanted = _normalize_europepmc_id(paper_id)
        if wanted is None:
            return None
        asked = _ID_QUERIES[paper_id.scheme].format(wanted.replace('"', ""))
        papers, _total = await self._search_europepmc(asked, count=5)
        return next((one for one in papers if one.ids.get(paper_id.scheme) == wanted), None)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = {one: _normalize_europepmc_id(one) for one in ids}
        sound = {one: value for one, value in asked.items() if value and '"' not in value}
        if not sound:
            return {}
        each = (f"({_ID_QUERIES[one.scheme].format(value)})" for one, value in sound.items())
        papers, total = await self._search_europepmc(" OR ".join(each), count=SPEC.max_results)
        return batch_lookup.assign_papers(list(sound), papers, is_complete=total == len(papers))

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
        answer = read_json_response(
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


def _list_europepmc_filters(query: PaperQuery) -> frozenset[str]:
    chosen = {
        "year": query.year_from or query.year_to,
        "sort": True,
        "open_access": query.open_access,
        "source": query.source == "pubmed",
    }
    return frozenset(name for name, wanted in chosen.items() if wanted)


def _build_title_queries(query: BibliographicQuery) -> tuple[str, ...]:
    """Queries to try in order: all title words; then the author, the years around it and any title word."""
    found = _WORD_PATTERN.findall(clean_markup(query.title))
    words = stopwords.choose_telling_words(found, count=_MAX_TITLE_WORDS)
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
