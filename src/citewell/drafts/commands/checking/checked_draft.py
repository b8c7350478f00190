"""A file with what was read of it and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citewell.cli.shared_options import STDIN_NAME
from citewell.drafts.draft import DOCUMENT_FORMATS, Draft
from citewell.drafts.draft_findings import (
    CHANGE_VERDICTS,
    WRONG_VERDICTS,
    DraftFinding,
    DraftRepair,
    DraftReport,
    DraftVerdict,
    FindingPlace,
)
from citewell.text.data_tables import load_table

# Findings with these verdicts are counted, and shown only on demand.
_QUIET_VERDICTS = frozenset({DraftVerdict.SUPPORTED, DraftVerdict.FOUND})
_GRADES_BY_WEIGHT = ("failed", "warning", "idle", "ok")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """A draft, its report, and how many of its findings the baseline knows."""

    name: str
    draft: Draft
    report: DraftReport
    known_count: int = 0  # findings that the baseline lists and that were left out
    bibliographies: tuple[str, ...] = ()  # files of references beside the draft


def list_draft_notes(checked: CheckedDraft) -> list[str]:
    """What was noted while the draft was read and checked, each note once."""
    return list(dict.fromkeys((*checked.draft.notes, *(checked.report.notes or ()))))


def count_unanswered(checked: CheckedDraft) -> int:
    """How many references and statements could not be checked, those over the limit included."""
    open_count = sum(bool(finding.is_unanswered) for finding in checked.report.findings)
    return open_count + (checked.report.skipped or 0)


def describe_verdict(verdict: DraftVerdict) -> str:
    """The verdict as a person reads it."""
    labels = load_table(__package__, "verdict_words")["labels"]
    return str(labels.get(verdict.value, verdict.value.replace("_", " ")))


def describe_verdict_count(verdict: DraftVerdict, count: int) -> str:
    """The verdict after its number, such as "references not found" after 2."""
    label = describe_verdict(verdict)
    plurals = load_table(__package__, "verdict_words")["plurals"]
    return label if count == 1 else str(plurals.get(verdict.value, label))


def list_shown_findings(report: DraftReport) -> list[DraftFinding]:
    """All findings but those that are in order."""
    return [finding for finding in report.findings if finding.verdict not in _QUIET_VERDICTS]


def list_certain_repairs(checked: CheckedDraft) -> list[DraftRepair]:
    """The repairs that `--fix` can write: into text files, and into the .bib files beside them."""
    is_text = checked.name != STDIN_NAME and checked.draft.format not in DOCUMENT_FORMATS
    return [
        repair
        for finding in checked.report.findings
        for repair in finding.repairs or ()
        if is_writable_repair(repair)
        and (is_text if repair.place is not None else checked.bibliographies)
    ]


def is_writable_repair(repair: DraftRepair) -> bool:
    """Whether a repair is certain, and says which words replace which."""
    return repair.is_certain and bool(repair.old) and repair.new is not None


def grade_verdict(verdict: DraftVerdict) -> str:
    """How bad a verdict is: `failed`, `warning`, `idle` or `ok`, the states of the terminal."""
    if verdict in WRONG_VERDICTS:
        return "failed"
    if verdict in CHANGE_VERDICTS:
        return "warning"
    return "ok" if verdict in _QUIET_VERDICTS else "idle"


def grade_finding(finding: DraftFinding) -> str:
    """How bad a finding is, with what is wrong about its reference."""
    grades = [grade_verdict(verdict) for verdict in (finding.verdict, *(finding.also or ()))]
    return min(grades, key=_GRADES_BY_WEIGHT.index)


def label_finding(finding: DraftFinding) -> str:
    """The verdicts of the finding, the worst first.

    That a registry said nothing is left out beside something wrong: the reason says it.
    """
    found = sorted((finding.verdict, *(finding.also or ())), key=list(DraftVerdict).index)
    if grade_finding(finding) != "idle" and found[0] is not DraftVerdict.UNCHECKED:
        found = [row for row in found if row is not DraftVerdict.UNCHECKED]
    return ", ".join(map(describe_verdict, dict.fromkeys(found)))


def locate_draft_file(checked: CheckedDraft, place: FindingPlace | None) -> str:
    """The file of a place, as seen from where the command runs; included files lie beside the draft."""
    path = Path(checked.name)
    if place is None or not place.file or place.file == path.name:
        return checked.name
    return str(path.parent / place.file)


def name_place_unit(checked: CheckedDraft) -> str:
    """What the numbers of places count: "line", or "paragraph" in Word, OpenDocument and PDF."""
    return "paragraph" if checked.draft.format in DOCUMENT_FORMATS else "line"
