"""How the providers of each domain are called and what their values must be; a new offer is a row here.

The tests of tests/contract/test_providers.py and tests/property/test_damaged_answers.py then run for
every provider with that offer, on tests/recorded/<provider>/<offer>.json.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from citewell.model.clinical_trial import ClinicalTrial, TrialQuery
from citewell.model.court_case import CaseQuery, CourtCase, LegalCitation
from citewell.ports import Offer

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


def check_trial(trial: ClinicalTrial) -> None:
    check_address(trial.url)
    assert trial.title
    repr(trial).encode()
    assert all(DAY.fullmatch(day) for day in (trial.start_date, trial.completion_date) if day)
    assert trial.enrollment is None or trial.enrollment >= 0


DOMAIN_OFFERS: dict[Offer, DomainOffer] = {
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
    Offer.TRIALS: DomainOffer(
        method="search_trials",
        query=TrialQuery,
        kind=ClinicalTrial,
        list_items=lambda found: found.trials,
        check=check_trial,
    ),
}
