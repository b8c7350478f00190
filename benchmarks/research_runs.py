"""Runs research questions through the product over stdio: on the bundled web, or on saved pages in the library."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from benchmarks.answer_scoring import EvaluationQuestion, GivenAnswer, judge_answer
from benchmarks.clients import Piped, result
from benchmarks.measures import processor
from benchmarks.passage_baseline import PassageIndex, SourceText
from benchmarks.quality_summary import JudgedPair
from citewell.reading.html.main_content import extract_markdown
from tests.internet.render import markup
from tests.internet.serve import Internet

COMMAND = str(Path(sys.executable).with_name("citewell"))
TIER = "S"
WAIT_SECONDS = 30  # for one look at a job
_ENDED_STATES = frozenset({"completed", "failed", "cancelled", None})  # None: no such job


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """The product's answers and the baseline's to the same questions, judged."""

    answers: Mapping[str, GivenAnswer]  # the product's, by question
    product: tuple[JudgedPair, ...]
    baseline: tuple[JudgedPair, ...]


class ResearchClient:
    """One server over stdio that is asked one question after another."""

    def __init__(self, process: subprocess.Popen[bytes], pages: Mapping[str, str]) -> None:
        """`pages` names the page behind each address that a report may cite."""
        self._process, self._pages = process, pages
        self._pipe = Piped(process)
        self._pipe.open()

    @classmethod
    @contextlib.contextmanager
    def open_server(
        cls, environ: Mapping[str, str], pages: Mapping[str, str]
    ) -> Iterator[ResearchClient]:
        process = subprocess.Popen(
            [COMMAND, "serve", "--toolsets", "deep"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
        )
        with process:
            yield cls(process, pages)
            assert process.stdin
            process.stdin.close()

    def research_question(self, text: str) -> GivenAnswer:
        """The report on a question; a job that fails, and a question refused, is an empty answer."""
        before = processor(self._process)
        job = self._call_tool(
            "research", {"query": text, "budgetTier": TIER, "providers": ["local"]}
        )
        found = self._await_report(job["jobId"]) if "jobId" in job else {}
        registry = found.get("sourceRegistry", ())
        return GivenAnswer(
            report=found.get("synthesis", "## Answer\n\nNothing was found."),
            pages={one["ref"]: self._pages.get(one["url"], one["url"]) for one in registry},
            cpu_seconds=processor(self._process) - before,
            failed="synthesis" not in found,
        )

    def _await_report(self, job_id: str) -> dict[str, Any]:
        look = {"jobId": job_id, "wait_seconds": WAIT_SECONDS}
        while self._call_tool("research_status", look).get("status") not in _ENDED_STATES:
            pass
        return self._call_tool("get_results", {"jobId": job_id})

    def _call_tool(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        frame = self._pipe.ask("tools/call", {"name": name, "arguments": arguments})
        try:
            found = result(frame)
        except RuntimeError:  # an error is an answer too: nothing was found
            return {}
        told: dict[str, Any] = found.get("structuredContent") or json.loads(
            found["content"][0]["text"]
        )
        return told


class WorkFolder:
    """A home and a data directory of their own, and the settings that name them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "CITEWELL_DATA_DIR": str(folder / "data"),
            "CITEWELL_STEALTH": "false",
            "CHROME_PATH": "disabled",
        }

    @classmethod
    @contextlib.contextmanager
    def open_temporary(cls) -> Iterator[Self]:
        with tempfile.TemporaryDirectory() as folder:
            yield cls(Path(folder))


def run_on_web(questions: Sequence[EvaluationQuestion]) -> EvaluationRun:
    """Every question on the bundled web, each site of which has an address of its own."""
    with WorkFolder.open_temporary() as work, Internet(spread=True) as internet:
        pages = internet.world.pages
        names = {page.url: f"{page.host}/{page.path}" for page in pages}
        sources = [
            SourceText(
                name=names[page.url],
                title=page.title,
                markdown=extract_markdown(markup(page), page.url),
            )
            for page in pages
        ]
        environ = work.environ | internet.env()
        with ResearchClient.open_server(environ, names) as client:
            return _answer_all(questions, client, PassageIndex(sources))


def run_on_library(questions: Sequence[EvaluationQuestion], pages: Sequence[Path]) -> EvaluationRun:
    """Every question on saved pages (.html or .html.gz), which are put into a fresh library."""
    with WorkFolder.open_temporary() as work:
        environ = work.environ | {"SEARCH_ROUTING": "library"}
        documents = _fill_library(pages, work.folder, environ)
        names = {
            str(value): Path(one["path"]).name.partition(".")[0]
            for one in documents
            for key, value in one.items()
            if key not in {"text", "title"} and isinstance(value, str)
        }
        sources = [
            SourceText(name=names[one["path"]], title=one.get("title") or "", markdown=one["text"])
            for one in documents
        ]
        with ResearchClient.open_server(environ, names) as client:
            return _answer_all(questions, client, PassageIndex(sources))


def _answer_all(
    questions: Sequence[EvaluationQuestion], client: ResearchClient, index: PassageIndex
) -> EvaluationRun:
    answers = {question.id: client.research_question(question.text) for question in questions}
    return EvaluationRun(
        answers=answers,
        product=tuple((one, judge_answer(one, answers[one.id])) for one in questions),
        baseline=tuple(
            (one, judge_answer(one, index.answer_question(one.text))) for one in questions
        ),
    )


def _fill_library(
    pages: Sequence[Path], folder: Path, environ: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The documents that the library holds once it was given the pages."""
    saved = folder / "pages"
    saved.mkdir()
    for page in pages:
        data = page.read_bytes()
        name = page.name.removesuffix(".gz")
        (saved / name).write_bytes(gzip.decompress(data) if page.suffix == ".gz" else data)
    export = folder / "library.jsonl"
    for arguments in (["add", str(saved)], ["export", "--out", str(export)]):
        command = [COMMAND, "library", *arguments]
        subprocess.run(command, env=dict(environ), check=False, capture_output=True)
    # Texts may hold other line breaks, such as U+2028, which JSON does not escape.
    return [json.loads(line) for line in export.read_text("utf-8").split("\n") if line]
