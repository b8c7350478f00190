"""`citewell audit`: checks every reference of a manuscript; the exit code suits CI."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

from citewell.cli.running import bibliography_files, brief_table, exit_codes, reference_files
from citewell.cli.running.command_app import open_command_app
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
from citewell.services.trust.brief_audit import BriefAudit
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
) -> int:
    names = list(dict.fromkeys(files))
    # Text is read before anything is started, so that a missing file is told at once.
    texts = {
        name: reference_files.read_reference_text(name, form=form)
        for name in names
        if not reference_files.is_document_file(name)
    }
    loaded, reports = asyncio.run(_audit_files(names, texts, form=form, links=links))
    if as_json:
        shown = [{"file": name, **report.to_wire()} for name, report in reports.items()]
        screen.print_json(shown[0] if len(shown) == 1 else shown)
    else:
        for name, report in reports.items():
            if loaded[name].document is None:
                brief_table.print_brief_audit(
                    name, report, quiet=quiet, has_lines=loaded[name].has_lines
                )
            else:
                _print_audit(name, report, quiet=quiet)
    return (
        exit_codes.NOTHING_FOUND
        if any(map(_has_failing_entry, reports.values()))
        else exit_codes.OK
    )


async def _audit_files(
    names: list[str], texts: dict[str, ReferenceFile], *, form: str, links: bool
) -> tuple[dict[str, ReferenceFile], dict[str, AuditReport]]:
    async with open_command_app() as app:
        files = {
            name: texts.get(name)
            or await reference_files.read_reference_document(app, name, form=form)
            for name in names
        }
        return files, await _audit_read_files(app, files, links=links)


async def _audit_read_files(
    app: App, files: dict[str, ReferenceFile], *, links: bool
) -> dict[str, AuditReport]:
    documents = [one.document for one in files.values() if one.document is not None]
    total = sum(len(document.references) for document in documents)
    reports: dict[str, AuditReport] = {}
    with show_progress_bar("Checking references", total=total) as done:
        for name, one in files.items():
            if one.document is not None:
                wish = _build_audit_request(one.document, links=links)
                reports[name] = await _audit_document(app, wish, done)
    for name, one in files.items():
        if one.document is None:
            reports[name] = await _audit_brief(app, one)
    return {name: reports[name] for name in files}


async def _audit_brief(app: App, file: ReferenceFile) -> AuditReport:
    with screen.show_spinner("Checking citations") as progress:
        return await app.require_service(BriefAudit).audit_brief(
            file.brief,
            max_cases=sys.maxsize,
            progress=progress.update_progress,
            has_deadline=False,
        )


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
