"""One cheap request to a registry of trials, cases, news, images or the like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from citewell.domain_ports import (
    AreaLookup,
    CaseSearch,
    FilingSearch,
    PatentSearch,
    PlaceSearch,
    SeriesSearch,
    TrialSearch,
)
from citewell.model.domains.clinical_trial import TrialQuery
from citewell.model.domains.company_filing import FilingQuery
from citewell.model.domains.court_case import CaseQuery
from citewell.model.domains.economic_series import ObservationQuery
from citewell.model.domains.patent import PatentQuery
from citewell.model.domains.place import AreaQuery, PlaceQuery
from citewell.model.paper import IdentifierScheme, PaperId
from citewell.model.search_queries import ImageQuery, SearchQuery
from citewell.ports import ImageSearch, NewsSearch, Offer, PaperLookup

_PROBE_WORD = "sleep"
_PROBE_SERIES = {
    "worldbank": "NY.GDP.MKTP.CD",
    "fred": "GDP",
    "eurostat": "une_rt_m",
    "ecb": "EXR/A.USD.EUR.SP00.A",
    "oecd": "OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0",
    "imf": "IMF.STA,CPI,5.0.0",
}
_PROBE_WORKS = (
    PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848"),
    PaperId(scheme=IdentifierScheme.RFC, value="9110"),
)
_PROBE_COUNTRY = "DEU"
_PROBE_CITY, _PROBE_CITY_CENTRE = "Lyon", (45.7579, 4.8351)
_PROBE_PATENT = "US10165245B2"
_PROBE_TICKER = "AAPL"


async def _probe_trial_registry(provider: object) -> bool | None:
    if not isinstance(provider, TrialSearch):
        return None
    return bool((await provider.search_trials(TrialQuery(text=_PROBE_WORD, count=1))).trials)


async def _probe_case_registry(provider: object) -> bool | None:
    if not isinstance(provider, CaseSearch):
        return None
    return bool((await provider.search_cases(CaseQuery(text=_PROBE_WORD, count=1))).cases)


async def _probe_series_values(provider: object) -> bool | None:
    """Observations of one series, because a catalogue may have megabytes."""
    name = _PROBE_SERIES.get(getattr(provider, "__module__", "").rpartition(".")[2])
    if not isinstance(provider, SeriesSearch) or name is None:
        return None
    query = ObservationQuery(series_id=name, count=1, country=_PROBE_COUNTRY)
    return bool((await provider.list_observations(query)).observations)


async def _probe_named_area(provider: object) -> bool | None:
    if not isinstance(provider, AreaLookup):
        return None
    return bool(await provider.find_areas(AreaQuery(name=_PROBE_CITY)))


async def _probe_place_search(provider: object) -> bool | None:
    if not isinstance(provider, PlaceSearch):
        return None
    latitude, longitude = _PROBE_CITY_CENTRE
    query = PlaceQuery(
        text="cafe", kinds=("amenity=cafe",), latitude=latitude, longitude=longitude,
        radius_meters=500.0, count=1,
    )  # fmt: skip
    return bool((await provider.search_places(query)).places)


async def _probe_patent_number(provider: object) -> bool | None:
    if not isinstance(provider, PatentSearch):
        return None
    query = PatentQuery(text=_PROBE_PATENT, numbers=(_PROBE_PATENT,), count=1)
    return bool((await provider.search_patents(query)).patents)


async def _probe_company_filings(provider: object) -> bool | None:
    if not isinstance(provider, FilingSearch):
        return None
    query = FilingQuery(text=_PROBE_TICKER, ticker=_PROBE_TICKER, count=1)
    return bool((await provider.search_filings(query)).filings)


async def _probe_news_search(provider: object) -> bool | None:
    if not isinstance(provider, NewsSearch):
        return None
    return bool((await provider.search_news(SearchQuery(text=_PROBE_WORD, count=1))).hits)


async def _probe_image_search(provider: object) -> bool | None:
    if not isinstance(provider, ImageSearch):
        return None
    return bool(await provider.search_images(ImageQuery(text=_PROBE_WORD, count=1)))


async def _probe_work_lookup(provider: object) -> bool | None:
    if not isinstance(provider, PaperLookup):
        return None
    work = next((one for one in _PROBE_WORKS if one.scheme in provider.schemes), None)
    return None if work is None else await provider.look_up_paper(work) is not None


DOMAIN_PROBES: Mapping[Offer, Callable[[object], Awaitable[bool | None]]] = {
    Offer.TRIALS: _probe_trial_registry,
    Offer.CASES: _probe_case_registry,
    Offer.SERIES: _probe_series_values,
    Offer.AREAS: _probe_named_area,
    Offer.PLACES: _probe_place_search,
    Offer.PATENTS: _probe_patent_number,
    Offer.FILINGS: _probe_company_filings,
    Offer.NEWS: _probe_news_search,
    Offer.IMAGES: _probe_image_search,
    Offer.LOOKUP: _probe_work_lookup,
}


async def send_domain_probe(provider: object) -> bool:
    """Whether the registry found what surely exists; raises NotImplementedError if none can be probed."""
    for probe in DOMAIN_PROBES.values():
        found = await probe(provider)
        if found is not None:
            return found
    raise NotImplementedError
