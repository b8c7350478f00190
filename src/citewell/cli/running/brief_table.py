"""Prints the audit of a brief so that a lawyer understands it at first reading."""

from __future__ import annotations

from collections import Counter

from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.model.citation_checks import AuditEntry, AuditReport
from citewell.model.domains.case_verdict import FAILING_VERDICTS, CaseVerdict

_VERDICT_LABELS = {
    CaseVerdict.CONFIRMED: "ok",
    CaseVerdict.WRONG_CASE: "ANOTHER CASE",
    CaseVerdict.WRONG_DETAILS: "WRONG DETAILS",
    CaseVerdict.MISPLACED: "WRONG CITATION",
    CaseVerdict.NO_SUCH_CASE: "NOT FOUND",
    CaseVerdict.IMPOSSIBLE: "IMPOSSIBLE",
    CaseVerdict.NOT_IN_REGISTRY: "not in registry",
    CaseVerdict.UNCHECKED: "unchecked",
}
_TOTAL_LABELS = {
    CaseVerdict.CONFIRMED: "ok",
    CaseVerdict.WRONG_CASE: "another case at the citation",
    CaseVerdict.WRONG_DETAILS: "with wrong details",
    CaseVerdict.MISPLACED: "with a wrong citation",
    CaseVerdict.NO_SUCH_CASE: "not found",
    CaseVerdict.IMPOSSIBLE: "impossible",
    CaseVerdict.NOT_IN_REGISTRY: "not in the registry, which is not complete",
    CaseVerdict.UNCHECKED: "unchecked",
}
_MAX_CITATION_CHARS = 78
_NO_CASES_MESSAGE = "No citation of a case was found in the text."
_PRIVACY_MESSAGE = (
    "Only citations and names of cases were sent to registries, nothing else of the text."
)
_NOTHING_SENT_MESSAGE = "Nothing of the text was sent to registries."


def print_brief_audit(
    name: str, report: AuditReport, *, quiet: bool, has_lines: bool, is_offline: bool
) -> None:
    """The table of cited cases, the reason for each finding with its sentence, and the totals."""
    screen.print_text("Standard input" if name == STDIN_NAME else name, style="bold")
    rows = [entry for entry in report.entries if entry.flags or not quiet]
    if rows:
        screen.print_table(
            ("Line" if has_lines else "No.", "Result", "Cited as", "Times"),
            [_build_brief_row(entry, has_lines=has_lines) for entry in rows],
            styles=[_choose_style(entry) for entry in rows],
        )
        screen.print_text()
    for entry in report.entries:
        if entry.reason:
            place = f"Line {entry.line}" if has_lines else f"No. {entry.index}"
            screen.print_text(f"{place}: {entry.reason}", style=_choose_style(entry))
            if entry.quote:
                screen.print_text(f"  “{entry.quote}”", style="dim")
    for note in report.notes or ():
        screen.print_text(note, style="yellow")
    screen.print_text(_describe_brief_totals(report), style="bold")
    if report.entries:
        is_sent = not is_offline or any(
            _find_verdict(entry) is not CaseVerdict.UNCHECKED for entry in report.entries
        )
        screen.print_text(_PRIVACY_MESSAGE if is_sent else _NOTHING_SENT_MESSAGE, style="dim")
    screen.print_text()


def _build_brief_row(entry: AuditEntry, *, has_lines: bool) -> tuple[str, str, str, str]:
    cited = entry.title or ""
    if len(cited) > _MAX_CITATION_CHARS:
        cited = f"{cited[: _MAX_CITATION_CHARS - 1].rstrip()}…"
    place = entry.line if has_lines else entry.index
    return str(place), _VERDICT_LABELS[_find_verdict(entry)], cited, str(entry.mention_count or 1)


def _find_verdict(entry: AuditEntry) -> CaseVerdict:
    return CaseVerdict(entry.verdict or CaseVerdict.UNCHECKED)


def _choose_style(entry: AuditEntry) -> str:
    verdict = _find_verdict(entry)
    if verdict in FAILING_VERDICTS:
        return screen.STATE_COLOURS["failed"]
    return screen.STATE_COLOURS["ok" if verdict is CaseVerdict.CONFIRMED else "warning"]


def _describe_brief_totals(report: AuditReport) -> str:
    if not report.entries:
        return _NO_CASES_MESSAGE
    counts = Counter(map(_find_verdict, report.entries))
    parts = [
        f"{counts[verdict]} {word}" for verdict, word in _TOTAL_LABELS.items() if counts[verdict]
    ]
    total = report.entry_count
    cited = "1 cited case" if total == 1 else f"{total} cited cases"
    return f"{cited}: {', '.join(parts)}."
