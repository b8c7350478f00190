"""Papers by way of a web search that keeps to scholarly sites."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from citewell.errors import CitewellError
from citewell.model.paper import Paper, Scheme
from citewell.model.routing import Trace
from citewell.model.source import FilterReport, SearchAnswer, SearchResult
from citewell.services.scholar.ask import Ask
from citewell.services.scholar.ladder import Harvest, Reply
from citewell.services.scholar.sieve import SITES, Sieve, newest
from citewell.services.web.ask import MOST_SITES
from citewell.services.web.ask import Ask as WebAsk
from citewell.services.web.search import Web
from citewell.text import identifiers
from citewell.text.urls import host, within

NAME = "web_search"
POOL = (
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org",
    "dl.acm.org", "nature.com", "sciencedirect.com", "link.springer.com", "researchgate.net",
    "plos.org", "frontiersin.org", "mdpi.com", "wiley.com", "jstor.org", "semanticscholar.org",
    "biorxiv.org", "medrxiv.org",
)  # fmt: skip
_NUMBERED = re.compile(r"^\[[\w.\-/]+\]\s+")  # [1706.03762] Attention Is All You Need
_SITE = re.compile(
    r"\s+[-|–—:]\s+(?:PubMed(?: Central)?|PMC|arXiv(?:\.org)?|Nature|IEEE Xplore|IEEE .{0,60}"
    r"|ScienceDirect|Springer\w*|SpringerLink|Semantic Scholar|ResearchGate|JSTOR|Wiley.{0,20}"
    r"|MDPI|Frontiers|PLOS.{0,20}|bioRxiv|medRxiv|ACM Digital Library|Google Scholar)\s*$",
    re.IGNORECASE,
)


class Fallback:
    def __init__(self, web: Web) -> None:
        self._web = web

    async def search(self, ask: Ask, *, trace: Trace, provider: str | None = None) -> Harvest:
        """What the scholarly sites have; an error when no web search could be made at all."""
        site = SITES.get(ask.source)
        groups = ((site,),) if site else (POOL[:MOST_SITES], POOL[MOST_SITES:])
        asks = [
            WebAsk(query=ask.query, count=ask.count, sites=sites, provider=provider)
            for sites in groups
        ]
        answers = await asyncio.gather(
            *(self._web.search(one, trace=trace) for one in asks), return_exceptions=True
        )
        found = [answer for answer in answers if isinstance(answer, SearchAnswer)]
        for answer in answers:
            if isinstance(answer, BaseException) and not (
                found and isinstance(answer, CitewellError)
            ):
                raise answer
        return _harvest(ask, found, provider)


def _harvest(ask: Ask, answers: Sequence[SearchAnswer], provider: str | None) -> Harvest:
    papers = [_paper(result, provider) for result in _interleaved(answers)]
    sieve = Sieve(ask, applied={"source"})
    kept = [paper for paper in papers if sieve.keeps(paper)]
    reply = Reply(
        provider=provider or NAME,
        papers=tuple(newest(kept) if ask.sort == "date" else kept),
        reports=_reports(sieve),
        dropped=len(papers) - len(kept),
    )
    note = (
        "These come from a web search of scholarly sites: titles and snippets, no registry records."
    )
    return Harvest(replies=[reply], notes=[note] if kept else [])


def _reports(sieve: Sieve) -> tuple[FilterReport, ...]:
    return sieve.reports(name=NAME, title="the web search")


def _interleaved(answers: Iterable[SearchAnswer]) -> Iterator[SearchResult]:
    rows = zip_longest(*(answer.results for answer in answers))
    return (result for row in rows for result in row if result is not None)


def _paper(result: SearchResult, provider: str | None) -> Paper:
    """What an address and a snippet tell; the year is the page's, and may be off by one."""
    ids = {found.scheme: found.value for found in identifiers.ids(result.url)}
    year = (result.published_at or "")[:4]
    return Paper(
        title=_SITE.sub("", _NUMBERED.sub("", result.title)) or result.title,
        source=provider or result.engine or NAME,
        url=result.url,
        ids=ids,
        year=int(year) if year.isdecimal() else None,
        abstract=result.snippet or None,
        pdf_url=_pdf(result.url, ids.get(Scheme.ARXIV)),
    )


def _pdf(url: str, arxiv: str | None) -> str | None:
    if arxiv:
        return f"https://arxiv.org/pdf/{arxiv}"
    return url if url.partition("?")[0].lower().endswith(".pdf") else None


def scholarly(url: str) -> bool:
    """Whether the address is on one of the sites that are known for papers."""
    name = host(url)
    return any(within(name, site) for site in POOL)
