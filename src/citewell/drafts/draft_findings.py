"""What the check of a draft found: evidence with its place, worst first; no word on truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from citewell.core.values.counted_words import pluralize
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue
from citewell.evidence.judging.source_opinions import FindingEvidence, ValueDifference

_MAX_NAMED_PLACES = 4
_MAX_LINES = 20  # of a repeated finding in the answer of a tool


class DraftVerdict(StrEnum):
    """The outcome for a statement or a reference, from the worst to the best."""

    RETRACTED = "retracted"
    CONTRADICTED = "contradicted"
    REFERENCE_NOT_FOUND = "reference_not_found"
    WRONG_WORK = "wrong_work"  # the identifier belongs to another work than the one cited
    WRONG_DETAILS = "wrong_details"  # authors, year or title differ from the record
    NOT_IN_SOURCE = "not_in_source"
    DEAD_LINK = "dead_link"
    MOVED = "moved"
    NO_REFERENCE = "no_reference"  # a citation whose entry is missing
    PARTLY = "partly"
    CORRECTED = "corrected"  # a correction or a notice of concern was published
    UNCITED = "uncited"
    UNUSED_REFERENCE = "unused_reference"
    SOURCE_UNAVAILABLE = "source_unavailable"
    UNCHECKED = "unchecked"  # nobody could be asked, or it was not in the focus
    RELATED = "related"  # the source uses these words; whether it says this was not confirmed
    SUPPORTED = "supported"
    FOUND = "found"  # the reference exists; its support was not asked for


# What is wrong, and makes `citewell check` fail unless told otherwise.
WRONG_VERDICTS = frozenset(
    {
        DraftVerdict.RETRACTED,
        DraftVerdict.CONTRADICTED,
        DraftVerdict.REFERENCE_NOT_FOUND,
        DraftVerdict.WRONG_WORK,
        DraftVerdict.WRONG_DETAILS,
        DraftVerdict.NOT_IN_SOURCE,
        DraftVerdict.DEAD_LINK,
        DraftVerdict.NO_REFERENCE,
    }
)
# What asks for a change: the draft is clean without them.
CHANGE_VERDICTS = WRONG_VERDICTS | {
    DraftVerdict.MOVED,
    DraftVerdict.PARTLY,
    DraftVerdict.CORRECTED,
}


class FindingPlace(WireValue):
    """Where a finding stands in the draft."""

    line: int  # from 1
    column: int
    end_line: int
    end_column: int
    start: int  # offset of characters
    end: int
    file: str | None = None


class DraftRepair(WireValue):
    """What could be written instead; never put in by itself unless `is_certain`."""

    kind: str  # doi, title, authors, year, address, archived_copy, statement, other_source, remove
    text: str  # for a person: what to do
    old: str | None = None  # as it stands in the draft
    new: str | None = None
    is_certain: bool = False  # `--fix` may replace `old` by `new` at `place`
    place: FindingPlace | None = None  # absent if the entry stands in another file, such as a .bib
    evidence: FindingEvidence | None = None


class DraftFinding(WireValue):
    """A statement or a reference with its verdict and what shows it."""

    id: str
    verdict: DraftVerdict
    subject: str  # statement, citation or reference
    text: LongText  # the statement, or the reference as written
    place: FindingPlace | None = None  # absent if it stands in another file without a place
    count: int | None = None  # how often the draft has it, if more than once; `place` is the first
    lines: tuple[int, ...] | None = None  # of the first of these places
    citation: str | None = None  # the mark, as written
    reference_id: str | None = None
    reference: str | None = None  # the reference, in short
    reason: LongText  # one sentence that says why
    evidence: tuple[FindingEvidence, ...] | None = None
    differences: tuple[ValueDifference, ...] | None = None
    repairs: tuple[DraftRepair, ...] | None = None
    also: tuple[DraftVerdict, ...] | None = None  # further verdicts of the same citation
    is_unanswered: bool | None = None  # it could not be checked; another check may succeed


class DraftSummary(WireValue):
    """Counts, and the worst findings in a line each."""

    statements: int
    distinct_statements: int  # a sentence that is repeated counts once
    citations: int
    references: int
    sources_read: int
    verdicts: dict[str, int]  # by verdict, without those that did not occur
    worst: tuple[str, ...]  # at most five lines
    is_clean: bool  # no finding that asks for a change


class DraftReport(WireValue):
    """What check_draft returns."""

    summary: DraftSummary
    findings: Body[tuple[DraftFinding, ...]]
    judge: str
    shared: tuple[str, ...]  # what left this machine, and to whom
    skipped: int | None = None  # statements over max_statements
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED_LABEL)


# Findings that are the same but for their place: shown once, with how often and where they stand.


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingGroup:
    """Findings that differ only in their place, in the order of the report; at least one."""

    findings: tuple[DraftFinding, ...]

    @property
    def first(self) -> DraftFinding:
        return self.findings[0]

    @property
    def count(self) -> int:
        return len(self.findings)


def group_repeated_findings(findings: Iterable[DraftFinding]) -> tuple[FindingGroup, ...]:
    """The findings in groups, each where the first of the group stood."""
    groups: dict[tuple[object, ...], list[DraftFinding]] = {}
    for finding in findings:
        text = " ".join(finding.text.split())
        group_key = (
            finding.subject,
            text,
            finding.reference,
            finding.verdict,
            finding.also,
            finding.reason,
        )
        groups.setdefault(group_key, []).append(finding)
    return tuple(FindingGroup(findings=tuple(each)) for each in groups.values())


def merge_repeated_findings(report: DraftReport) -> DraftReport:
    """The report with each group as its first finding, which has the count and the first lines."""
    merged: list[DraftFinding] = []
    for group in group_repeated_findings(report.findings):
        first = group.first
        if group.count > 1:
            lines = dict.fromkeys(
                finding.place.line for finding in group.findings if finding.place is not None
            )
            first = first.model_copy(
                update={"count": group.count, "lines": tuple(lines)[:_MAX_LINES] or None}
            )
        merged.append(first)
    return report.model_copy(update={"findings": tuple(merged)})


def describe_places(places: Sequence[str]) -> str:
    """The first places by name and the number of the others, such as "3, 9, 14 and 997 more"."""
    named = list(dict.fromkeys(places))
    left = len(named) - _MAX_NAMED_PLACES + 1
    if left > 1:
        named = [*named[: _MAX_NAMED_PLACES - 1], f"{left:,} more"]
    *others, last = named
    shown = f"{', '.join(others)} and {last}" if others else last
    # Several copies may stand in one line.
    is_told = len(set(places)) == len(places)
    return shown if is_told else f"{shown} ({len(places):,} {pluralize(len(places), 'time')})"
