"""The request of one search for clinical trials, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, OptionalQuery
from citewell.model.domains.clinical_trial import TrialQuery
from citewell.services.web.search_request import clean_query_text, normalize_provider_name

TrialStatus = Literal[
    "RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING",
    "COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN", "UNKNOWN", "AVAILABLE",
    "NO_LONGER_AVAILABLE", "TEMPORARILY_NOT_AVAILABLE", "APPROVED_FOR_MARKETING", "WITHHELD",
]  # fmt: skip
TrialPhase = Literal["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4"]


@dataclass(frozen=True, kw_only=True)
class TrialSearchRequest:
    """One search for trials, as the caller wrote it; the arguments of clinical_search."""

    query: OptionalQuery = None
    condition: OptionalQuery = None
    intervention: OptionalQuery = None
    sponsor: OptionalQuery = None
    status: TrialStatus | None = None
    phase: TrialPhase | None = None
    with_results: Annotated[bool, Field(description="Only trials with posted results.")] = False
    count: Annotated[int, Field(ge=1, le=100, validation_alias="num_results")] = 10
    page_token: Annotated[OptionalName, Field(description="nextPageToken of the last answer.")] = (
        None
    )
    provider: OptionalName = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "with_results": self.with_results,
            "phase": self.phase,
            "status": self.status,
            "sponsor": self.sponsor,
            "intervention": self.intervention,
            "condition": self.condition,
        }
        return tuple(name for name, value in given.items() if value)


def check_trial_request(ask: TrialSearchRequest) -> TrialSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid or all are missing."""
    check_declared_bounds(ask)
    if not any((ask.query, ask.condition, ask.intervention, ask.sponsor)):
        raise InvalidInput("Give at least one of query, condition, intervention and sponsor.")
    return replace(
        ask,
        query=_clean_words(ask.query, "query"),
        condition=_clean_words(ask.condition, "condition"),
        intervention=_clean_words(ask.intervention, "intervention"),
        sponsor=_clean_words(ask.sponsor, "sponsor"),
        provider=normalize_provider_name(ask.provider),
    )


def build_trial_query(ask: TrialSearchRequest) -> TrialQuery:
    """A checked request as the query that providers take."""
    return TrialQuery(
        text=ask.query,
        condition=ask.condition,
        intervention=ask.intervention,
        sponsor=ask.sponsor,
        status=ask.status,
        phase=ask.phase,
        with_results=ask.with_results,
        count=ask.count,
        page_token=ask.page_token,
    )


def _clean_words(words: str | None, argument: str) -> str | None:
    return clean_query_text(words, argument=argument) if words else None
