"""`citewell audit`: every reference of a manuscript checked, with an exit code that CI understands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import typer

from citewell.cli import bibfiles, exits, screen
from citewell.cli.bar import bar
from citewell.cli.opened import opened
from citewell.model.reference import Document
from citewell.model.trust import AuditEntry, AuditReport
from citewell.server.app import App
from citewell.services.trust import findings
from citewell.services.trust.audit import Audit
from citewell.services.trust.intake import Wish, of_document
from citewell.text import references

# A manuscript with one of these must not go out.
FAILING = frozenset({findings.RETRACTED, findings.NOT_FOUND, findings.MISMATCH})
_WORDS = {
    findings.RETRACTED: "retracted",
    findings.NOT_FOUND: "not registered",
    findings.MISMATCH: "mismatched",
    findings.DEAD: "dead link",
    findings.MISCHARACTERISED: "claim not in source",
    findings.UNCHECKED_FLAG: "unchecked",
    findings.DUPLICATE: "duplicate",
}
_HEADINGS = ("Line", "Key", "Result", "Title")
_MOSTLY_UNCHECKED = "Most could not be checked: registries may be out of reach. Try again later."
_WIDEST = 60  # characters of a title in the table


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help=".bib, .ris, .json, .txt or .md; - for standard input."
        ),
    ],
    *,
    form: Annotated[
        str, typer.Option("--format", help=f"auto, {', '.join(references.FORMATS)}.")
    ] = "auto",
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="Check the web addresses as well.")
    ] = True,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show only what was found wrong.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tool's own answers.")] = False,
) -> int:
    """Check that every reference exists, is the work it says it is, and was not retracted.

    Exits with 1 when one is retracted, mismatched or not registered.
    """
    documents = {name: bibfiles.read(name, form=form) for name in dict.fromkeys(files)}
    reports = asyncio.run(_audit_all(documents, links=links))
    if as_json:
        shown = [{"file": name, **report.wire()} for name, report in reports.items()]
        screen.say_json(shown[0] if len(shown) == 1 else shown)
    else:
        for name, report in reports.items():
            _show(name, report, quiet=quiet)
    return exits.NOTHING if any(map(_fails, reports.values())) else exits.OK


async def _audit_all(documents: dict[str, Document], *, links: bool) -> dict[str, AuditReport]:
    total = sum(len(document.references) for document in documents.values())
    async with opened() as app:
        with bar("Checking references", total=total) as done:
            return {
                name: await _audit(app, _wished(document, links=links), done)
                for name, document in documents.items()
            }


def _wished(document: Document, *, links: bool) -> Wish:
    if links:
        return of_document(document)
    bare = tuple(map(bibfiles.unlinked, document.references))
    return of_document(
        Document(format=document.format, references=bare, malformed=document.malformed)
    )


async def _audit(app: App, wish: Wish, done: Callable[[], None]) -> AuditReport:
    """All of it at once, so that a work which comes twice is seen wherever it stands."""

    async def progress(_: float, __: float | None, ___: str | None) -> None:
        done()

    most = len(wish.references)
    return await app.service(Audit).audit(wish, most=most, progress=progress)


def _fails(report: AuditReport) -> bool:
    return any(FAILING.intersection(entry.flags) for entry in report.entries)


def _show(name: str, report: AuditReport, *, quiet: bool) -> None:
    rows = [entry for entry in report.entries if entry.flags or not quiet]
    screen.say("Standard input" if name == bibfiles.PIPE else name, style="bold")
    if rows:
        screen.table(_HEADINGS, [_row(entry) for entry in rows], styles=[_style(e) for e in rows])
        screen.say()
    for entry in report.entries:
        if entry.reason:
            screen.say(f"{_place(entry)}: {entry.reason}", style=_style(entry))
    for damage in report.malformed or ():
        screen.say(f"Line {damage.line}: {damage.reason}", style="yellow")
    screen.say(_sum(report), style="bold")
    if 2 * report.summary.unchecked > report.entry_count:
        screen.say(_MOSTLY_UNCHECKED, style="yellow")
    screen.say()


def _row(entry: AuditEntry) -> tuple[str, str, str, str]:
    title = entry.title or entry.doi or entry.url or ""
    cut = title if len(title) <= _WIDEST else f"{title[: _WIDEST - 1].rstrip()}…"
    return str(entry.line or entry.index), entry.key or "", _result(entry), cut


def _result(entry: AuditEntry) -> str:
    return ", ".join(_WORDS.get(flag, flag) for flag in entry.flags) or "ok"


def _style(entry: AuditEntry) -> str:
    if FAILING.intersection(entry.flags):
        return screen.STYLES["failed"]
    return screen.STYLES["warning" if entry.flags else "ok"]


def _place(entry: AuditEntry) -> str:
    named = f", {entry.key}" if entry.key else ""
    return f"Line {entry.line}{named}" if entry.line else f"Entry {entry.index}{named}"


def _sum(report: AuditReport) -> str:
    counts = report.summary.model_dump()
    named = {
        "ok": "ok",
        "retracted": "retracted",
        "not_found": "not registered",
        "mismatched": "mismatched",
        "dead_link": "with a dead link",
        "mischaracterized": "whose source does not speak of the claim",
        "unchecked": "unchecked",
        "duplicates": "duplicate",
    }
    parts: list[str] = [f"{counts[key]} {word}" for key, word in named.items() if counts[key]]
    total = report.entry_count
    said = f"{total} {'reference' if total == 1 else 'references'}: {', '.join(parts)}"
    damaged: Any = counts["malformed"]
    return f"{said}; {damaged} damaged." if damaged else f"{said}."
