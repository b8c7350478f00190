"""Decisions of courts and texts of law: queries, results, and citations of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

LegalCitationKind = Literal["us_case", "uk_neutral", "eu_celex", "eu_ecli", "us_cfr", "us_register"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuery:
    """One query to one provider of cases, already validated."""

    text: str
    count: int = 10
    court: str | None = None  # the provider's court id
    date_from: str | None = None  # ISO 8601 day
    date_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtCase:
    """A decision or a text of law, as one provider describes it."""

    name: str
    url: str
    source: str  # the provider's name
    kind: str = "decision"  # decision, legislation, regulation or notice
    citations: tuple[str, ...] = ()  # parallel citations, the official reporter first
    court: str | None = None  # or the agency or institution that issued it
    court_id: str | None = None
    court_label: str | None = None  # as written in citations: 9th Cir.
    date_filed: str | None = None  # ISO 8601 day, or year
    docket_number: str | None = None
    citation_count: int | None = None
    status: str | None = None  # Published, Unpublished, …
    judge: str | None = None
    snippet: str = ""
    full_name: str | None = None
    ids: dict[str, str] = field(default_factory=dict)  # ecli, celex, cluster, document number


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseHits:
    cases: tuple[CourtCase, ...] = ()
    total: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalCitation:
    """A citation as it was found in a text; `normalized` is how registries write it."""

    kind: LegalCitationKind
    normalized: str  # 576 U.S. 644, [2019] UKSC 41, 32016R0679, 17 CFR 240.10b-5
    text: str = ""  # as written
    volume: str | None = None
    reporter: str | None = None
    page: str | None = None
    case_name: str | None = None  # as written beside it
    year: int | None = None  # as written in its own parentheses
    court: str | None = None  # as written in its own parentheses
    pin_cite: str | None = None
    start: int | None = None  # offsets in the text
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMatch:
    """What a registry has under one citation."""

    provider: str
    cases: tuple[CourtCase, ...] = ()
    is_reporter_known: bool = True  # False if the registry does not know the reporter at all
