"""Decisions of courts and texts of law: queries, results, citations of them, and what a check of one found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
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


class CaseVerdict(StrEnum):
    """The result in one word, the same in all answers."""

    CONFIRMED = "confirmed"  # it is there, and nothing that the citation says differs
    WRONG_CASE = "wrong_case"  # another case is at this citation
    WRONG_DETAILS = (
        "wrong_details"  # the case is there, but year, court or a parallel citation differ
    )
    MISPLACED = "misplaced"  # nothing is there, but the named case is elsewhere
    NO_SUCH_CASE = "no_such_case"  # a registry that should have it does not
    NOT_IN_REGISTRY = "not_in_registry"  # a registry that need not have it does not
    IMPOSSIBLE = "impossible"  # no such reporter, volume or year can be
    UNCHECKED = "unchecked"  # nobody could be asked


# What a lawyer has to mend before filing.
FAILING_VERDICTS = frozenset({
    CaseVerdict.WRONG_CASE,
    CaseVerdict.WRONG_DETAILS,
    CaseVerdict.MISPLACED,
    CaseVerdict.NO_SUCH_CASE,
    CaseVerdict.IMPOSSIBLE,
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """The verdict on one citation with the evidence for it; agreements are match, mismatch or not_checked."""

    citation: LegalCitation
    verdict: CaseVerdict
    reason: str  # a sentence or two, for the reader
    case: CourtCase | None = None  # what is at this citation
    name_match: str | None = None
    year_match: str | None = None
    court_match: str | None = None
    mismatches: tuple[str, ...] = ()
    suggested_case: CourtCase | None = None  # the case that was probably meant
    suggested_citation: str | None = None
    notes: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefFinding:
    """One case that a brief cites, where it does so, and what the check came to."""

    checked: CheckedCitation
    parallels: tuple[str, ...] = ()
    mention_count: int = 1
    quote: str = ""  # the words around its first citation
    line: int | None = None  # from 1
    offset: int | None = None  # characters before its first citation


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefCheck:
    """The cases that a brief cites, checked, in the order of their first citation."""

    findings: tuple[BriefFinding, ...]
    skipped_count: int = 0  # cases beyond the limit of one call
    unread_count: int = 0  # parts of the text in which citations could not be looked for
