"""`citewell library`: the user's own documents, added, listed, searched, removed and exported."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.bar import bar
from citewell.cli.opened import opened
from citewell.errors import InvalidInput, NotFound
from citewell.server.app import App
from citewell.services.library import documents, export
from citewell.services.library.adding import Adding, Plan, Report, plan
from citewell.services.library.catalogue import Chosen, Library
from citewell.services.library.files import Files
from citewell.services.library.sources import Sources, getter
from citewell.store.library import Filters, Match
from citewell.store.library_rows import Card
from citewell.text.dates import read_date
from citewell.text.markup import visible
from citewell.tooling import Owner

ABOUT = "Your own documents: add them, and search them beside the web."
WHOLE = 5_000_000  # bytes of one page
_SHORT = len("library:") + 10  # characters of an id that a table shows

OwnerOption = Annotated[
    str, typer.Option(help="Whose library, as tenant/user; your own unless the server knows users.")
]
TagOption = Annotated[str | None, typer.Option(help="Only documents with this tag.")]
SiteOption = Annotated[str | None, typer.Option(help="Only pages of this domain.")]
KindOption = Annotated[str | None, typer.Option("--type", help="Only this type, such as pdf.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ME = str(Owner())


class Form(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"


def group(epilog: str) -> typer.Typer:
    """The verbs under `citewell library`."""
    verbs = typer.Typer(help=ABOUT, no_args_is_help=True, epilog=epilog)
    for name, command in (
        ("add", add),
        ("list", listed),
        ("search", search),
        ("remove", remove),
        ("export", exported),
    ):
        verbs.command(name, epilog=epilog)(exits.ended(command))
    return verbs


def add(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL...", help="Files, patterns, directories, pages or sitemaps."
        ),
    ],
    *,
    tag: Annotated[list[str] | None, typer.Option(help="A tag for all; may be repeated.")] = None,
    recursive: Annotated[
        bool, typer.Option("-r", "--recursive", help="Directories with all below them.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many files and pages.")
    ] = None,
    owner: OwnerOption = ME,
    as_json: JsonOption = False,
) -> int:
    """Add documents or bring them up to date; what has not changed is passed over."""
    report, left = asyncio.run(_added(sources, tag or [], owner, recursive=recursive, limit=limit))
    if as_json:
        screen.say_json(_wire(report, left))
    else:
        _tell(report, left)
    return exits.NOTHING if any(one.failed for one in report.problems) else exits.OK


async def _added(
    sources: list[str], tags: list[str], owner: str, *, recursive: bool, limit: int | None
) -> tuple[Report, int]:
    async with opened() as app, _reading(app) as readers:
        with screen.spinner("Looking for documents"):
            wanted: Plan = await plan(sources, get=readers.get, recursive=recursive, limit=limit)
        at_once = max(2, min(4, os.cpu_count() or 2))
        adding = Adding(app.state().library, owner, readers, tags=tags, at_once=at_once)
        with bar("Adding", total=len(wanted.items)) as done:
            return await adding.run(wanted, done=done), wanted.left


@asynccontextmanager
async def _reading(app: App) -> AsyncIterator[Sources]:
    from citewell.services.read import Read

    pages = app.service(Read)
    files = Files(app.settings)

    async def page(url: str) -> Any:
        return await pages.read(url, max_length=WHOLE)

    try:
        yield Sources(files=files, page=page, get=getter(app.settings, app.network))
    finally:
        await files.aclose()


def _wire(report: Report, left: int) -> dict[str, Any]:
    return {
        "added": report.added,
        "replaced": report.replaced,
        "unchanged": report.unchanged,
        "beyondLimit": left,
        "problems": [
            {"source": visible(one.source), "reason": one.reason, "failed": one.failed}
            for one in report.problems
        ],
    }


def _tell(report: Report, left: int) -> None:
    failed = [one for one in report.problems if one.failed]
    passed = len(report.problems) - len(failed)
    for one in failed:
        sys.stderr.write(f"{visible(one.source)}: {visible(one.reason)}\n")
    parts = [
        f"{report.added} added",
        f"{report.replaced} changed",
        f"{report.unchanged} unchanged",
        *([f"{len(failed)} not read"] if failed else []),
        *([f"{passed} passed over as no documents"] if passed else []),
        *([f"{left} left for another time by --limit"] if left else []),
    ]
    screen.say(", ".join(parts) + ".")


def listed(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|PATH|URL...]", help="Only these.")
    ] = None,
    *,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only files that are no longer there.")
    ] = False,
    owner: OwnerOption = ME,
    as_json: JsonOption = False,
) -> int:
    """List the documents in the library, the oldest first."""
    chosen = Chosen(names=tuple(names or ()), tag=tag, site=site, kind=kind, missing=missing)
    cards = asyncio.run(_cards(owner, chosen))
    if as_json:
        screen.say_json([export.facts(card) for card in cards])
    else:
        rows = [_row(card) for card in cards]
        if rows:
            screen.table(("ID", "TITLE", "TYPE", "TAGS", "WHERE"), rows)
        screen.say(f"{len(cards)} {_documents(len(cards))}", style="dim")
    return exits.OK if cards else exits.NOTHING


async def _cards(owner: str, chosen: Chosen) -> list[Card]:
    async with _library(owner) as library:
        return [card async for card in library.cards(chosen)]


@asynccontextmanager
async def _library(owner: str) -> AsyncIterator[Library]:
    async with opened() as app:
        yield Library(app.state().library, owner)


def _row(card: Card) -> tuple[str, ...]:
    where = documents.place(card)
    return (card.id[:_SHORT], card.title, card.kind, ", ".join(card.tags), where)


def _documents(count: int) -> str:
    return "document" if count == 1 else "documents"


def search(
    query: Annotated[str, typer.Argument(help='Words; a "quoted phrase" must occur.')],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=100, help="How many results.")
    ] = 10,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    language: Annotated[str | None, typer.Option(help="Only this language, such as de.")] = None,
    after: Annotated[str | None, typer.Option(help="Published on this day or later.")] = None,
    before: Annotated[str | None, typer.Option(help="Published before this day.")] = None,
    owner: OwnerOption = ME,
    as_json: JsonOption = False,
) -> int:
    """Search the library alone; `citewell search --provider library` asks it as an assistant does."""
    filters = Filters(
        site=site,
        kind=kind,
        tag=tag,
        language=language,
        after=_day("--after", after),
        before=_day("--before", before),
    )
    matches = asyncio.run(_found(owner, query, filters, count))
    if as_json:
        screen.say_json([_match(match) for match in matches])
    else:
        for number, match in enumerate(matches, start=1):
            _show(number, match)
        screen.say(f"{len(matches)} found", style="dim")
    return exits.OK if matches else exits.NOTHING


async def _found(owner: str, query: str, filters: Filters, count: int) -> tuple[Match, ...]:
    async with _library(owner) as library:
        return await library.search(query, filters=filters, limit=count)


def _day(option: str, given: str | None) -> float | None:
    if given is None:
        return None
    found = read_date(given, now=datetime.now(UTC))
    if found is None:
        raise InvalidInput(f"{option} {given!r} is no date; write one such as 2026-03-14.")
    return found.timestamp()


def _match(match: Match) -> dict[str, Any]:
    return export.facts(match.card) | {"score": round(match.score, 4), "snippet": match.snippet}


def _show(number: int, match: Match) -> None:
    card = match.card
    screen.say(f"{number}. {card.title}", style="bold")
    screen.say(f"   {documents.place(card)}", style="cyan", whole=True)
    facts = [card.id[:_SHORT], card.kind, (card.extra.get("date") or "")[:10], *card.tags]
    screen.say(f"   {' · '.join(fact for fact in facts if fact)}", style="dim")
    screen.say(f"   {' '.join(match.snippet.split())}")
    screen.say()


def remove(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID|PATH|URL...]", help="A directory stands for all below it."),
    ] = None,
    *,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Files that are no longer there.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="The whole library.")] = False,
    owner: OwnerOption = ME,
) -> int:
    """Remove documents from the library; the files and pages themselves stay as they are."""
    chosen = Chosen(names=tuple(names or ()), tag=tag, site=site, kind=kind, missing=missing)
    if chosen.everything != everything:
        raise InvalidInput("Name what to remove, or remove everything with --all alone.")
    gone = asyncio.run(_removed(owner, chosen))
    screen.say(f"{gone} {_documents(gone)} removed.")
    return exits.OK if gone else exits.NOTHING


async def _removed(owner: str, chosen: Chosen) -> int:
    async with _library(owner) as library:
        if chosen.everything:
            return await library.clear()
        return await library.remove([card.id async for card in library.cards(chosen)])


def exported(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|PATH|URL...]", help="Only these.")
    ] = None,
    *,
    form: Annotated[
        Form, typer.Option("--format", help="Lines of JSON, or a directory of markdown files.")
    ] = Form.JSONL,
    out: Annotated[Path | None, typer.Option(help="The file or directory to write.")] = None,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    owner: OwnerOption = ME,
) -> int:
    """Write documents with their text and all that is known of them."""
    if form is Form.MARKDOWN and out is None:
        raise InvalidInput("Markdown files need a directory: name it with --out.")
    chosen = Chosen(names=tuple(names or ()), tag=tag, site=site, kind=kind)
    count = asyncio.run(_export(owner, chosen, form, out))
    if out is not None:
        screen.say(f"{count} {_documents(count)} written to {out}.")
    if not count:
        raise NotFound("The library holds no such document.")
    return exits.OK


async def _export(owner: str, chosen: Chosen, form: Form, out: Path | None) -> int:
    async with _library(owner) as library:
        found = library.documents(chosen)
        if out is None:
            return await export.to_lines(found, sys.stdout)
        if form is Form.JSONL:
            return await export.to_file(found, out)
        return await export.to_directory(found, out)
