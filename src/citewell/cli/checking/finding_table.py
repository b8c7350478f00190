"""The findings of a draft as a table for the terminal, with the advice below it."""

from __future__ import annotations

from collections import Counter

from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    describe_verdict,
    find_file_name,
    grade_finding,
    label_finding,
    list_draft_notes,
    list_shown_findings,
)
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.model.draft_findings import DraftFinding, DraftVerdict, FindingEvidence

_COLUMNS = ("Line", "Statement or reference", "Citation", "Verdict", "Repair or reason")
_MAX_TEXT_CHARS, _MAX_CITATION_CHARS, _MAX_REPAIR_CHARS = 70, 24, 50  # of a cell in the table
_MAX_PASSAGE_CHARS = 300
_MAX_OPEN_REASONS = 8
_OPEN_VERDICTS = frozenset({DraftVerdict.UNCHECKED, DraftVerdict.SOURCE_UNAVAILABLE})


def print_findings(checked: CheckedDraft, *, explained: bool = True) -> None:
    """The table of one draft, the reasons and evidence of what is wrong, and the totals."""
    report = checked.report
    shown = list_shown_findings(report)
    screen.print_text(
        "Standard input" if checked.name == STDIN_NAME else checked.name, style="bold"
    )
    if shown:
        styles = [screen.STATE_COLOURS[grade_finding(one)] for one in shown]
        screen.print_table(_COLUMNS, [_build_row(checked, one) for one in shown], styles=styles)
        screen.print_text()
    if explained:
        for one in shown:
            _print_explanation(checked, one)
        _print_open_reasons(shown)
    for note in list_draft_notes(checked):
        screen.print_text(note, style="yellow")
    if report.skipped:
        told = f"{report.skipped} statements were not checked; raise --max-statements."
        screen.print_text(told, style="yellow")
    screen.print_text(describe_totals(checked), style="bold")
    for line in report.shared:
        screen.print_text(line, style="dim")
    screen.print_text()


def describe_draft_size(checked: CheckedDraft) -> str:
    """How many statements, citations and references the draft has."""
    summary = checked.report.summary
    return ", ".join(
        f"{count} {word if count == 1 else f'{word}s'}"
        for count, word in (
            (summary.statements, "statement"),
            (summary.citations, "citation"),
            (summary.references, "reference"),
        )
    )


def describe_totals(checked: CheckedDraft) -> str:
    """One sentence: how much was read, and how often each verdict was given."""
    summary = checked.report.summary
    counts = [
        f"{summary.verdicts[verdict.value]} {describe_verdict(verdict)}"
        for verdict in DraftVerdict
        if summary.verdicts.get(verdict.value)
    ]
    known = f" {checked.known_count} known from the baseline." if checked.known_count else ""
    return f"{describe_draft_size(checked)}: {', '.join(counts) or 'nothing to check'}.{known}"


def _build_row(checked: CheckedDraft, finding: DraftFinding) -> tuple[str, ...]:
    repair = finding.repairs[0].text if finding.repairs else ""
    if not repair and finding.verdict in _OPEN_VERDICTS:
        repair = finding.reason  # such as that the address is private
    return (
        _describe_finding_place(checked, finding),
        shorten_text(finding.text, _MAX_TEXT_CHARS),
        shorten_text(finding.citation or finding.reference or "", _MAX_CITATION_CHARS),
        label_finding(finding),
        shorten_text(repair, _MAX_REPAIR_CHARS),
    )


def _describe_finding_place(checked: CheckedDraft, finding: DraftFinding) -> str:
    if finding.place is None:
        return ""
    name = find_file_name(checked, finding)
    return str(finding.place.line) if name == checked.name else f"{name}:{finding.place.line}"


def _print_explanation(checked: CheckedDraft, finding: DraftFinding) -> None:
    grade = grade_finding(finding)
    if grade not in {"failed", "warning"}:
        return
    place = _describe_finding_place(checked, finding)
    where = f"Line {place}: " if place else ""
    screen.print_text(f"{where}{finding.reason}", style=screen.STATE_COLOURS[grade])
    for difference in finding.differences or ():
        source = difference.source or "not given"
        screen.print_text(f"  {difference.kind}: {difference.draft} (source: {source})")
    for evidence in (finding.evidence or ())[:2]:
        screen.print_text(f"  {_describe_evidence(evidence)}")
    for repair in finding.repairs or ():
        screen.print_text(f"  → {repair.text}")


def _print_open_reasons(shown: list[DraftFinding]) -> None:
    """Why findings are open that accuse nobody, each reason once with how many have it."""
    counts = Counter(
        (label_finding(one), one.reason) for one in shown if grade_finding(one) == "idle"
    )
    for (label, reason), count in counts.most_common(_MAX_OPEN_REASONS):
        screen.print_text(f"{label} ({count}): {reason}", style=screen.STATE_COLOURS["idle"])
    left = len(counts) - _MAX_OPEN_REASONS
    if left > 0:
        others = "reason is" if left == 1 else "reasons are"
        screen.print_text(f"{left} more {others} in --json.", style=screen.STATE_COLOURS["idle"])


def _describe_evidence(evidence: FindingEvidence) -> str:
    where = evidence.url or evidence.title or ""
    said = f"“{shorten_text(evidence.passage, _MAX_PASSAGE_CHARS)}”"
    return f"{said} ({where})" if where else said


def shorten_text(text: str, most: int) -> str:
    """The text in one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
