"""Whether others say the same: searches among independent sources, and how far each result agrees."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.recommendation import CorroboratingResult, CorroborationSearch
from citewell.model.routing import Trace
from citewell.model.source import SearchAnswer, SearchResult
from citewell.services.trust.coverage import ADDRESSED, NOT_ADDRESSED, measure
from citewell.services.web.ask import Ask
from citewell.text import domains, urls
from citewell.text.operators import shorten
from citewell.text.tokens import terms

logger = logging.getLogger(__name__)

LENSES = ("news", "tech")
RECORDS = "investigative_records"
AGREE, DISAGREE, SILENT = "agree", "disagree", "silent"
_AT_ONCE = 6
_QUERY = 300  # characters
_TOP = 3
# Where money was lost or the law broken, the records are asked too.
_RISK = re.compile(
    r"\b(?:scams?|fraud\w*|lawsuits?|sued|suing|breach\w*|hack(?:ed|s)?|recall\w*|fine[ds]?|penalt\w+|sanction\w*"
    r"|investigat\w+|bankrupt\w*|ponzi|pyramid scheme|counterfeit\w*|corrupt\w*|indict\w*|settlement|unsafe|banned"
    r"|betrug\w*|klage|insolven\w*|escroquerie|fraude|estafa|demanda|truffa)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What is recommended, where, and what is said of it."""

    title: str
    url: str
    claim: str
    count: int  # results of each search
    tenant: str | None = None


class Searching(Protocol):
    async def search(
        self, ask: Ask, *, trace: Trace, tenant: str | None = None
    ) -> SearchAnswer: ...


class Corroboration:
    def __init__(self, searches: Searching) -> None:
        self._searches = searches
        self._gate = asyncio.Semaphore(_AT_ONCE)

    async def look(self, matter: Matter) -> tuple[CorroborationSearch, ...]:
        """One search for each lens; one that fails is left out, and never fails the audit."""
        risky = _RISK.search(f"{matter.title} {matter.claim}")
        lenses = (*LENSES, RECORDS) if risky else LENSES
        found = await asyncio.gather(*(self._through(lens, matter) for lens in lenses))
        return tuple(search for search in found if search is not None)

    async def _through(self, lens: str, matter: Matter) -> CorroborationSearch | None:
        query = shorten(f"{matter.title} {matter.claim}", _QUERY)
        ask = Ask(query=query, count=matter.count, lens=lens)
        async with self._gate:
            try:
                answer = await self._searches.search(ask, trace=Trace(), tenant=matter.tenant)
            except CitewellError as error:
                logger.info("corroboration through %s failed: %s", lens, error.kind)
                return None
        own = domains.registrable(urls.host(matter.url))
        results = [one for one in answer.results if not _own(one, own)]
        signals = [signal(one, matter.title, matter.claim) for one in results]
        return _counted(lens, query, list(zip(signals, results, strict=True)))


def _own(result: SearchResult, domain: str) -> bool:
    """Nobody corroborates himself."""
    return bool(domain) and domains.registrable(urls.host(result.url)) == domain


def _counted(
    lens: str, query: str, found: Sequence[tuple[str, SearchResult]]
) -> CorroborationSearch:
    counts = Counter(said for said, _ in found)
    ranked = sorted(found, key=lambda pair: (AGREE, DISAGREE, SILENT).index(pair[0]))
    return CorroborationSearch(
        lens=lens,
        query=query,
        result_count=len(found),
        agree_count=counts[AGREE],
        disagree_count=counts[DISAGREE],
        silent_count=counts[SILENT],
        top_results=tuple(
            CorroboratingResult(title=one.title, url=one.url, signal=said)
            for said, one in ranked[:_TOP]
        ),
    )


def signal(result: SearchResult, title: str, claim: str) -> str:
    """Agrees where it names what is recommended and covers the claim without a denial."""
    text = ". ".join((result.title, result.snippet, *(result.extra_snippets or ())))
    found = measure(claim, text)
    if found.support == NOT_ADDRESSED:
        return DISAGREE
    if found.support != ADDRESSED or not _names(text, title):
        return SILENT
    return DISAGREE if found.contrast else AGREE


def _names(text: str, title: str) -> bool:
    wanted = terms(title)
    return bool(wanted) and len(wanted & terms(text)) * 2 >= len(wanted)
