"""Bibliographies in any CSL style, made by pandoc if it is installed, else by citeproc-py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec

from citewell.errors import InvalidInput
from citewell.services.citing.pandoc_runs import find_pandoc, render_with_pandoc
from citewell.services.citing.style_files import load_parent_style, load_style_file
from citewell.text.citations import bibliographies
from citewell.text.citations.citable_works import CitableWork
from citewell.text.citations.csl_rendering import CslStyleFacts
from citewell.workers.worker_tasks import TaskRunner, WorkerTask

_RENDER_SECONDS = 60.0  # of a worker's time for one list
_READ_FACTS: WorkerTask[CslStyleFacts] = WorkerTask(
    "citewell.text.citations.csl_rendering:read_style_facts", CslStyleFacts
)
_RENDER_ENTRIES: WorkerTask[list[str]] = WorkerTask(
    "citewell.text.citations.csl_rendering:render_csl_entries", list[str]
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

    async def open_style(self, name_or_path: str) -> CslStyle:
        """The style with its rules. Raises InvalidInput if it, its parent or a program is missing."""
        rules = load_style_file(name_or_path)
        facts = await self._workers.run_task(_READ_FACTS, style=rules)
        if facts.parent:
            rules = load_parent_style(facts.parent, child=name_or_path)
            if (await self._workers.run_task(_READ_FACTS, style=rules)).parent:
                raise InvalidInput(f"The style {facts.parent} has no rules of its own.")
        program = find_pandoc()
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
