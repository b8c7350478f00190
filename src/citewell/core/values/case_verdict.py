"""What the check of one legal citation came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citewell.core.values.court_case import CourtCase, LegalCitation


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
