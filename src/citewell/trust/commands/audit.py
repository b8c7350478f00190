"""Check a file's references and the cases that its text cites.

Does it exist, does it describe the right work, and was it not retracted? In a text (.docx, .pdf,
.txt, .md, .tex) every case citation is found and looked up; only citations and names of cases are
sent out. Exits with 1 if a reference is retracted, mismatched or not registered, or if a cited case
is wrong or was not found where it must be, and with 3 if something could not be checked.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import STDIN_NAME, open_command_app
from citewell.cli.exit_codes import AllowUnchecked, choose_gate_exit
from citewell.cli.screen import show_progress_bar
from citewell.core.values.argument_types import BIBLIOGRAPHY_FORMATS
from citewell.core.values.citation_checks import AuditEntry, AuditReport
from citewell.core.values.court_case import FAILING_VERDICTS, CaseVerdict
from citewell.text.data_tables import load_table
from citewell.trust import audit_findings
from citewell.trust.author_judgement import shorten_text
from citewell.trust.bibliography_audit import BibliographyAudit, build_document_request
from citewell.trust.brief_audit import BRIEF_FORMAT, BriefAudit, omit_listed_cases
from citewell.trust.commands import reference_files
from citewell.trust.commands.reference_files import ReferenceFile
from citewell.trust.work_lookup import NOT_IN_REGISTRIES

if TYPE_CHECKING:
    from citewell.server.app import App

_MAX_CITATION_CHARS = 78
_NO_CASES_MESSAGE = "No citation of a case was found in the text."
_PRIVACY_MESSAGE = (
    "Only citations and names of cases were sent to registries, nothing else of the text."
)
_NOTHING_SENT_MESSAGE = "Nothing of the text was sent to registries."

# A reference with one of these makes the command fail.
FAILING_FLAGS = frozenset(
    {audit_findings.RETRACTED, audit_findings.NOT_FOUND, audit_findings.MISMATCH}
)
_ABSENT_LABEL = "not found"  # of a reference without an identifier
_AUDIT_COLUMNS = ("Line", "Key", "Result", "Title")
_MAX_TITLE_CHARS = 60  # characters of a title in the table


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAudit:
    """What was found about the references of a file and about the cases in its text."""

    file: ReferenceFile
    references: AuditReport | None
    cases: AuditReport | None
    is_offline: bool  # the machine had no network

    @property
    def reports(self) -> list[AuditReport]:
        return [report for report in (self.references, self.cases) if report is not None]

    def to_json(self) -> dict[str, Any]:
        """The report, or that of the references with the one of the cases inside it."""
        first, *others = [report.to_wire() for report in self.reports]
        return {"file": self.file.name, **first} | ({"cases": others[0]} if others else {})


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="A bibliography or manuscript in any usual format (.bib .ris .json .xml .nbib .txt .docx .tex .pdf), or a brief; - for standard input.",
        ),
    ],
    *,
    form: Annotated[
        str, typer.Option("--format", help=f"auto, {', '.join(BIBLIOGRAPHY_FORMATS)}, brief.")
    ] = "auto",
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="Check the web addresses as well.")
    ] = True,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show only references with findings.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answers of the tool as JSON.")
    ] = False,
    allow_unchecked: AllowUnchecked = False,
) -> int:
    names = list(dict.fromkeys(files))
    # Text is read before anything is started, so that a missing file is told at once.
    texts = {
        name: reference_files.read_reference_text(name, form=form)
        for name in names
        if not reference_files.is_document_file(name)
    }
    audits = asyncio.run(_audit_files(names, texts, form=form, links=links))
    if as_json:
        shown = [audit.to_json() for audit in audits]
        screen.print_json(shown[0] if len(shown) == 1 else shown)
    else:
        for audit in audits:
            if audit.references is not None:
                _print_audit(audit.file.name, audit.references, quiet=quiet)
            if audit.cases is not None:
                print_brief_audit(
                    audit.file.name,
                    audit.cases,
                    quiet=quiet,
                    has_lines=audit.file.has_lines,
                    is_offline=audit.is_offline,
                )
    reports = [report for audit in audits for report in audit.reports]
    complaints = [audit.file.complaint for audit in audits if audit.file.complaint]
    for complaint in complaints:
        exit_codes.print_error(complaint, {})
    return choose_gate_exit(
        is_wrong=any(
            FAILING_FLAGS.intersection(entry.flags)
            for report in reports
            for entry in report.entries
        ),
        unchecked_count=sum(map(_count_unchecked, reports)) + len(complaints),
        allow_unchecked=allow_unchecked,
    )


async def _audit_files(
    names: list[str], texts: dict[str, ReferenceFile], *, form: str, links: bool
) -> list[FileAudit]:
    async with open_command_app(is_gate=True) as app:
        files = [
            texts.get(name) or await reference_files.read_reference_document(app, name, form=form)
            for name in names
        ]
        listed = [file.document.references for file in files if file.document is not None]
        with show_progress_bar("Checking references", total=sum(map(len, listed))) as done:
            reports = [
                await _audit_references(app, source_file, done, links=links)
                for source_file in files
            ]
        cases = [
            await _audit_cases(app, file, report)
            for file, report in zip(files, reports, strict=True)
        ]
        is_offline = app.network.reach is not None and app.network.reach.was_offline
        return [
            FileAudit(file=file, references=report, cases=case, is_offline=is_offline)
            for file, report, case in zip(files, reports, cases, strict=True)
        ]


async def _audit_references(
    app: App, file: ReferenceFile, done: Callable[[], None], *, links: bool
) -> AuditReport | None:
    """Audit all references of a file in one call, so that duplicates are found."""
    document = file.document
    if document is None:
        return None
    if not links:
        bare = tuple(map(reference_files.strip_reference_url, document.references))
        document = replace(document, references=bare)

    async def progress(_: float, __: float | None, ___: str | None) -> None:
        done()

    return await app.require_service(BibliographyAudit).audit_bibliography(
        build_document_request(document),
        max_entries=len(document.references),
        owner=str(app.local_owner),
        progress=progress,
    )


async def _audit_cases(
    app: App, file: ReferenceFile, references: AuditReport | None
) -> AuditReport | None:
    """The cases that the text cites, without those that were checked as references."""
    if not file.brief and references is not None:
        return None
    with screen.show_spinner("Checking citations") as progress:
        report = await app.require_service(BriefAudit).audit_brief(
            file.brief,
            max_cases=sys.maxsize,
            progress=progress.update_progress,
            has_deadline=False,
        )
    if references is None:
        return report
    return omit_listed_cases(report, references)


def _count_unchecked(report: AuditReport) -> int:
    """Entries that nobody could be asked about, and parts of the file that could not be read."""
    # A note on a text with cases says that a part of it could not be searched for them.
    unread = len(report.notes or ()) if report.source.endswith(BRIEF_FORMAT) else 0
    return report.summary.unchecked + report.summary.malformed + unread


def _print_audit(name: str, report: AuditReport, *, quiet: bool) -> None:
    rows = [entry for entry in report.entries if entry.flags or not quiet]
    screen.print_text("Standard input" if name == STDIN_NAME else name, style="bold")
    if rows:
        screen.print_table(
            _AUDIT_COLUMNS,
            [_build_audit_row(entry) for entry in rows],
            styles=[_choose_entry_style(e) for e in rows],
        )
        screen.print_text()
    for entry in report.entries:
        if entry.reason:
            place = f"Line {entry.line}" if entry.line else f"Entry {entry.index}"
            named = f"{place}, {entry.key}" if entry.key else place
            screen.print_text(f"{named}: {entry.reason}", style=_choose_entry_style(entry))
        for field in entry.corrections or ():
            screen.print_text(f"  {field.field}: {field.record} (cited: {field.cited})")
        if entry.published_doi:
            screen.print_text(f"  published as DOI {entry.published_doi}")
    for damage in report.malformed or ():
        screen.print_text(f"Line {damage.line}: {damage.reason}", style="yellow")
    for note in report.notes or ():
        screen.print_text(note, style="yellow")
    screen.print_text(_describe_audit_totals(report), style="bold")
    if report.summary.warning and not report.malformed:
        screen.print_text(report.summary.warning, style="yellow")
    screen.print_text()


def _build_audit_row(entry: AuditEntry) -> tuple[str, str, str, str]:
    title = shorten_text(entry.title or entry.doi or entry.url or "", _MAX_TITLE_CHARS)
    labels = load_table(__package__, "command_words")["flags"] | (
        {audit_findings.NOT_FOUND: _ABSENT_LABEL} if entry.existence == NOT_IN_REGISTRIES else {}
    )
    flags = ", ".join(labels.get(flag, flag) for flag in entry.flags) or "ok"
    return str(entry.line or entry.index), entry.key or "", flags, title


def _choose_entry_style(entry: AuditEntry) -> str:
    if FAILING_FLAGS.intersection(entry.flags):
        return screen.STATE_COLOURS["failed"]
    return screen.STATE_COLOURS["warning" if entry.flags else "ok"]


def _describe_audit_totals(report: AuditReport) -> str:
    counts = report.summary.model_dump()
    named = load_table(__package__, "command_words")["audit_totals"]
    absent = sum(entry.existence == NOT_IN_REGISTRIES for entry in report.entries)
    counts["not_found"] -= absent
    parts: list[str] = [f"{counts[key]} {word}" for key, word in named.items() if counts[key]]
    if absent:
        parts.append(f"{absent} {_ABSENT_LABEL}")
    total = report.entry_count
    totals = f"{total} {'reference' if total == 1 else 'references'}: {', '.join(parts)}"
    damaged: Any = counts["malformed"]
    return f"{totals}; {damaged} damaged." if damaged else f"{totals}."


# Prints the audit of a brief so that a lawyer understands it at first reading.


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
    place = entry.line if has_lines else entry.index
    return (
        str(place),
        load_table(__package__, "command_words")["case_verdicts"][_find_verdict(entry)][0],
        shorten_text(entry.title or "", _MAX_CITATION_CHARS),
        str(entry.mention_count or 1),
    )


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
        f"{counts[verdict]} {word}"
        for verdict, (_, word) in load_table(__package__, "command_words")["case_verdicts"].items()
        if counts[verdict]
    ]
    total = report.entry_count
    cited = "1 cited case" if total == 1 else f"{total} cited cases"
    return f"{cited}: {', '.join(parts)}."
