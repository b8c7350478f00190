"""Searches independent sources for a recommendation, and classifies whether each result agrees."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.recommendation_audit import CorroboratingResult, CorroborationSearch
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import SearchAnswer, SearchResult
from citewell.services.trust.claim_coverage import ADDRESSED, NOT_ADDRESSED, measure_claim_coverage
from citewell.services.web.search_request import SearchRequest
from citewell.text.language.stopwords import drop_query_stopwords
from citewell.text.language.tokens import extract_terms
from citewell.text.web import addresses, registered_domains
from citewell.text.web.search_operators import shorten_query_text

logger = logging.getLogger(__name__)

CORROBORATION_LENSES = ("news", "tech")
RECORDS_LENS = "investigative_records"
AGREE, DISAGREE, SILENT = "agree", "disagree", "silent"
_MAX_CONCURRENT_SEARCHES = 6
_MAX_QUERY_CHARS = 300  # characters
_MAX_TOP_RESULTS = 3
# Words about losses or offences: public records are then searched too.
_RISK_WORDS_PATTERN = re.compile(
    r"\b(?:scams?|fraud\w*|lawsuits?|sued|suing|breach\w*|hack(?:ed|s)?|recall\w*|fine[ds]?|penalt\w+|sanction\w*"
    r"|investigat\w+|bankrupt\w*|ponzi|pyramid scheme|counterfeit\w*|corrupt\w*|indict\w*|settlement|unsafe|banned"
    r"|betrug\w*|klage|insolven\w*|escroquerie|fraude|estafa|demanda|truffa)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorroborationRequest:
    """What is recommended, at which address, and the claim about it."""

    title: str
    url: str
    claim: str
    results_per_search: int  # results per search
    tenant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LensScope:
    """How one request covers a lens: at which provider, and in which of its sites."""

    provider: str | None = None  # None for the usual order
    sites: tuple[str, ...] = ()  # empty for all of the lens


class CachedSearchPort(Protocol):
    async def search_cached(
        self, ask: SearchRequest, *, trace: RoutingTrace, tenant: str | None = None
    ) -> SearchAnswer: ...


class CorroborationFinder:
    def __init__(
        self,
        searches: CachedSearchPort,
        choose_scope: Callable[[str], LensScope] = lambda _lens: LensScope(),
    ) -> None:
        """`choose_scope` bounds the search of a lens, given its name, to what one request covers."""
        self._searches = searches
        self._choose_scope = choose_scope
        self._gate = asyncio.Semaphore(_MAX_CONCURRENT_SEARCHES)

    async def corroborate_recommendation(
        self, matter: CorroborationRequest
    ) -> tuple[CorroborationSearch, ...]:
        """One search for each lens; a search that fails is left out."""
        risky = _RISK_WORDS_PATTERN.search(f"{matter.title} {matter.claim}")
        lenses = (*CORROBORATION_LENSES, RECORDS_LENS) if risky else CORROBORATION_LENSES
        found = await asyncio.gather(*(self._search_lens(lens, matter) for lens in lenses))
        return tuple(search for search in found if search is not None)

    async def _search_lens(
        self, lens: str, matter: CorroborationRequest
    ) -> CorroborationSearch | None:
        words = shorten_query_text(f"{matter.title} {matter.claim}", _MAX_QUERY_CHARS)
        # A search that finds little is repeated without stop-words: without them it is asked once.
        query = drop_query_stopwords(words, language=None)
        answer = await self._ask_lens_sites(lens, query, matter)
        if answer is None:
            return None
        own = registered_domains.find_registered_domain(addresses.extract_host(matter.url))
        results = [one for one in answer.results if not _is_own_domain(one, own)]
        signals = [classify_agreement(one, matter.title, matter.claim) for one in results]
        return _build_corroboration_search(lens, query, list(zip(signals, results, strict=True)))

    async def _ask_lens_sites(
        self, lens: str, query: str, matter: CorroborationRequest
    ) -> SearchAnswer | None:
        """One request of the default provider; if that fails, the usual order. None if all failed."""
        scope = self._choose_scope(lens)
        async with self._gate:
            for one in dict.fromkeys((scope, LensScope())):
                try:
                    return await self._searches.search_cached(
                        _build_scoped_request(lens, query, one, matter),
                        trace=RoutingTrace(),
                        tenant=matter.tenant,
                    )
                except CitewellError as error:
                    logger.info("corroboration through %s failed: %s", lens, error.kind)
        return None


def _build_scoped_request(
    lens: str, query: str, scope: LensScope, matter: CorroborationRequest
) -> SearchRequest:
    return SearchRequest(
        query=query,
        count=matter.results_per_search,
        provider=scope.provider,
        sites=scope.sites,
        lens=None if scope.sites else lens,
    )


def _is_own_domain(result: SearchResult, domain: str) -> bool:
    """Whether the result is from the recommended site itself, which cannot corroborate it."""
    return (
        bool(domain)
        and registered_domains.find_registered_domain(addresses.extract_host(result.url)) == domain
    )


def _build_corroboration_search(
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
            for said, one in ranked[:_MAX_TOP_RESULTS]
        ),
    )


def classify_agreement(result: SearchResult, title: str, claim: str) -> str:
    """`agree` if the result names what is recommended and covers the claim without contrast."""
    text = ". ".join((result.title, result.snippet, *(result.extra_snippets or ())))
    found = measure_claim_coverage(claim, text)
    if found.support == NOT_ADDRESSED:
        return DISAGREE
    if found.support != ADDRESSED or not _has_recommended_name(text, title):
        return SILENT
    return DISAGREE if found.has_contrast else AGREE


def _has_recommended_name(text: str, title: str) -> bool:
    wanted = extract_terms(title)
    return bool(wanted) and len(wanted & extract_terms(text)) * 2 >= len(wanted)
