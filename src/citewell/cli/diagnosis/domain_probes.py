"""One cheap request to a registry of trials, cases, news, images or the like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from citewell.domain_ports import CaseSearch, TrialSearch
from citewell.model.clinical_trial import TrialQuery
from citewell.model.court_case import CaseQuery
from citewell.model.search_queries import ImageQuery, SearchQuery
from citewell.ports import ImageSearch, NewsSearch, Offer

_PROBE_WORD = "sleep"


async def _probe_trials(provider: object) -> bool | None:
    if not isinstance(provider, TrialSearch):
        return None
    return bool((await provider.search_trials(TrialQuery(text=_PROBE_WORD, count=1))).trials)


async def _probe_cases(provider: object) -> bool | None:
    if not isinstance(provider, CaseSearch):
        return None
    return bool((await provider.search_cases(CaseQuery(text=_PROBE_WORD, count=1))).cases)


async def _probe_news(provider: object) -> bool | None:
    if not isinstance(provider, NewsSearch):
        return None
    return bool((await provider.search_news(SearchQuery(text=_PROBE_WORD, count=1))).hits)


async def _probe_images(provider: object) -> bool | None:
    if not isinstance(provider, ImageSearch):
        return None
    return bool(await provider.search_images(ImageQuery(text=_PROBE_WORD, count=1)))


DOMAIN_PROBES: Mapping[Offer, Callable[[object], Awaitable[bool | None]]] = {
    Offer.TRIALS: _probe_trials,
    Offer.CASES: _probe_cases,
    Offer.NEWS: _probe_news,
    Offer.IMAGES: _probe_images,
}


async def send_domain_probe(provider: object) -> bool:
    """Whether the registry found what surely exists; raises NotImplementedError if none can be probed."""
    for probe in DOMAIN_PROBES.values():
        found = await probe(provider)
        if found is not None:
            return found
    raise NotImplementedError
