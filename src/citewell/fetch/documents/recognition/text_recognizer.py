"""Runs tesseract on the picture of a page, in a restricted process that is killed when it takes long.

A worker draws the page, so that tesseract gets plain pixels and never a file from outside. It runs
in no worker, because workers may start no program.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import zlib
from base64 import b64decode
from contextlib import suppress
from typing import NamedTuple

from citewell.fetch.documents.recognition.language_scripts import (
    choose_script_languages,
    is_script_known,
)
from citewell.fetch.documents.recognition.page_picture import PagePicture
from citewell.model.counted_words import pluralize

_START_MODULE = "citewell.fetch.documents.recognition.program_start"
_PROGRAM_NAME = "tesseract"
_LIST_SECONDS = 10.0
_MAX_TABLE_BYTES = 8 * 2**20
# Models that find the direction or equations of a page are no languages.
_SCRIPT_MODEL = "osd"
_NO_LANGUAGES = frozenset({_SCRIPT_MODEL, "equ", "snum"})
_LANGUAGE_PATTERN = re.compile(r"[A-Za-z]{3}(?:_[A-Za-z_]{1,16})?")
_KEPT_ENVIRONMENT_NAMES = ("PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "SYSTEMROOT")


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
