"""Evidence about recommendations: its fields (spec 1), and the search for independent sources that agree."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from pydantic import Field

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchAnswer, SearchResult, SourceReputation
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue
from citewell.routing.ports import Offer
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_request import SearchRequest
from citewell.text import addresses
from citewell.text import addresses as registered_domains
from citewell.text.language.word_forms import drop_query_stopwords, extract_terms
from citewell.text.search_operators import shorten_query_text
from citewell.trust.claim_sources import ADDRESSED, NOT_ADDRESSED, measure_claim_coverage

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


class CorroborationFinder:
    def __init__(
        self,
        searches: CachedWebSearch,
        choose_scope: Callable[[str], LensScope] = lambda _lens: LensScope(),
    ) -> None:
        """`choose_scope` bounds the search of a lens, given its name, to what one request covers."""
        self._searches = searches
        self._choose_scope = choose_scope
        self._gate = asyncio.Semaphore(_MAX_CONCURRENT_SEARCHES)

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(CachedWebSearch), partial(_choose_lens_scope, kit))

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
        results = [result for result in answer.results if not _is_own_domain(result, own)]
        signals = [classify_agreement(hit, matter.title, matter.claim) for hit in results]
        return _build_corroboration_search(lens, query, list(zip(signals, results, strict=True)))

    async def _ask_lens_sites(
        self, lens: str, query: str, matter: CorroborationRequest
    ) -> SearchAnswer | None:
        """One request of the default provider; if that fails, the usual order. None if all failed."""
        scope = self._choose_scope(lens)
        async with self._gate:
            for lens_scope in dict.fromkeys((scope, LensScope())):
                try:
                    return await self._searches.search_cached(
                        _build_scoped_request(lens, query, lens_scope, matter),
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
    counts = Counter(signal for signal, _ in found)
    ranked = sorted(found, key=lambda pair: (AGREE, DISAGREE, SILENT).index(pair[0]))
    return CorroborationSearch(
        lens=lens,
        query=query,
        result_count=len(found),
        agree_count=counts[AGREE],
        disagree_count=counts[DISAGREE],
        silent_count=counts[SILENT],
        top_results=tuple(
            CorroboratingResult(title=result.title, url=result.url, signal=signal)
            for signal, result in ranked[:_MAX_TOP_RESULTS]
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


def _choose_lens_scope(kit: ServiceKit, lens_name: str) -> LensScope:
    """The default provider, with as many sites of the lens as one of its requests can name.

    More requests would wait for the pace of a keyless provider: ten seconds for a short list.
    """
    from citewell.search.search_service import WebSearchService

    chain = kit.require_service(WebSearchService).router.find_chain(Offer.WEB)
    provider = next((name for name in chain.main if kit.find_pause(name) is None), None)
    lens = kit.lenses.resolve_lens(lens_name)
    if provider is None or lens.required_provider:
        return LensScope()
    most = kit.catalogue.find_spec(provider).max_sites
    return LensScope(
        provider=provider if most else None,
        sites=lens.domains[:most] if most < len(lens.domains) else (),
    )


# Findings about a list of recommendations, with the field names of spec 1; evidence, no verdict.


class SelfPromotionSignal(WireValue):
    """The list ranks its own publisher first."""

    brand: str
    evidence: LongText


class ConflictOfInterest(WireValue):
    """A connection between the author and what is recommended."""

    kind: str  # employment, funding, equity or advisory; the strongest if there are several
    entity: str
    roles: tuple[str, ...] = ()  # advisor, investor, board member, founder, employee, affiliate, …
    evidence: LongText  # quoted from the byline


class CorroboratingResult(WireValue):
    title: str
    url: str
    signal: str  # agree, disagree, silent


class CorroborationSearch(WireValue):
    lens: str
    query: str
    result_count: int
    agree_count: int
    disagree_count: int
    silent_count: int
    top_results: tuple[CorroboratingResult, ...]


class AuditedRecommendation(WireValue):
    title: str
    url: str | None = None
    author: str | None = None
    self_promotion_signal: SelfPromotionSignal | None = None
    conflict_of_interest: ConflictOfInterest | None = None
    domain_reputation: SourceReputation | None = None
    link_live: bool | None = None  # absent if the address could not be checked
    http_status: int | None = None  # 0 if no server answered
    link_state: str | None = None  # live, blocked, dead, unchecked
    archived_url: str | None = None
    corroboration_searches: tuple[CorroborationSearch, ...] | None = None
    flags: tuple[str, ...]
    reasons: tuple[LongText, ...]
    trust: str = Field(default=UNTRUSTED_LABEL)


class RecommendationAudit(WireValue):
    item_count: int
    recommendations: Body[tuple[AuditedRecommendation, ...]]
    aggregate_flags: tuple[str, ...] | None = None  # present when a claim was given
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED_LABEL)
