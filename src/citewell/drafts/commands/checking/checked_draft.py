"""A checked draft: what was found in it, in words and as a table for the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citewell.cli import screen
from citewell.cli.command_app import STDIN_NAME
from citewell.drafts.draft import DOCUMENT_FORMATS, Draft
from citewell.drafts.draft_findings import (
    CHANGE_VERDICTS,
    WRONG_VERDICTS,
    DraftFinding,
    DraftRepair,
    DraftReport,
    DraftVerdict,
    FindingGroup,
    FindingPlace,
    describe_places,
    group_repeated_findings,
)
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

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


# The findings as a table for the terminal, with the advice below it.


_MARKDOWN_LINK_PATTERN = re.compile(r"!?\[([^\]]*)\]\((\S+?)(?:\s[^)]*)?\)")
_HTML_LINK_PATTERN = re.compile(r"<a\s[^>]*>(.*?)</a\s*>", re.IGNORECASE | re.DOTALL)
_ADDRESS_PATTERN = re.compile(r"<?https?://(?:www\.)?([^\s>]+)>?", re.IGNORECASE)
_BIBTEX_ENTRY_PATTERN = re.compile(r"@\w+\s*\{")

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
        certain = "1 repair is certain" if count == 1 else f"{count:,} repairs are certain"
        screen.print_text(f"{certain}; --fix shows and writes what is certain.")
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
    resting_ids = {each.first.id for every in resting.values() for each in every}
    for group in shown:
        if group.first.id not in resting_ids and grade_finding(group.first) in {
            "failed",
            "warning",
        }:
            _print_explanation(checked, group)
            _print_resting_places(checked, group, resting.get(group.first.id, []))


def _print_resting_places(
    checked: CheckedDraft, group: FindingGroup, resting: Sequence[FindingGroup]
) -> None:
    """Where the statements stand that rest on a wrong reference, unless that is said already."""
    every = FindingGroup(findings=tuple(finding for each in resting for finding in each.findings))
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
        finding = each.first
        reference = wrong.get(finding.reference_id or "")
        if finding.subject != "statement" or finding.place is None or reference is None:
            continue
        is_known = reference.verdict in (finding.also or ())
        if is_known and not (finding.evidence or finding.differences or finding.repairs):
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
    offered = [repair.evidence for repair in finding.repairs or () if repair.evidence]
    for evidence in (finding.evidence or ())[:2]:
        if evidence not in offered:
            passage = f"  “{shorten_text(evidence.passage, _MAX_PASSAGE_CHARS)}”"
            where = evidence.url or evidence.title or ""
            screen.print_text(f"{passage} ({where})" if where else passage)
    for repair in finding.repairs or ():
        address = repair.evidence.url if repair.evidence else None
        link = f" ({address})" if address and address not in repair.text else ""
        screen.print_text(f"  → {repair.text}{link}")


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


# The words in which findings are shown: their place, their citation, their subject, the totals.


def describe_group_place(checked: CheckedDraft, group: FindingGroup) -> str:
    """The places of a group by number, such as "3, 9, 14 and 997 more"; empty if it has none."""
    places = [
        _name_place(checked, finding) for finding in group.findings if finding.place is not None
    ]
    return describe_places(places) if places else ""


def list_place_names(checked: CheckedDraft, group: FindingGroup) -> list[str]:
    """The distinct places of a group, such as "3" or "chapter.tex:3"."""
    every = (
        _name_place(checked, finding) for finding in group.findings if finding.place is not None
    )
    return list(dict.fromkeys(every))


def describe_group_start(checked: CheckedDraft, group: FindingGroup) -> str:
    """The places of a group as the start of a line, such as "Lines 3 and 9: " or "chapter.tex:3: "."""
    places = list_place_names(checked, group)
    if not places:
        return ""
    shown = describe_group_place(checked, group)
    if not places[0].isdigit():
        return f"{shown}: "  # such as chapter.tex:3
    unit = name_place_unit(checked).capitalize()
    return f"{unit if len(places) == 1 else f'{unit}s'} {shown}: "


def describe_citation(text: str) -> str:
    """A citation as readers see it: the words of a link, or an address without its scheme."""
    shown = _MARKDOWN_LINK_PATTERN.sub(lambda found: _name_link(found[1]) or found[2], text)
    shown = _HTML_LINK_PATTERN.sub(lambda found: _name_link(clean_markup(found[1])), shown)
    return _ADDRESS_PATTERN.sub(lambda found: found[1], shown)


def describe_subject(finding: DraftFinding) -> str:
    """The statement, or the reference; an entry of a .bib file by author, year and title."""
    if finding.reference and _BIBTEX_ENTRY_PATTERN.match(finding.text):
        return finding.reference
    return finding.text


def describe_draft_size(checked: CheckedDraft) -> str:
    """How many statements, citations and references the draft has."""
    summary = checked.report.summary
    parts = [
        f"{count:,} {word if count == 1 else f'{word}s'}"
        for count, word in (
            (summary.statements, "statement"),
            (summary.citations, "citation"),
            (summary.references, "reference"),
        )
    ]
    if summary.distinct_statements == summary.statements:
        return ", ".join(parts)
    parts[0] = f"{parts[0]}, {summary.distinct_statements:,} distinct"
    return "; ".join(parts)


def describe_totals(checked: CheckedDraft) -> str:
    """One sentence: how much was read, and how often each verdict was given."""
    given = checked.report.summary.verdicts
    counts = [
        f"{count:,} {describe_verdict_count(verdict, count)}"
        for verdict in DraftVerdict
        if (count := given.get(verdict.value, 0))
    ]
    known = f" {checked.known_count:,} known from the baseline." if checked.known_count else ""
    return f"{describe_draft_size(checked)}: {', '.join(counts) or 'nothing to check'}.{known}"


def shorten_text(text: str, most: int) -> str:
    """The text in one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _name_link(words: str) -> str:
    """The words of a link; a number keeps its brackets, so that it is seen to be a citation."""
    return f"[{words}]" if words.isdigit() else words


def _name_place(checked: CheckedDraft, finding: DraftFinding) -> str:
    if finding.place is None:
        return ""
    name = locate_draft_file(checked, finding.place)
    return str(finding.place.line) if name == checked.name else f"{name}:{finding.place.line}"
