"""Clinical trials: queries to registries, and the trials they return."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialQuery:
    """One query to one registry of trials, already validated."""

    text: str | None = None
    condition: str | None = None
    intervention: str | None = None
    sponsor: str | None = None
    status: str | None = None
    phase: str | None = None
    with_results: bool = False
    count: int = 10
    page_token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicalTrial:
    """A trial as its registry describes it."""

    nct_id: str
    title: str
    url: str
    source: str  # the provider's name
    status: str | None = None
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    sponsor: str | None = None
    start_date: str | None = None  # YYYY-MM-DD or YYYY-MM
    completion_date: str | None = None  # of the primary outcome
    enrollment: int | None = None
    has_results: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialHits:
    trials: tuple[ClinicalTrial, ...] = ()
    total: int | None = None
    next_page_token: str | None = None
