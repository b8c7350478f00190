"""`citewell audit`: checks every reference of a manuscript; the exit code suits CI."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import typer

from citewell.cli.running import bibliography_files, exit_codes
from citewell.cli.running.command_app import open_command_app
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
_AUDIT_COLUMNS = ("Line", "Key", "Result", "Title")
_MOSTLY_UNCHECKED_MESSAGE = "Most references could not be checked, perhaps because registries are unreachable. Try again later."
_MAX_TITLE_CHARS = 60  # characters of a title in the table


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help=".bib, .ris, .json, .txt or .md; - for standard input."
        ),
    ],
    *,
    form: Annotated[
        str, typer.Option("--format", help=f"auto, {', '.join(BIBLIOGRAPHY_FORMATS)}.")
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
    documents = {
        name: bibliography_files.read_bibliography_file(name, form=form)
        for name in dict.fromkeys(files)
    }
    reports = asyncio.run(_audit_documents(documents, links=links))
    if as_json:
        shown = [{"file": name, **report.to_wire()} for name, report in reports.items()]
        screen.print_json(shown[0] if len(shown) == 1 else shown)
    else:
        for name, report in reports.items():
            _print_audit(name, report, quiet=quiet)
    return (
        exit_codes.NOTHING_FOUND
        if any(map(_has_failing_entry, reports.values()))
        else exit_codes.OK
    )


async def _audit_documents(
    documents: dict[str, BibliographyDocument], *, links: bool
) -> dict[str, AuditReport]:
    total = sum(len(document.references) for document in documents.values())
    async with open_command_app() as app:
        with show_progress_bar("Checking references", total=total) as done:
            return {
                name: await _audit_document(app, _build_audit_request(document, links=links), done)
                for name, document in documents.items()
            }


def _build_audit_request(document: BibliographyDocument, *, links: bool) -> AuditRequest:
    if links:
        return build_document_request(document)
    bare = tuple(map(bibliography_files.strip_reference_url, document.references))
    return build_document_request(
        BibliographyDocument(format=document.format, references=bare, malformed=document.malformed)
    )


async def _audit_document(app: App, wish: AuditRequest, done: Callable[[], None]) -> AuditReport:
    """Audit all references in one call, so that duplicates are found."""

    async def progress(_: float, __: float | None, ___: str | None) -> None:
        done()

    most = len(wish.references)
    return await app.require_service(BibliographyAudit).audit_bibliography(
        wish, max_entries=most, progress=progress
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
    for damage in report.malformed or ():
        screen.print_text(f"Line {damage.line}: {damage.reason}", style="yellow")
    screen.print_text(_describe_audit_totals(report), style="bold")
    if 2 * report.summary.unchecked > report.entry_count:
        screen.print_text(_MOSTLY_UNCHECKED_MESSAGE, style="yellow")
    screen.print_text()


def _build_audit_row(entry: AuditEntry) -> tuple[str, str, str, str]:
    title = entry.title or entry.doi or entry.url or ""
    cut = title if len(title) <= _MAX_TITLE_CHARS else f"{title[: _MAX_TITLE_CHARS - 1].rstrip()}…"
    return str(entry.line or entry.index), entry.key or "", _describe_flags(entry), cut


def _describe_flags(entry: AuditEntry) -> str:
    return ", ".join(_FLAG_LABELS.get(flag, flag) for flag in entry.flags) or "ok"


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
    parts: list[str] = [f"{counts[key]} {word}" for key, word in named.items() if counts[key]]
    total = report.entry_count
    said = f"{total} {'reference' if total == 1 else 'references'}: {', '.join(parts)}"
    damaged: Any = counts["malformed"]
    return f"{said}; {damaged} damaged." if damaged else f"{said}."
