"""Get what works without a network: retractions, and an encoder.

The table of retractions comes from the public Retraction Watch file; the encoder ranks passages by
meaning.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import JsonOption, call_with_app, open_command_app
from citewell.core.errors import CitewellError, InvalidInput, Misconfigured
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.counted_words import pluralize
from citewell.evidence.settings import EvidenceSettings
from citewell.net.http.file_downloads import FileDownloader
from citewell.net.http.messages import HttpRequest
from citewell.server.app import App
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck, check_encoder
from citewell.server.state.state_store import has_stored_state
from citewell.trust.retraction_import import ImportOutcome, RetractionImport
from citewell.trust.retraction_table import RetractionEdition, SqlRetractionTable
from citewell.trust.settings import TrustSettings

DOWNLOAD_SECONDS = 900.0  # seconds for one file
_REPORT_SECONDS = 0.5
_BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    path: str  # in the publisher's repository
    name: str  # in our folder
    size: int  # bytes
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedModel:
    """A model at one revision of its repository, and what its files must be."""

    title: str
    license: str
    repository: str
    revision: str
    files: tuple[PinnedFile, ...]

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)

    def describe_model(self) -> str:
        size = f"{self.total_bytes / _BYTES_PER_MB:.1f} MB"
        return f"{self.title} ({self.license}), {size}"


# docs/decisions/0013-encoder.md says why this one, and where the hashes were compared.
RECOMMENDED_MODEL = PinnedModel(
    title="all-MiniLM-L6-v2, quantized to 8 bits",
    license="Apache-2.0",
    repository="Xenova/all-MiniLM-L6-v2",
    revision="751bff37182d3f1213fa05d7196b954e230abad9",
    files=(
        PinnedFile(
            path="onnx/model_quantized.onnx",
            name="model_quantized.onnx",
            size=22_972_370,
            sha256="afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        ),
        PinnedFile(
            path="tokenizer.json",
            name="tokenizer.json",
            size=711_661,
            sha256="da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        ),
    ),
)


class ModelDownload:
    """Puts a model into a folder; until all of its files are there and right, the folder is as it was."""

    def __init__(
        self,
        downloads: FileDownloader,
        *,
        base_url: str,
        folder: Path,
        model: PinnedModel | None = None,
    ) -> None:
        self.model = model or RECOMMENDED_MODEL
        self.folder = folder
        self._downloads = downloads
        self._base_url = base_url.rstrip("/")

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.evidence.encoding.encoders import locate_downloaded_encoder

        return cls(
            FileDownloader(kit.network.guard, kit.settings),
            base_url=kit.settings[EvidenceSettings].encoder_download_url,
            folder=locate_downloaded_encoder(kit.settings),
        )

    def has_model(self) -> bool:
        """Whether the folder holds exactly this model."""
        return all(_has_content(self.folder / file.name, file) for file in self.model.files)

    async def install_model(self, *, report: ProgressCallback) -> None:
        """Download the model. Raises InvalidInput for a file with another hash, and NetworkFailed."""
        scratch = await asyncio.to_thread(_make_scratch_folder, self.folder)
        try:
            for file in self.model.files:
                await self._download_file(file, scratch / file.name, report)
            await asyncio.to_thread(_replace_folder, self.folder, scratch)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)

    def remove_model(self) -> bool:
        """Delete the folder; False if there was none."""
        if not self.folder.is_dir():
            return False
        shutil.rmtree(self.folder)
        return True

    async def _download_file(
        self, wanted: PinnedFile, path: Path, report: ProgressCallback
    ) -> None:
        done = 0

        def count_bytes(so_far: int, _total: int | None) -> None:
            nonlocal done
            done = so_far

        place = f"{self.model.repository}/resolve/{self.model.revision}/{wanted.path}"
        address = f"{self._base_url}/{place}"
        request = HttpRequest(url=address, timeout=DOWNLOAD_SECONDS, max_bytes=wanted.size)
        with await asyncio.to_thread(path.open, "wb") as target:
            fetching = asyncio.create_task(
                self._downloads.download_file(request, target, progress=count_bytes)
            )
            try:
                while not (await asyncio.wait([fetching], timeout=_REPORT_SECONDS))[0]:
                    so_far, total = done / _BYTES_PER_MB, wanted.size / _BYTES_PER_MB
                    await report(so_far, total, f"Fetching {wanted.name}, in MB")
            finally:
                fetching.cancel()
            await fetching
        if not await asyncio.to_thread(_has_content, path, wanted):
            raise InvalidInput(
                f"{address} is another file than expected: its SHA-256 is not"
                f" {wanted.sha256[:12]}…. Nothing was changed."
            )


def _has_content(path: Path, wanted: PinnedFile) -> bool:
    if not path.is_file() or path.stat().st_size != wanted.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == wanted.sha256


def _make_scratch_folder(folder: Path) -> Path:
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise Misconfigured(
            f"Nothing can be written into {folder.parent}: {error.strerror}.",
            action="inform_user",
            settings=("CITEWELL_DATA_DIR",),
        ) from None


def _replace_folder(folder: Path, scratch: Path) -> None:
    """Move the new folder to its place; a program that reads the old one meanwhile keeps its files."""
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        folder.replace(old / folder.name)
        scratch.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        scratch.replace(folder)


_SECONDS_PER_DAY = 86400.0
_STALE_DAYS = 60  # the public file changes every working day


def update_retractions(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH|URL]",
            help="The Retraction Watch CSV; the default is RETRACTION_WATCH_URL.",
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Accept a file with far fewer rows than before.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Import the retraction table again; if that fails, the current one is kept."""
    done = asyncio.run(_import_retractions(source, force=force))
    if as_json:
        screen.print_json(_build_import_json(done))
    else:
        _print_import(done)
    return exit_codes.OK


async def _import_retractions(source: str | None, *, force: bool) -> ImportOutcome:
    async with open_command_app() as app:
        chosen = source or app.settings[TrustSettings].retraction_watch_url
        if chosen.lower().startswith(("http://", "https://")):
            app.network.guard.trust_service(chosen)  # chosen by the person who runs this
        with screen.show_spinner("Importing the retraction table") as spinner:
            importing = app.require_service(RetractionImport)
            return await importing.import_table(chosen, report=spinner.update_progress, force=force)


def _print_import(done: ImportOutcome) -> None:
    tally, edition = done.tally, done.edition
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in tally.count_by_kind.most_common())
    screen.print_text(
        f"{edition.rows:,} {pluralize(edition.rows, 'notice')} up to {edition.newest_notice_date or 'no date'}: {kinds}."
    )
    if done.before is not None and done.change is not None:
        screen.print_text(
            f"{done.change.added:,} new, {done.change.removed:,} removed, {done.change.changed:,} of"
            f" another kind, compared with the table up to {done.before.newest_notice_date}."
        )
    if tally.without_identifier:
        screen.print_text(
            f"{tally.without_identifier:,} have neither a DOI nor a PMID and were skipped."
        )
    if tally.malformed:
        screen.print_text(
            f"{tally.malformed:,} {pluralize(tally.malformed, 'row')} could not be read:",
            style="yellow",
        )
        for fault in tally.faults:
            screen.print_text(f"  line {fault.line}: {fault.reason}")


def _build_import_json(done: ImportOutcome) -> dict[str, Any]:
    change = done.change
    return {
        **_build_edition_json(done.edition),
        "kinds": dict(done.tally.count_by_kind),
        "withoutIdentifier": done.tally.without_identifier,
        "malformed": done.tally.malformed,
        "faults": [{"line": fault.line, "reason": fault.reason} for fault in done.tally.faults],
        "change": change
        and {"added": change.added, "removed": change.removed, "changedKind": change.changed},
    }


def show_retractions(*, as_json: JsonOption = False) -> int:
    """Show the imported table and its age; exits with 1 if none is imported."""
    edition = call_with_app(
        lambda app: SqlRetractionTable(app.open_state().database).load_edition()
    )
    if as_json:
        screen.print_json(_build_edition_json(edition) if edition else None)
    elif edition is None:
        screen.print_text(
            "No retraction table is imported. Import one with `citewell data update`."
        )
    else:
        screen.print_table(
            ("RETRACTIONS", ""), [(name, str(what)) for name, what in _build_edition_rows(edition)]
        )
    return exit_codes.OK if edition else exit_codes.NOTHING_FOUND


def _build_edition_rows(edition: RetractionEdition) -> list[tuple[str, str]]:
    facts = _build_edition_json(edition)
    return [
        ("notices", f"{edition.rows:,}"),
        ("skipped", f"{edition.skipped:,}"),
        ("newest notice", edition.newest_notice_date or "unknown"),
        (
            "imported",
            f"{facts['imported']} ({facts['ageDays']} {pluralize(facts['ageDays'], 'day')} ago)",
        ),
        ("from", edition.origin),
    ]


def _build_edition_json(edition: RetractionEdition) -> dict[str, Any]:
    return {
        "rows": edition.rows,
        "skipped": edition.skipped,
        "date": edition.newest_notice_date,
        "imported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(edition.imported_at)),
        "ageDays": count_age_days(edition, now=time.time()),
        "origin": edition.origin,
    }


def count_age_days(edition: RetractionEdition, *, now: float) -> int:
    """Whole days since the table was imported."""
    return max(0, int((now - edition.imported_at) // _SECONDS_PER_DAY))


async def check_retraction_table(app: App) -> InstallationCheck:
    """The doctor's check of the retraction table: whether there is one, and how old it is."""
    name, update_it = "retraction table", "citewell data update"
    edition: RetractionEdition | None = None
    try:
        if has_stored_state(app.settings):  # else none is created
            edition = await SqlRetractionTable(app.open_state().database).load_edition()
    except CitewellError as error:
        return InstallationCheck(name=name, state="warning", detail=error.message)
    if edition is None:
        detail = "none imported; retractions are only looked up in registries"
        return InstallationCheck(name=name, detail=detail, change=f"{update_it} (optional)")
    days = count_age_days(edition, now=time.time())
    detail = f"{edition.rows:,} {pluralize(edition.rows, 'notice')} up to {edition.newest_notice_date}, imported {days} {pluralize(days, 'day')} ago"
    if days > _STALE_DAYS:
        return InstallationCheck(name=name, state="warning", detail=detail, change=update_it)
    return InstallationCheck(name=name, detail=detail)


def install_encoder(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Delete the downloaded model.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Download the model that ranks passages by meaning; it is used from then on."""
    facts = asyncio.run(_remove_encoder() if remove else _install_encoder(yes=yes))
    if as_json:
        screen.print_json(facts)
    else:
        screen.print_text(facts["message"])
    return exit_codes.OK


async def _remove_encoder() -> dict[str, Any]:
    async with open_command_app() as app:
        download = app.require_service(ModelDownload)
        was_there = await asyncio.to_thread(download.remove_model)
        message = f"{download.folder} was deleted." if was_there else "No model was downloaded."
        return {"message": message, "folder": str(download.folder), "removed": was_there}


async def _install_encoder(*, yes: bool) -> dict[str, Any]:
    async with open_command_app() as app:
        download = app.require_service(ModelDownload)
        model = download.model.describe_model()
        facts = {"folder": str(download.folder), "model": model, "downloaded": False}
        if await asyncio.to_thread(download.has_model):
            return {"message": f"{download.folder} already has {model}.", **facts}
        base_url = app.settings[EvidenceSettings].encoder_download_url
        _confirm_download(f"{model}, from {base_url} into {download.folder}", yes=yes)
        app.network.guard.trust_service(base_url)  # chosen by the person who runs this
        with screen.show_spinner("Downloading the encoder") as spinner:
            await download.install_model(report=spinner.update_progress)
        check = await check_encoder(app, offline=True)
        advice = f" {check.change}" if check.change else ""
        message = f"{model} is in {download.folder}. Encoder: {check.detail}.{advice}"
        return {"message": message, **facts, "downloaded": True, "state": check.state}


def _confirm_download(what: str, *, yes: bool) -> None:
    """Ask a person at a terminal; raises InvalidInput if nobody can be asked, or the answer is no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"This would download {what}. Say so with --yes.", action="inform_user")
    if not typer.confirm(f"Download {what}?", default=True, err=True):
        raise InvalidInput("Nothing was downloaded.", action="inform_user")


SUBCOMMANDS = {
    "update": update_retractions,
    "status": show_retractions,
    "encoder": install_encoder,
}
