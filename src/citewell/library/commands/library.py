"""Add your own documents, and search them with the web.

They are listed, removed and exported here too.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import JsonOption, open_command_app
from citewell.cli.screen import show_progress_bar
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.values.page import MAX_PAGE_BYTES
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.evidence.encoding.passage_similarity import PassageSimilarity
from citewell.library import library_documents, library_import
from citewell.library.library_access import DocumentSelection, OwnerLibrary
from citewell.library.library_rows import DocumentCard
from citewell.library.library_store import LibraryFilters, LibraryMatch
from citewell.library.local_files import LocalFileReader
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import extract_visible_text

if TYPE_CHECKING:
    from citewell.server.app import App

_SHOWN_ID_CHARS = len(LIBRARY_ID_PREFIX) + 10  # of an id in tables

OwnerOption = Annotated[
    str | None, typer.Option(help="Whose library, as tenant/user; by default your own.")
]
TagOption = Annotated[str | None, typer.Option(help="Only documents with this tag.")]
SiteOption = Annotated[str | None, typer.Option(help="Only pages of this domain.")]
KindOption = Annotated[str | None, typer.Option("--type", help="Only this type, such as pdf.")]


class ExportFormat(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"


def add_documents(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL...", help="Files, patterns, directories, pages or sitemaps."
        ),
    ],
    *,
    tag: Annotated[
        list[str] | None, typer.Option(help="A tag for all documents; may be repeated.")
    ] = None,
    recursive: Annotated[
        bool, typer.Option("-r", "--recursive", help="Include subdirectories.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many files and pages.")
    ] = None,
    owner: OwnerOption = None,
    as_json: JsonOption = False,
) -> int:
    """Add or update documents; unchanged ones are skipped."""
    report, left = asyncio.run(
        _add_sources(sources, tag or [], owner, recursive=recursive, limit=limit)
    )
    if as_json:
        screen.print_json(_build_adding_json(report, left))
    else:
        _print_adding_result(report, left)
    return (
        exit_codes.NOTHING_FOUND
        if any(problem.failed for problem in report.problems)
        else exit_codes.OK
    )


async def _add_sources(
    sources: list[str], tags: list[str], owner: str | None, *, recursive: bool, limit: int | None
) -> tuple[library_import.ImportReport, int]:
    async with open_command_app() as app, _open_source_readers(app) as readers:
        with screen.show_spinner("Looking for documents"):
            wanted: library_import.ImportPlan = await library_import.plan_import(
                sources, get=readers.fetch_bytes, recursive=recursive, limit=limit
            )
        at_once = max(2, min(4, os.cpu_count() or 2))
        adding = library_import.LibraryImport(
            app.open_state().library,
            owner or str(app.local_owner),
            readers,
            tags=tags,
            concurrency=at_once,
        )
        with show_progress_bar("Adding", total=len(wanted.items)) as done:
            return await adding.run_import(wanted, done=done), wanted.skipped_count


@asynccontextmanager
async def _open_source_readers(app: App) -> AsyncIterator[library_import.ImportSources]:
    from citewell.reading.pages.cached_pages import CachedPageReader

    pages = app.require_service(CachedPageReader)
    files = LocalFileReader(app.settings, app.workers)

    async def page(url: str) -> Any:
        return await pages.read_page(url, max_length=MAX_PAGE_BYTES)

    yield library_import.ImportSources(
        files=files,
        read_page=page,
        fetch_bytes=library_import.build_sitemap_fetcher(app.settings, app.network, app.workers),
    )


def _build_adding_json(report: library_import.ImportReport, left: int) -> dict[str, Any]:
    return {
        "added": report.added,
        "replaced": report.replaced,
        "unchanged": report.unchanged,
        "beyondLimit": left,
        "problems": [
            {
                "source": extract_visible_text(problem.source),
                "reason": problem.reason,
                "failed": problem.failed,
            }
            for problem in report.problems
        ],
    }


def _print_adding_result(report: library_import.ImportReport, left: int) -> None:
    failed = [problem for problem in report.problems if problem.failed]
    passed = len(report.problems) - len(failed)
    for failure in failed:
        sys.stderr.write(
            f"{extract_visible_text(failure.source)}: {extract_visible_text(failure.reason)}\n"
        )
    parts = [
        f"{report.added} added",
        f"{report.replaced} changed",
        f"{report.unchanged} unchanged",
        *([f"{len(failed)} not read"] if failed else []),
        *([f"{passed} skipped, not documents"] if passed else []),
        *([f"{left} left out because of --limit"] if left else []),
    ]
    screen.print_text(", ".join(parts) + ".")


def list_library(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|PATH|URL...]", help="Only these.")
    ] = None,
    *,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only documents whose files no longer exist.")
    ] = False,
    owner: OwnerOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the documents in the library, oldest first."""
    chosen = DocumentSelection(
        names=tuple(names or ()), tag=tag, site=site, kind=kind, missing_files_only=missing
    )
    cards = asyncio.run(_load_document_cards(owner, chosen))
    if as_json:
        screen.print_json([library_documents.build_card_facts(card) for card in cards])
    else:
        rows = [_build_card_row(card) for card in cards]
        if rows:
            screen.print_table(("ID", "TITLE", "TYPE", "TAGS", "WHERE"), rows)
        screen.print_text(f"{len(cards)} {_inflect_document(len(cards))}", style="dim")
    return exit_codes.OK if cards else exit_codes.NOTHING_FOUND


async def _load_document_cards(owner: str | None, chosen: DocumentSelection) -> list[DocumentCard]:
    async with _open_library(owner) as library:
        return [card async for card in library.iterate_cards(chosen)]


@asynccontextmanager
async def _open_library(owner: str | None) -> AsyncIterator[OwnerLibrary]:
    async with open_command_app() as app:
        scorer = app.require_service(PassageSimilarity)
        chosen = owner or str(app.local_owner)
        yield OwnerLibrary(app.open_state().library, chosen, scorer=scorer)


def _build_card_row(card: DocumentCard) -> tuple[str, ...]:
    where = library_documents.find_document_location(card)
    return (card.id[:_SHOWN_ID_CHARS], card.title, card.kind, ", ".join(card.tags), where)


def _inflect_document(count: int) -> str:
    return "document" if count == 1 else "documents"


def search_library(
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
    owner: OwnerOption = None,
    as_json: JsonOption = False,
) -> int:
    """Search the library alone.

    `citewell search --provider library` does it as an assistant would.
    """
    filters = LibraryFilters(
        site=site,
        kind=kind,
        tag=tag,
        language=language,
        published_after=_parse_day_option("--after", after),
        published_before=_parse_day_option("--before", before),
    )
    matches = asyncio.run(_find_matches(owner, query, filters, count))
    if as_json:
        screen.print_json(
            [
                library_documents.build_card_facts(match.card)
                | {"score": round(match.score, 4), "snippet": match.snippet}
                for match in matches
            ]
        )
    else:
        for number, match in enumerate(matches, start=1):
            _print_match(number, match)
        screen.print_text(f"{len(matches)} found", style="dim")
    return exit_codes.OK if matches else exit_codes.NOTHING_FOUND


async def _find_matches(
    owner: str | None, query: str, filters: LibraryFilters, count: int
) -> tuple[LibraryMatch, ...]:
    async with _open_library(owner) as library:
        return await library.search_own_documents(query, filters=filters, limit=count)


def _parse_day_option(option: str, given: str | None) -> float | None:
    if given is None:
        return None
    found = parse_provider_date(given, now=datetime.now(UTC))
    if found is None:
        raise InvalidInput(f"{option} {given!r} is not a date. Write it like 2026-03-14.")
    return found.timestamp()


def _print_match(number: int, match: LibraryMatch) -> None:
    card = match.card
    screen.print_text(f"{number}. {card.title}", style="bold")
    screen.print_text(
        f"   {library_documents.find_document_location(card)}", style="cyan", unwrapped=True
    )
    facts = [card.id[:_SHOWN_ID_CHARS], card.kind, (card.extra.get("date") or "")[:10], *card.tags]
    screen.print_text(f"   {' · '.join(fact for fact in facts if fact)}", style="dim")
    screen.print_text(f"   {' '.join(match.snippet.split())}")
    screen.print_text()


def remove_documents(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|PATH|URL...]", help="A directory means all documents below it."
        ),
    ] = None,
    *,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Documents whose files no longer exist.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="The whole library.")] = False,
    owner: OwnerOption = None,
) -> int:
    """Remove documents from the library.

    The files and pages themselves are not changed.
    """
    chosen = DocumentSelection(
        names=tuple(names or ()), tag=tag, site=site, kind=kind, missing_files_only=missing
    )
    if chosen.is_unrestricted != everything:
        raise InvalidInput("Name what to remove, or give only --all to remove everything.")
    gone = asyncio.run(_remove_chosen(owner, chosen))
    screen.print_text(f"{gone} {_inflect_document(gone)} removed.")
    return exit_codes.OK if gone else exit_codes.NOTHING_FOUND


async def _remove_chosen(owner: str | None, chosen: DocumentSelection) -> int:
    async with _open_library(owner) as library:
        if chosen.is_unrestricted:
            return await library.clear_documents()
        return await library.remove_documents(
            [card.id async for card in library.iterate_cards(chosen)]
        )


def export_library(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|PATH|URL...]", help="Only these.")
    ] = None,
    *,
    form: Annotated[
        ExportFormat, typer.Option("--format", help="JSON lines, or a directory of markdown files.")
    ] = ExportFormat.JSONL,
    out: Annotated[Path | None, typer.Option(help="The file or directory to write.")] = None,
    tag: TagOption = None,
    site: SiteOption = None,
    kind: KindOption = None,
    owner: OwnerOption = None,
) -> int:
    """Export documents with their text and metadata."""
    if form is ExportFormat.MARKDOWN and out is None:
        raise InvalidInput("Markdown files need a directory; name it with --out.")
    chosen = DocumentSelection(names=tuple(names or ()), tag=tag, site=site, kind=kind)
    count = asyncio.run(_write_export(owner, chosen, form, out))
    if out is not None:
        screen.print_text(f"{count} {_inflect_document(count)} written to {out}.")
    if not count:
        raise NotFound("No document of the library matches.")
    return exit_codes.OK


async def _write_export(
    owner: str | None, chosen: DocumentSelection, form: ExportFormat, out: Path | None
) -> int:
    async with _open_library(owner) as library:
        found = library.iterate_documents(chosen)
        if out is None:
            return await library_documents.export_json_lines(found, sys.stdout)
        if form is ExportFormat.JSONL:
            return await library_documents.export_to_file(found, out)
        return await library_documents.export_to_directory(found, out)


SUBCOMMANDS = {
    "add": add_documents,
    "list": list_library,
    "search": search_library,
    "remove": remove_documents,
    "export": export_library,
}
