"""Has scanned pages recognized by tesseract, in a restricted process, when a document asks for it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, TypeVar

from citewell.core.errors import CitewellError
from citewell.core.values.counted_words import pluralize
from citewell.reading.documents.document_text import (
    DocumentLimits,
    RecognitionNeeded,
    RecognizedPage,
    RecognizedText,
)
from citewell.text.data_tables import load_table
from citewell.workers.worker_tasks import PoolFigures, TaskRunner, WorkerTask

MAX_LANGUAGES = 3  # each makes recognition slower
_SCRIPT_PATTERN = re.compile(r"^Script: ([A-Za-z]+)", re.MULTILINE)

_START_MODULE = "citewell.workers.sandbox"
_PROGRAM_NAME = "tesseract"
_LIST_SECONDS = 10.0
_MAX_TABLE_BYTES = 8 * 2**20
# Models that find the direction or equations of a page are no languages.
_SCRIPT_MODEL = "osd"
_NO_LANGUAGES = frozenset({_SCRIPT_MODEL, "equ", "snum"})
_LANGUAGE_PATTERN = re.compile(r"[A-Za-z]{3}(?:_[A-Za-z_]{1,16})?")
_KEPT_ENVIRONMENT_NAMES = ("PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "SYSTEMROOT")


SECONDS_PER_PAGE = 3.0  # on average over the scanned pages of a document


class RecognitionLimits(NamedTuple):
    max_pages: int = 20  # scanned pages of one document that are recognized
    total_seconds: float = 60.0  # for all pages of one document
    page_seconds: float = 60.0
    memory_bytes: int = 2**30


class RecognitionFailure(Exception):
    """A page could not be recognized; the document is read without it."""


class TextRecognizer:
    """Finds tesseract when first needed. Without it, `find_languages` gives "" and nothing starts."""

    def __init__(
        self, limits: RecognitionLimits | None = None, *, languages: str = "", program: str = ""
    ) -> None:
        """`languages` are tesseract's names, joined by "+"; all installed ones if empty."""
        self.limits = limits or RecognitionLimits()
        self._wanted = languages
        self._program = program
        self._languages: str | None = None
        self._can_tell_script = False

    async def find_languages(self) -> str:
        """The languages to recognize, as tesseract takes them; "" if it is not installed or has none."""
        if self._languages is None:
            self._program = self._program or shutil.which(_PROGRAM_NAME) or ""
            self._languages = await self._list_languages() if self._program else ""
        return self._languages

    async def recognize_image(self, image: PagePicture) -> str:
        """Tesseract's table of the words on the page. Raises RecognitionFailure."""
        picture = await asyncio.to_thread(_unpack_picture, image)
        languages = await self._choose_languages(picture)
        # The picture has one dot for each dot of the page, so its resolution is known.
        options = ["stdin", "stdout", "-l", languages, "--dpi", str(image.dots_per_inch), "tsv"]
        raw = await self._run_program(options, picture, self.limits.page_seconds)
        return raw.decode("utf-8", "replace")

    async def _choose_languages(self, picture: bytes) -> str:
        """The languages that fit the script of the page; a page of another script is read by none."""
        languages = (await self.find_languages()).split("+")
        report = b""
        if not self._wanted and self._can_tell_script and not is_script_known(languages):
            options = ["stdin", "stdout", "-l", _SCRIPT_MODEL, "--psm", "0"]
            with suppress(RecognitionFailure):  # a page with few letters has no certain script
                report = await self._run_program(options, picture, self.limits.page_seconds)
        if self._wanted:
            return "+".join(languages)
        return choose_script_languages(languages, report.decode("utf-8", "replace"))

    async def _list_languages(self) -> str:
        try:
            listed = await self._run_program(["--list-langs"], b"", _LIST_SECONDS)
        except RecognitionFailure:
            return ""
        lines = listed.decode("utf-8", "replace").splitlines()
        found = [
            line
            for line in lines
            if _LANGUAGE_PATTERN.fullmatch(line) and line not in _NO_LANGUAGES
        ]
        self._can_tell_script = _SCRIPT_MODEL in lines
        if self._wanted:
            return "+".join(name for name in self._wanted.split("+") if name in found)
        return "+".join(sorted(found, key=lambda name: (name != "eng", name)))

    async def _run_program(self, arguments: list[str], picture: bytes, seconds: float) -> bytes:
        kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT_NAMES if name in os.environ}
        path = os.pathsep.join(part for part in sys.path if part)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", _START_MODULE, str(self.limits.memory_bytes),
            str(round(seconds) + 1), str(os.getpid()), self._program, *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=kept | {"PYTHONPATH": path, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C"},
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds):
                answer, _ = await process.communicate(picture)
        except TimeoutError:
            raise RecognitionFailure(
                f"took longer than {seconds:g} {pluralize(seconds, 'second')}"
            ) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode or len(answer) > _MAX_TABLE_BYTES:
            raise RecognitionFailure(f"ended with status {process.returncode}")
        return answer


def _unpack_picture(image: PagePicture) -> bytes:
    """The picture as a portable graymap, the plainest format that tesseract reads."""
    size = image.width * image.height
    unpacker = zlib.decompressobj()
    pixels = unpacker.decompress(b64decode(image.pixels), size)
    if len(pixels) != size:
        raise RecognitionFailure("the picture of the page is incomplete")
    return f"P5 {image.width} {image.height} 255\n".encode() + pixels


# Which installed languages may stand on a page, by the script that it is written in.


def is_script_known(languages: Sequence[str]) -> bool:
    """Whether the languages share one script, so that the page need not be asked for its own."""
    return len(languages) < 2 or not _list_non_latin_languages().intersection(languages)


def choose_script_languages(languages: Sequence[str], report: str) -> str:
    """The languages of the script that tesseract reports, as it takes them: `eng+deu`.

    All installed ones, up to a limit, if it reports none, or one that no installed language has.
    """
    found = _SCRIPT_PATTERN.search(report)
    script = found[1] if found else ""
    if script in _load_languages():
        fitting = [name for name in _load_languages()[script] if name in languages]
    elif script:
        fitting = [name for name in languages if name not in _list_non_latin_languages()]
    else:
        fitting = []
    return "+".join((fitting or list(languages))[:MAX_LANGUAGES])


@cache
def _list_non_latin_languages() -> frozenset[str]:
    return frozenset(name for names in _load_languages().values() for name in names)


def _load_languages() -> Mapping[str, Sequence[str]]:
    """By script, tesseract's names of languages that are not written in Latin letters."""
    languages: Mapping[str, Sequence[str]] = load_table(__package__, "script_languages")
    return languages


# The picture of a scanned page on its way from a worker to text recognition.


@dataclass(frozen=True, slots=True)
class PagePicture:
    width: int
    height: int
    dots_per_inch: int
    pixels: str  # one byte each, row by row, compressed by zlib, in base64


R = TypeVar("R")

_RENDER_PAGE: WorkerTask[PagePicture] = WorkerTask(
    "citewell.reading.documents.pdf.pdf_reader:render_page_image", PagePicture
)
_PAGES_AT_ONCE = 2


class RecognizingRunner:
    """A task that is given a document's limits may ask for recognition, and is then run again."""

    def __init__(self, workers: TaskRunner, recognizer: TextRecognizer) -> None:
        self._workers = workers
        self._recognizer = recognizer

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        body = arguments.get("body")
        limits = {
            name: value for name, value in arguments.items() if isinstance(value, DocumentLimits)
        }
        if not limits or not isinstance(body, bytes) or b"%PDF-" not in body[:1024]:
            return await self._workers.run_task(task, limit_seconds=limit_seconds, **arguments)
        ready = bool(await self._recognizer.find_languages())
        asking = {name: replace(value, can_recognize=ready) for name, value in limits.items()}
        try:
            return await self._workers.run_task(
                task, limit_seconds=limit_seconds, **(arguments | asking)
            )
        except RecognitionNeeded as needed:
            numbers = [int(number) for number in (needed.detail or "").split(",") if number]
        text = await self._recognize_pages(body, numbers)
        knowing = {name: replace(value, recognized=text) for name, value in limits.items()}
        return await self._workers.run_task(
            task, limit_seconds=limit_seconds, **(arguments | knowing)
        )

    def prepare_worker(self) -> None:
        self._workers.prepare_worker()

    def measure_pool(self) -> PoolFigures:
        return self._workers.measure_pool()

    async def aclose(self) -> None:
        await self._workers.aclose()

    async def _recognize_pages(self, body: bytes, numbers: list[int]) -> RecognizedText:
        """The text of as many pages as the limits allow; those that fail are left out."""
        limits = self._recognizer.limits
        chosen = numbers[: limits.max_pages]
        room = asyncio.Semaphore(_PAGES_AT_ONCE)

        async def recognize(number: int) -> RecognizedPage | None:
            async with room:
                return await self._recognize_page(body, number)

        tasks = [asyncio.ensure_future(recognize(number)) for number in chosen]
        try:
            done, late = await asyncio.wait(tasks, timeout=limits.total_seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        pages = [page for task in done if (page := task.result()) is not None]
        left_out = ""
        if late:
            left_out = f"Text recognition was stopped after {limits.total_seconds:g} {pluralize(limits.total_seconds, 'second')}."
        elif len(chosen) < len(numbers):
            left_out = f"Text recognition is limited to {limits.max_pages} pages of a document."
        return RecognizedText(
            pages=tuple(sorted(pages, key=lambda page: page.number)),
            left_out=left_out,
        )

    async def _recognize_page(self, body: bytes, number: int) -> RecognizedPage | None:
        try:
            image = await self._workers.run_task(_RENDER_PAGE, body=body, number=number)
            return RecognizedPage(number, await self._recognizer.recognize_image(image))
        except (CitewellError, RecognitionFailure):
            return None
