"""Reads the files that `citewell check` is given, and checks them one after the other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from citewell.cli.checking.checked_draft import CheckedDraft
from citewell.cli.running import bibliography_files
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.errors import CitewellError, InvalidInput
from citewell.model.draft import Draft
from citewell.server.app import App
from citewell.services.drafts.draft_check import DraftCheck
from citewell.services.drafts.draft_files import DraftFileReader
from citewell.services.drafts.draft_inclusions import list_bibliography_names
from citewell.services.library.local_files import describe_import_error


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWish:
    """What the options of the command ask for."""

    bibliography: Path | None = None
    focus: str = "all"
    max_statements: int
    style: str | None = None
    find_sources: bool = False


async def check_draft_files(names: list[str], wish: CheckWish) -> list[CheckedDraft]:
    """All drafts are read before the first is checked, so that a missing file is told at once."""
    listed = bibliography_files.read_text_file(str(wish.bibliography)) if wish.bibliography else ""
    async with open_command_app(is_gate=True) as app:
        with screen.show_spinner("Reading"):
            drafts = {name: await _read_one_draft(app, name, listed) for name in names}
        return [await _check_one_draft(app, name, draft, wish) for name, draft in drafts.items()]


async def _read_one_draft(app: App, name: str, bibliography: str) -> Draft:
    reader = app.require_service(DraftFileReader)
    if name == STDIN_NAME:
        text = await asyncio.to_thread(bibliography_files.read_text_file, name)
        return await reader.read_draft_text(text, bibliography=bibliography)
    if await asyncio.to_thread(Path(name).is_dir):
        raise InvalidInput(f"{name} is a folder. Name the drafts in it, such as {name}/*.md.")
    try:
        return await reader.read_draft_file(Path(name), bibliography=bibliography)
    except CitewellError as error:
        raise InvalidInput(f"{name}: {describe_import_error(error)}") from None


async def _check_one_draft(app: App, name: str, draft: Draft, wish: CheckWish) -> CheckedDraft:
    with screen.show_spinner(f"Checking {name}") as progress:
        report = await app.require_service(DraftCheck).check_draft(
            draft,
            owner=str(app.local_owner),
            focus=wish.focus,
            max_statements=wish.max_statements,
            style=wish.style,
            progress=progress.update_progress,
            find_sources=wish.find_sources,
        )
    return CheckedDraft(
        name=name,
        draft=draft,
        report=report,
        bibliographies=_list_bibliographies(name, draft, wish),
    )


def _list_bibliographies(name: str, draft: Draft, wish: CheckWish) -> tuple[str, ...]:
    """The files of references that were read beside the draft."""
    if wish.bibliography is not None:
        return (str(wish.bibliography),)
    if name == STDIN_NAME or draft.format not in {"latex", "markdown"}:
        return ()
    beside = (Path(name).parent / one for one in list_bibliography_names(draft.text, draft.format))
    return tuple(str(path) for path in beside if path.is_file())
