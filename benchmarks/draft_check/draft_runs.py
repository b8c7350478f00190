"""Runs the draft check over the evaluation's texts, as a user's server would."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.draft_check.draft_files import build_docx, build_pdf
from benchmarks.draft_check.draft_gold import DraftSpecimen
from benchmarks.draft_check.draft_recipes import build_specimens
from benchmarks.draft_check.draft_scoring import ScoredDraft, score_draft
from benchmarks.draft_check.draft_world import (
    UnpacedNetwork,
    localize_text,
    open_draft_internet,
    resolve_draft_host,
)
from benchmarks.draft_check.handwritten_drafts import load_handwritten
from citewell.core import config
from citewell.drafts.draft import Draft
from citewell.drafts.draft_check import DraftCheck
from citewell.drafts.draft_files import DraftFileReader
from citewell.drafts.draft_findings import DraftReport
from citewell.server.app import App
from tests.internet.serve import Internet

_SUFFIXES = {"markdown": ".md", "plain": ".txt", "html": ".html", "latex": ".tex"}
_OWNER = "benchmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """A text as it was read, what was found in it, and how that compares with the truth."""

    draft: Draft
    report: DraftReport
    scored: ScoredDraft


def list_specimens(half: str | None = None) -> list[DraftSpecimen]:
    chosen = (*load_handwritten(), *build_specimens())
    return [one for one in chosen if half in {None, one.half}]


async def check_specimens(specimens: Iterable[DraftSpecimen]) -> list[CheckedDraft]:
    """Every text in turn, by one server without keys and without a model."""
    with open_draft_internet() as internet:
        async with open_draft_server(internet) as app:
            return [await _check_specimen(app, one, internet) for one in specimens]


@contextlib.asynccontextmanager
async def open_draft_server(internet: Internet) -> AsyncIterator[App]:
    """A server whose memory is empty, and which knows nothing of the real web."""
    with tempfile.TemporaryDirectory() as folder:
        settings = config.load_settings(
            internet.env()
            | {
                "HOME": folder,
                "CITEWELL_DATA_DIR": folder,
                "CITEWELL_CONFIG": f"{folder}/none.toml",
                "CITEWELL_STEALTH": "false",
                "CHROME_PATH": "disabled",
                "AUDIT_ENABLED": "false",
            },
            allow_private_ips=True,
        )
        app = App(settings, network=UnpacedNetwork(settings, resolver=resolve_draft_host))
        try:
            yield app
        finally:
            await app.aclose()


async def _check_specimen(app: App, specimen: DraftSpecimen, internet: Internet) -> CheckedDraft:
    with tempfile.TemporaryDirectory() as folder:
        path = _write_specimen(specimen, internet, Path(folder))
        draft = await app.require_service(DraftFileReader).read_draft_file(path)
    report = await app.require_service(DraftCheck).check_draft(draft, owner=_OWNER)
    return CheckedDraft(draft=draft, report=report, scored=score_draft(specimen, draft, report))


def _write_specimen(specimen: DraftSpecimen, internet: Internet, folder: Path) -> Path:
    """The file of a text, with a .bib file beside it if it has one."""
    body = localize_text(specimen.body, internet)
    if specimen.bibliography:
        records = localize_text(specimen.bibliography, internet)
        (folder / "refs.bib").write_text(records, encoding="utf-8")
        if specimen.format == "markdown":
            body = f"---\nbibliography: refs.bib\n---\n\n{body}"
    path = folder / f"draft{_SUFFIXES.get(specimen.format, f'.{specimen.format}')}"
    if specimen.format == "docx":
        path.write_bytes(build_docx(body))
    elif specimen.format == "pdf":
        path.write_bytes(build_pdf(body))
    else:
        path.write_text(body, encoding="utf-8")
    return path
