"""A file with what was read of it and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citewell.model.draft import Draft
from citewell.model.draft_findings import (
    CHANGE_VERDICTS,
    WRONG_VERDICTS,
    DraftFinding,
    DraftReport,
    DraftVerdict,
)

# Findings with these verdicts are counted, and shown only on demand.
_QUIET_VERDICTS = frozenset({DraftVerdict.SUPPORTED, DraftVerdict.FOUND})
_GRADES_BY_WEIGHT = ("failed", "warning", "idle", "ok")
_VERDICT_LABELS = {
    DraftVerdict.PARTLY: "partly in the source",
    DraftVerdict.NOT_IN_SOURCE: "not in the source",
    DraftVerdict.WRONG_DETAILS: "details differ",
    DraftVerdict.MOVED: "address moved",
    DraftVerdict.CORRECTED: "a correction was published",
    DraftVerdict.FOUND: "reference found",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """A draft, its report, and how many of its findings the baseline knows."""

    name: str
    draft: Draft
    report: DraftReport
    known_count: int = 0  # findings that the baseline lists and that were left out

    def with_findings(self, findings: tuple[DraftFinding, ...], *, known: int) -> CheckedDraft:
        """The same draft with fewer findings, of which `known` are in the baseline."""
        report = self.report.model_copy(update={"findings": findings})
        return replace(self, report=report, known_count=known)


def list_draft_notes(checked: CheckedDraft) -> list[str]:
    """What was noted while the draft was read and checked, each note once."""
    return list(dict.fromkeys((*checked.draft.notes, *(checked.report.notes or ()))))


def describe_verdict(verdict: DraftVerdict) -> str:
    """The verdict as a person reads it."""
    return _VERDICT_LABELS.get(verdict, verdict.value.replace("_", " "))


def list_shown_findings(report: DraftReport) -> list[DraftFinding]:
    """All findings but those that are in order."""
    return [one for one in report.findings if one.verdict not in _QUIET_VERDICTS]


def grade_verdict(verdict: DraftVerdict) -> str:
    """How bad a verdict is: `failed`, `warning`, `idle` or `ok`, the states of the terminal."""
    if verdict in WRONG_VERDICTS:
        return "failed"
    if verdict in CHANGE_VERDICTS:
        return "warning"
    return "ok" if verdict in _QUIET_VERDICTS else "idle"


def grade_finding(finding: DraftFinding) -> str:
    """How bad a finding is, with what is wrong about its reference."""
    grades = [grade_verdict(one) for one in (finding.verdict, *(finding.also or ()))]
    return min(grades, key=_GRADES_BY_WEIGHT.index)


def label_finding(finding: DraftFinding) -> str:
    """All verdicts of the finding, the worst first."""
    found = sorted((finding.verdict, *(finding.also or ())), key=list(DraftVerdict).index)
    return ", ".join(map(describe_verdict, dict.fromkeys(found)))


def find_file_name(checked: CheckedDraft, finding: DraftFinding) -> str:
    """The file that the finding stands in: the draft's, or one that it includes."""
    return (finding.place.file if finding.place else None) or checked.name
