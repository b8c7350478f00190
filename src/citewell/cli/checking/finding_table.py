"""The findings of a draft as a table for the terminal, with the advice below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    grade_finding,
    label_finding,
    list_certain_repairs,
    list_draft_notes,
    list_shown_findings,
    name_place_unit,
)
from citewell.cli.checking.finding_words import (
    describe_citation,
    describe_group_place,
    describe_group_start,
    describe_subject,
    describe_totals,
    list_place_names,
    shorten_text,
)
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.model.draft_findings import DraftRepair, FindingEvidence
from citewell.services.drafts.repeated_findings import FindingGroup, group_repeated_findings

_COLUMNS = ("Statement or reference", "Citation", "Verdict", "Repair or reason")
_MAX_TEXT_CHARS, _MAX_CITATION_CHARS, _MAX_REPAIR_CHARS = 70, 24, 50  # of a cell in the table
_MAX_WIDTHS = (12, None, 18, 22, None)  # of the columns on a terminal
_MIN_WIDE_COLUMNS = 110  # of a terminal on which repairs and reasons fit into the table
_MAX_PASSAGE_CHARS = 300
_MAX_OPEN_REASONS = 8


def print_findings(
    checked: CheckedDraft, *, explained: bool = True, offers_repairs: bool = True
) -> None:
    """The table of one draft, the reasons and evidence of what is wrong, and the totals.

    With `offers_repairs` a line says how many repairs `--fix` could write. Findings that differ only in their place are one row.
    """
    report = checked.report
    shown = group_repeated_findings(list_shown_findings(report))
    screen.print_text(
        "Standard input" if checked.name == STDIN_NAME else checked.name, style="bold"
    )
    if shown:
        _print_table(checked, shown, explained=explained)
        screen.print_text()
    if explained:
        _print_explanations(checked, shown)
        _print_open_reasons(shown)
    for note in list_draft_notes(checked):
        screen.print_text(note, style="yellow")
    if offers_repairs and (count := len(list_certain_repairs(checked))):
        told = "1 repair is certain" if count == 1 else f"{count:,} repairs are certain"
        screen.print_text(f"{told}; --fix shows and writes what is certain.")
    screen.print_text(describe_totals(checked), style="bold")
    for line in report.shared:
        screen.print_text(line, style="dim")
    screen.print_text()


def _print_table(checked: CheckedDraft, shown: Sequence[FindingGroup], *, explained: bool) -> None:
    headings = (name_place_unit(checked).capitalize(), *_COLUMNS)
    rows = [_build_row(checked, each) for each in shown]
    # On a narrow terminal the last column leaves no room, and the explanations below have it all.
    is_narrow = screen.is_terminal() and screen.count_columns() < _MIN_WIDE_COLUMNS
    count = len(headings) - 1 if explained and is_narrow else len(headings)
    screen.print_table(
        headings[:count],
        [row[:count] for row in rows],
        styles=[screen.STATE_COLOURS[grade_finding(each.first)] for each in shown],
        max_widths=_MAX_WIDTHS[:count],
    )


def _build_row(checked: CheckedDraft, group: FindingGroup) -> tuple[str, ...]:
    finding = group.first
    repair = finding.repairs[0].text if finding.repairs else finding.reason
    return (
        describe_group_place(checked, group),
        shorten_text(describe_subject(finding), _MAX_TEXT_CHARS),
        shorten_text(describe_citation(finding.citation or ""), _MAX_CITATION_CHARS),
        label_finding(finding),
        shorten_text(repair, _MAX_REPAIR_CHARS),
    )


def _print_explanations(checked: CheckedDraft, shown: Sequence[FindingGroup]) -> None:
    resting = _map_resting_statements(shown)
    told = {each.first.id for every in resting.values() for each in every}
    for group in shown:
        if group.first.id not in told and grade_finding(group.first) in {"failed", "warning"}:
            _print_explanation(checked, group)
            _print_resting_places(checked, group, resting.get(group.first.id, []))


def _print_resting_places(
    checked: CheckedDraft, group: FindingGroup, resting: Sequence[FindingGroup]
) -> None:
    """Where the statements stand that rest on a wrong reference, unless that is said already."""
    every = FindingGroup(findings=tuple(one for each in resting for one in each.findings))
    if not every.findings or list_place_names(checked, every) == list_place_names(checked, group):
        return
    verb = "rests" if len(list_place_names(checked, every)) == 1 else "rest"
    start = describe_group_start(checked, every).removesuffix(": ")
    screen.print_text(f"  {start} {verb} on it.")


def _map_resting_statements(shown: Sequence[FindingGroup]) -> dict[str, list[FindingGroup]]:
    """By the id of a wrong reference the statements of which no more is known than that."""
    wrong = {
        each.first.reference_id: each.first
        for each in shown
        if each.first.subject == "reference" and each.first.reference_id
    }
    found: dict[str, list[FindingGroup]] = {}
    for each in shown:
        one = each.first
        reference = wrong.get(one.reference_id or "")
        if one.subject != "statement" or one.place is None or reference is None:
            continue
        is_known = reference.verdict in (one.also or ())
        if is_known and not (one.evidence or one.differences or one.repairs):
            found.setdefault(reference.id, []).append(each)
    return found


def _print_explanation(checked: CheckedDraft, group: FindingGroup) -> None:
    finding = group.first
    start = describe_group_start(checked, group)
    colour = screen.STATE_COLOURS[grade_finding(finding)]
    screen.print_text(f"{start}{finding.reason}", style=colour)
    for difference in finding.differences or ():
        source = difference.source or "not given"
        if difference.draft not in finding.reason or source not in finding.reason:
            screen.print_text(f"  {difference.kind}: {difference.draft} (source: {source})")
    offered = [one.evidence for one in finding.repairs or () if one.evidence]
    for evidence in (finding.evidence or ())[:2]:
        if evidence not in offered:
            screen.print_text(f"  {_describe_evidence(evidence)}")
    for repair in finding.repairs or ():
        screen.print_text(f"  → {_describe_repair(repair)}")


def _print_open_reasons(shown: Sequence[FindingGroup]) -> None:
    """Why findings are open that accuse nobody, each reason once with how many have it."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in shown:
        if grade_finding(each.first) == "idle":
            counts[label_finding(each.first), each.first.reason] += each.count
    for (label, reason), count in counts.most_common(_MAX_OPEN_REASONS):
        screen.print_text(f"{label} ({count:,}): {reason}", style=screen.STATE_COLOURS["idle"])
    left = len(counts) - _MAX_OPEN_REASONS
    if left > 0:
        others = "reason is" if left == 1 else "reasons are"
        screen.print_text(f"{left} more {others} in --json.", style=screen.STATE_COLOURS["idle"])


def _describe_repair(repair: DraftRepair) -> str:
    where = repair.evidence.url if repair.evidence else None
    return f"{repair.text} ({where})" if where and where not in repair.text else repair.text


def _describe_evidence(evidence: FindingEvidence) -> str:
    where = evidence.url or evidence.title or ""
    said = f"“{shorten_text(evidence.passage, _MAX_PASSAGE_CHARS)}”"
    return f"{said} ({where})" if where else said
