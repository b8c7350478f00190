"""`citewell audit`: checks every reference of a manuscript; the exit code suits CI."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from citewell.cli.running import bibliography_files, brief_table, exit_codes, reference_files
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.gate_exit import AllowUnchecked, choose_gate_exit
from citewell.cli.running.reference_files import ReferenceFile
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.cli.terminal.progress_bar import show_progress_bar
from citewell.model.argument_types import BIBLIOGRAPHY_FORMATS
from citewell.model.citation_checks import AuditEntry, AuditReport
from citewell.model.reference import BibliographyDocument
from citewell.server.app import App
from citewell.services.trust import audit_findings
from citewell.services.trust.bibliography_audit import BibliographyAudit
from citewell.services.trust.bibliography_intake import AuditRequest, build_document_request
from citewell.services.trust.brief_audit import BRIEF_FORMAT, BriefAudit, omit_listed_cases
from citewell.services.trust.work_lookup import NOT_IN_REGISTRIES

# A reference with one of these makes the command fail.
FAILING_FLAGS = frozenset(
    {audit_findings.RETRACTED, audit_findings.NOT_FOUND, audit_findings.MISMATCH}
)
_FLAG_LABELS = {
    audit_findings.RETRACTED: "retracted",
    audit_findings.NOT_FOUND: "not registered",
    audit_findings.MISMATCH: "mismatched",
    audit_findings.DEAD: "dead link",
    audit_findings.MISCHARACTERISED: "claim not in source",
    audit_findings.UNCHECKED_FLAG: "unchecked",
    audit_findings.DUPLICATE: "duplicate",
}
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
        return [one for one in (self.references, self.cases) if one is not None]

    def to_json(self) -> dict[str, Any]:
        """The report, or that of the references with the one of the cases inside it."""
        first, *others = [one.to_wire() for one in self.reports]
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
                brief_table.print_brief_audit(
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
        is_wrong=any(map(_has_failing_entry, reports)),
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
        listed = [one.document.references for one in files if one.document is not None]
        with show_progress_bar("Checking references", total=sum(map(len, listed))) as done:
            reports = [await _audit_references(app, one, done, links=links) for one in files]
        cases = [
            await _audit_cases(app, one, report) for one, report in zip(files, reports, strict=True)
        ]
        is_offline = app.network.reach is not None and app.network.reach.was_offline
        return [
            FileAudit(file=one, references=report, cases=case, is_offline=is_offline)
            for one, report, case in zip(files, reports, cases, strict=True)
        ]


async def _audit_references(
    app: App, file: ReferenceFile, done: Callable[[], None], *, links: bool
) -> AuditReport | None:
    if file.document is None:
        return None
    return await _audit_document(app, _build_audit_request(file.document, links=links), done)


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


def _build_audit_request(document: BibliographyDocument, *, links: bool) -> AuditRequest:
    if links:
        return build_document_request(document)
    bare = tuple(map(bibliography_files.strip_reference_url, document.references))
    return build_document_request(replace(document, references=bare))


async def _audit_document(app: App, wish: AuditRequest, done: Callable[[], None]) -> AuditReport:
    """Audit all references in one call, so that duplicates are found."""

    async def progress(_: float, __: float | None, ___: str | None) -> None:
        done()

    most = len(wish.references)
    return await app.require_service(BibliographyAudit).audit_bibliography(
        wish, max_entries=most, owner=str(app.local_owner), progress=progress
    )


def _count_unchecked(report: AuditReport) -> int:
    """Entries that nobody could be asked about, and parts of the file that could not be read."""
    # A note on a text with cases says that a part of it could not be searched for them.
    unread = len(report.notes or ()) if report.source.endswith(BRIEF_FORMAT) else 0
    return report.summary.unchecked + report.summary.malformed + unread


def _has_failing_entry(report: AuditReport) -> bool:
    return any(FAILING_FLAGS.intersection(entry.flags) for entry in report.entries)


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
            screen.print_text(
                f"{_describe_entry_place(entry)}: {entry.reason}", style=_choose_entry_style(entry)
            )
        for line in _list_guidance_lines(entry):
            screen.print_text(f"  {line}")
    for damage in report.malformed or ():
        screen.print_text(f"Line {damage.line}: {damage.reason}", style="yellow")
    for note in report.notes or ():
        screen.print_text(note, style="yellow")
    screen.print_text(_describe_audit_totals(report), style="bold")
    if report.summary.warning and not report.malformed:
        screen.print_text(report.summary.warning, style="yellow")
    screen.print_text()


def _build_audit_row(entry: AuditEntry) -> tuple[str, str, str, str]:
    title = entry.title or entry.doi or entry.url or ""
    cut = title if len(title) <= _MAX_TITLE_CHARS else f"{title[: _MAX_TITLE_CHARS - 1].rstrip()}…"
    return str(entry.line or entry.index), entry.key or "", _describe_flags(entry), cut


def _describe_flags(entry: AuditEntry) -> str:
    labels = _FLAG_LABELS | (
        {audit_findings.NOT_FOUND: _ABSENT_LABEL} if entry.existence == NOT_IN_REGISTRIES else {}
    )
    return ", ".join(labels.get(flag, flag) for flag in entry.flags) or "ok"


def _list_guidance_lines(entry: AuditEntry) -> Iterator[str]:
    """What the record has instead, and the other version of a preprint."""
    for one in entry.corrections or ():
        yield f"{one.field}: {one.record} (cited: {one.cited})"
    if entry.published_doi:
        yield f"published as DOI {entry.published_doi}"


def _choose_entry_style(entry: AuditEntry) -> str:
    if FAILING_FLAGS.intersection(entry.flags):
        return screen.STATE_COLOURS["failed"]
    return screen.STATE_COLOURS["warning" if entry.flags else "ok"]


def _describe_entry_place(entry: AuditEntry) -> str:
    named = f", {entry.key}" if entry.key else ""
    return f"Line {entry.line}{named}" if entry.line else f"Entry {entry.index}{named}"


def _describe_audit_totals(report: AuditReport) -> str:
    counts = report.summary.model_dump()
    named = {
        "ok": "ok",
        "retracted": "retracted",
        "not_found": "not registered",
        "mismatched": "mismatched",
        "dead_link": "with a dead link",
        "mischaracterized": "with a claim that is not in the source",
        "unchecked": "unchecked",
        "duplicates": "duplicate",
    }
    absent = sum(entry.existence == NOT_IN_REGISTRIES for entry in report.entries)
    counts["not_found"] -= absent
    parts: list[str] = [f"{counts[key]} {word}" for key, word in named.items() if counts[key]]
    if absent:
        parts.append(f"{absent} {_ABSENT_LABEL}")
    total = report.entry_count
    said = f"{total} {'reference' if total == 1 else 'references'}: {', '.join(parts)}"
    damaged: Any = counts["malformed"]
    return f"{said}; {damaged} damaged." if damaged else f"{said}."
