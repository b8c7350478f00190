"""How the providers of each domain are called and what their values must be; a new offer is a row here.

The tests of tests/contract/test_providers.py and tests/property/test_damaged_answers.py then run for
every provider with that offer, on tests/recorded/<provider>/<offer>.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from citewell.core.values.brand import BrandQuery, BrandRecord
from citewell.core.values.court_case import CaseQuery, CourtCase, LegalCitation
from citewell.core.values.research import ReportCitation
from citewell.core.values.search_results import AnswerQuery, StructuredQuery, StructuredResult
from citewell.domains.filings import Filing, FilingLookup
from citewell.domains.patents.patent_records import PatentQuery, PatentRecord
from citewell.domains.place_records import AreaQuery, NamedArea, Place, PlaceLookup
from citewell.domains.series import ObservationQuery, SeriesItem
from citewell.domains.trials import Trial, TrialQuery
from citewell.routing.ports import Offer

DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainOffer:
    method: str  # of the provider
    query: Callable[..., object]  # built from the recording's `ask`
    kind: type  # of one item
    list_items: Callable[[Any], tuple[Any, ...]]  # from what the method returns
    check: Callable[[Any], None]  # what holds for an item of any answer, damaged ones included


def check_address(address: str) -> None:
    parts = urlsplit(address)
    assert parts.scheme in {"http", "https"}
    assert parts.hostname
    address.encode()


def check_case(case: CourtCase) -> None:
    check_address(case.url)
    assert case.name
    assert "<" not in case.name
    f"{case.name} {case.snippet} {case.citations} {case.court}".encode()
    assert case.date_filed is None or DAY.fullmatch(case.date_filed)
    assert case.citation_count is None or case.citation_count >= 0


def build_citation(*, count: int = 1, **ask: Any) -> LegalCitation:
    """The citation of a recording; a registry is asked for one, so `count` means nothing to it."""
    return LegalCitation(**ask)


def check_filing(filing: Filing) -> None:
    check_address(filing.url or "")
    assert filing.company
    assert re.fullmatch(r"\d{10}", filing.cik)
    assert re.fullmatch(r"\d{10}-\d\d-\d{6}", filing.accession or "")
    repr(filing).encode()
    assert all(DAY.fullmatch(day) for day in (filing.filing_date, filing.period_of_report) if day)


def check_observation(observation: SeriesItem) -> None:
    assert observation.series_id
    assert observation.date is None or observation.date.strip()
    repr(observation).encode()
    assert observation.value is None or observation.value.strip()
    assert "<b>" not in f"{observation.title}{observation.units}{observation.notes}"


def check_trial(trial: Trial) -> None:
    check_address(trial.url)
    assert trial.title
    repr(trial).encode()
    assert all(DAY.fullmatch(day) for day in (trial.start_date, trial.completion_date) if day)
    assert trial.enrollment is None or trial.enrollment >= 0


def check_place(place: Place) -> None:
    assert place.id
    assert place.name
    repr(place).encode()
    if place.website:
        check_address(place.website)
    assert (place.lat is None) == (place.lon is None)
    assert place.lat is None or -90 <= place.lat <= 90
    assert place.lon is None or -180 <= place.lon <= 180
    assert place.rating is None or place.rating >= 0
    assert place.rating_count is None or place.rating_count >= 0


def check_area(area: NamedArea) -> None:
    assert area.label
    repr(area).encode()
    assert -90 <= area.latitude <= 90
    assert -180 <= area.longitude <= 180
    assert area.reach_meters is None or area.reach_meters >= 0


def check_answer_citation(cited: ReportCitation) -> None:
    check_address(cited.url)
    assert "<b>" not in cited.title
    f"{cited.title}".encode()
    assert cited.start is None or (cited.end is not None and 0 <= cited.start <= cited.end)


def check_structured_result(result: StructuredResult) -> None:
    check_address(result.url)
    json.dumps(result.to_wire(), allow_nan=False).encode()
    repr(result).encode()
    assert result.summary is None or set(result.summary) == {"name", "founded"}
    assert result.published_date is None or DAY.fullmatch(result.published_date)


def check_patent(patent: PatentRecord) -> None:
    check_address(patent.url)
    assert patent.number.startswith((patent.office, "PCT/"))
    assert patent.title
    assert "<b>" not in patent.title
    repr(patent).encode()
    assert all(DAY.fullmatch(day) for day in (patent.filed, patent.granted) if day)
    if patent.pdf:
        check_address(patent.pdf)


def check_brand(brand: BrandRecord) -> None:
    check_address(brand.url)
    repr(brand).encode()
    assert all(re.fullmatch(r"#[0-9A-F]{6}", color.hex) for color in brand.colors)
    assert all(value for value in brand.identity.values())
    for address in (*brand.social.values(), *(logo.url for logo in brand.logos)):
        check_address(address)
    assert all(font.family and font.role in {"heading", "body", "mono"} for font in brand.fonts)


DOMAIN_OFFERS: dict[Offer, DomainOffer] = {
    Offer.BRANDS: DomainOffer(
        method="look_up_brand",
        query=BrandQuery,
        kind=BrandRecord,
        list_items=lambda found: (found,) if found else (),
        check=check_brand,
    ),
    Offer.PATENTS: DomainOffer(
        method="search_patents",
        query=PatentQuery,
        kind=PatentRecord,
        list_items=lambda found: found.patents,
        check=check_patent,
    ),
    Offer.ANSWERS: DomainOffer(
        method="answer_question",
        query=AnswerQuery,
        kind=ReportCitation,
        list_items=lambda report: report.citations,
        check=check_answer_citation,
    ),
    Offer.STRUCTURED: DomainOffer(
        method="search_structured",
        query=StructuredQuery,
        kind=StructuredResult,
        list_items=lambda found: found.results,
        check=check_structured_result,
    ),
    Offer.CASES: DomainOffer(
        method="search_cases",
        query=CaseQuery,
        kind=CourtCase,
        list_items=lambda found: found.cases,
        check=check_case,
    ),
    Offer.CITATIONS: DomainOffer(
        method="look_up_citation",
        query=build_citation,
        kind=CourtCase,
        list_items=lambda match: match.cases,
        check=check_case,
    ),
    Offer.PLACES: DomainOffer(
        method="search_places",
        query=PlaceLookup,
        kind=Place,
        list_items=lambda found: found.places,
        check=check_place,
    ),
    Offer.AREAS: DomainOffer(
        method="find_areas",
        query=AreaQuery,
        kind=NamedArea,
        list_items=tuple,
        check=check_area,
    ),
    Offer.FILINGS: DomainOffer(
        method="search_filings",
        query=FilingLookup,
        kind=Filing,
        list_items=lambda found: found.filings,
        check=check_filing,
    ),
    Offer.SERIES: DomainOffer(
        method="list_observations",
        query=ObservationQuery,
        kind=SeriesItem,
        list_items=lambda found: found.observations,
        check=check_observation,
    ),
    Offer.TRIALS: DomainOffer(
        method="search_trials",
        query=TrialQuery,
        kind=Trial,
        list_items=lambda found: found.trials,
        check=check_trial,
    ),
}
