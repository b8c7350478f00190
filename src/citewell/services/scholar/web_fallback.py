"""Finds papers by a web search limited to scholarly sites."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from citewell.errors import CitewellError
from citewell.model.argument_types import MAX_SITES
from citewell.model.paper import IdentifierScheme, Paper
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import FilterReport, SearchAnswer, SearchResult
from citewell.services.scholar.paper_filters import SOURCE_SITES, PaperFilter, sort_newest_first
from citewell.services.scholar.paper_request import PaperSearchRequest
from citewell.services.scholar.paper_search_ladder import PaperHarvest, PaperProviderReply
from citewell.services.web.search_request import SearchRequest as WebAsk
from citewell.services.web.search_service import WebSearchService
from citewell.text.citations import identifiers
from citewell.text.web.addresses import extract_host, is_within_domain

WEB_SEARCH_NAME = "web_search"
SCHOLARLY_SITES = (
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org",
    "dl.acm.org", "nature.com", "sciencedirect.com", "link.springer.com", "researchgate.net",
    "plos.org", "frontiersin.org", "mdpi.com", "wiley.com", "jstor.org", "semanticscholar.org",
    "biorxiv.org", "medrxiv.org",
)  # fmt: skip
_LEADING_ID_PATTERN = re.compile(r"^\[[\w.\-/]+\]\s+")  # [1706.03762] Attention Is All You Need
_SITE_SUFFIX_PATTERN = re.compile(
    r"(?<!\s)\s++[-|–—:]\s++(?:PubMed(?: Central)?|PMC|arXiv(?:\.org)?|Nature|IEEE Xplore|IEEE .{0,60}"
    r"|ScienceDirect|Springer\w*|SpringerLink|Semantic Scholar|ResearchGate|JSTOR|Wiley.{0,20}"
    r"|MDPI|Frontiers|PLOS.{0,20}|bioRxiv|medRxiv|ACM Digital Library|Google Scholar)\s*$",
    re.IGNORECASE,
)


class ScholarlyWebSearch:
    def __init__(self, web: WebSearchService) -> None:
        self._web = web

    async def search_scholarly_sites(
        self, ask: PaperSearchRequest, *, trace: RoutingTrace, provider: str | None = None
    ) -> PaperHarvest:
        """Papers found on scholarly sites, or on those of the lens; raises the error if every web search failed."""
        site = SOURCE_SITES.get(ask.source)
        groups = ((site,),) if site else (SCHOLARLY_SITES[:MAX_SITES], SCHOLARLY_SITES[MAX_SITES:])
        asks = [
            WebAsk(query=ask.query, count=ask.count, sites=sites, lens=ask.lens, provider=provider)
            for sites in (((),) if ask.lens else groups)
        ]
        answers = await asyncio.gather(
            *(self._web.search_web_pages(one, trace=trace) for one in asks), return_exceptions=True
        )
        found = [answer for answer in answers if isinstance(answer, SearchAnswer)]
        for answer in answers:
            if isinstance(answer, BaseException) and not (
                found and isinstance(answer, CitewellError)
            ):
                raise answer
        return _collect_web_papers(ask, found, provider)


def _collect_web_papers(
    ask: PaperSearchRequest, answers: Sequence[SearchAnswer], provider: str | None
) -> PaperHarvest:
    papers = [_build_web_paper(result, provider) for result in _interleave_results(answers)]
    sieve = PaperFilter(ask, applied={"source", "lens"})
    kept = [paper for paper in papers if sieve.should_keep(paper)]
    reply = PaperProviderReply(
        provider=provider or WEB_SEARCH_NAME,
        papers=tuple(sort_newest_first(kept) if ask.sort == "date" else kept),
        reports=_build_web_filter_reports(sieve),
        dropped=len(papers) - len(kept),
    )
    searched = f"the domains of the lens {ask.lens}" if ask.lens else "scholarly sites"
    note = f"These come from a web search of {searched}: titles and snippets, no registry records."
    return PaperHarvest(replies=[reply], notes=[note] if kept else [])


def _build_web_filter_reports(sieve: PaperFilter) -> tuple[FilterReport, ...]:
    return sieve.build_filter_reports(name=WEB_SEARCH_NAME, title="the web search")


def _interleave_results(answers: Iterable[SearchAnswer]) -> Iterator[SearchResult]:
    rows = zip_longest(*(answer.results for answer in answers))
    return (result for row in rows for result in row if result is not None)


def _build_web_paper(result: SearchResult, provider: str | None) -> Paper:
    """A paper from an address and a snippet; the year is the page's and may be off by one."""
    ids = {found.scheme: found.value for found in identifiers.find_identifiers(result.url)}
    year = (result.published_at or "")[:4]
    return Paper(
        title=_SITE_SUFFIX_PATTERN.sub("", _LEADING_ID_PATTERN.sub("", result.title))
        or result.title,
        source=provider or result.engine or WEB_SEARCH_NAME,
        url=result.url,
        ids=ids,
        year=int(year) if year.isdecimal() else None,
        abstract=result.snippet or None,
        pdf_url=_find_result_pdf(result.url, ids.get(IdentifierScheme.ARXIV)),
    )


def _find_result_pdf(url: str, arxiv: str | None) -> str | None:
    if arxiv:
        return f"https://arxiv.org/pdf/{arxiv}"
    return url if url.partition("?")[0].lower().endswith(".pdf") else None


def is_scholarly_site(url: str) -> bool:
    """Whether the address belongs to one of SCHOLARLY_SITES."""
    name = extract_host(url)
    return any(is_within_domain(name, site) for site in SCHOLARLY_SITES)
