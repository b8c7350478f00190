"""Reads drafts from files: text with the files that it names, documents in a sandboxed process."""

from __future__ import annotations

import asyncio
import codecs
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Self

from citewell.citations.references.formats.latex_documents import find_cited_keys
from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.drafts.draft import Draft, detect_draft_format
from citewell.drafts.draft_reading import MAX_DRAFT_CHARS, DraftSource, describe_long_draft
from citewell.drafts.reference_table import TextSegment
from citewell.library.local_files import LocalFileReader
from citewell.reading.documents.document_reader import DOCUMENT_ERRORS, convert_task_failure
from citewell.reading.documents.document_text import DocumentLimits, UnreadableDocument
from citewell.reading.page_charset import decode_body
from citewell.reading.settings import ReadingSettings
from citewell.workers.settings import WorkersSettings
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

_DOCUMENT_STARTS = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf")
_READ_SOURCE: WorkerTask[Draft] = WorkerTask(
    "citewell.drafts.draft_reading:read_draft_source", Draft, DOCUMENT_ERRORS
)
_READ_DOCUMENT: WorkerTask[Draft] = WorkerTask(
    "citewell.drafts.document_drafts:read_document_draft", Draft, DOCUMENT_ERRORS
)
_READING_SECONDS = 120.0  # of processor time for the longest draft
_MAX_BYTES_PER_CHAR = 4
_MAX_ODD_SHARE = 0.5  # of the lines that are not ASCII; with more the whole has another encoding
_MAX_CONTROL_SHARE = 0.01  # of all bytes; text has hardly any but the ends of lines
_LOOK_BYTES = 200_000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins with one
_CONTROL_PATTERN = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_ODD_LINE_CHARSET = "cp1252"

_COMMENT_PATTERN = re.compile(r"(?<!\\)%[^\n]*+")
_INCLUDE_PATTERN = re.compile(r"\\(?:input|include|subfile)\s{0,3}\{([^{}\n]{1,300})\}")
_FRONT_MATTER_PATTERN = re.compile(
    r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL
)
_BIBLIOGRAPHY_LINE_PATTERN = re.compile(
    r"^bibliography:[ \t]*(?P<value>[^\n]*)(?P<items>(?:\n[ \t]*-[ \t]*[^\n]+)*)", re.MULTILINE
)
_ITEM_PATTERN = re.compile(r"\n[ \t]*-[ \t]*([^\n]+)")
_MAX_FILES = 200
_MAX_DEPTH = 10
_MAX_BIB_FILES = 20
_MAX_BIB_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBibliography:
    text: str
    notes: tuple[str, ...] = ()


class _LatexJoiner:
    """Puts the files of a manuscript together, and keeps where each part came from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._length = 0
        self._pieces: list[str] = []
        self.segments: list[TextSegment] = []
        self.notes: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add_file(self, name: str, text: str, open_names: tuple[str, ...] = ()) -> None:
        self._count += 1
        bare = _COMMENT_PATTERN.sub(lambda found: " " * len(found[0]), text)
        done = 0
        for match in _INCLUDE_PATTERN.finditer(bare):
            included = self._load_included(match[1].strip(), (*open_names, name))
            if included is None:
                continue
            self._add_included_piece(name, text, done, match.start())
            self.add_file(included[0], included[1], (*open_names, name))
            done = match.end()
        self._add_included_piece(name, text, done, len(text))

    def _add_included_piece(self, name: str, text: str, start: int, end: int) -> None:
        if start == end:
            return
        self.segments.append(
            TextSegment(
                start=self._length,
                file=name,
                first_line=text.count("\n", 0, start) + 1,
                first_column=start - (text.rfind("\n", 0, start) + 1) + 1,
            )
        )
        self._pieces.append(text[start:end])
        self._length += end - start

    def _load_included(self, written: str, open_names: tuple[str, ...]) -> tuple[str, str] | None:
        name = written if PurePosixPath(written).suffix else f"{written}.tex"
        if len(open_names) > _MAX_DEPTH or self._count >= _MAX_FILES:
            self.notes.append(f"{name} was not read: too many files include one another.")
            return None
        if name in open_names:
            return None
        body = load_beside(self._folder, name, self.notes, max_bytes=MAX_DRAFT_CHARS * 4)
        if body is None:
            return None
        decoded = decode_draft_bytes(body)
        self.notes += [f"{name}: {note}" for note in decoded.notes]
        return name, decoded.text


def join_latex_files(path: Path, source: DraftSource) -> DraftSource:
    """The manuscript with its included files in their places; each keeps its own lines."""
    joiner = _LatexJoiner(path.parent)
    joiner.add_file(path.name, source.text)
    notes = (*source.notes, *dict.fromkeys(joiner.notes))
    files = {segment.file for segment in joiner.segments}
    if len(files) <= 1:
        return replace(source, notes=notes)
    return replace(source, text=joiner.text, segments=tuple(joiner.segments), notes=notes)


def load_named_bibliographies(path: Path, text: str, draft_format: str) -> NamedBibliography:
    """The bibliographies that a draft names, from its own folder; those that are missing are told."""
    names = list_bibliography_names(text, draft_format)
    notes: list[str] = []
    texts: list[str] = []
    for name in names[:_MAX_BIB_FILES]:
        body = load_beside(path.parent, name, notes, max_bytes=_MAX_BIB_BYTES)
        if body is not None:
            texts.append(decode_draft_bytes(body).text)
    compiled = path.with_suffix(".bbl")
    if draft_format == "latex" and not texts and compiled.is_file():
        body = load_beside(path.parent, compiled.name, notes, max_bytes=_MAX_BIB_BYTES)
        texts += [decode_draft_bytes(body).text] if body is not None else []
    return NamedBibliography(text="\n\n".join(texts), notes=tuple(notes))


def list_bibliography_names(text: str, draft_format: str) -> list[str]:
    if draft_format == "latex":
        return list(find_cited_keys(text).bib_files)
    matter = _FRONT_MATTER_PATTERN.match(text)
    line = _BIBLIOGRAPHY_LINE_PATTERN.search(matter[1]) if matter else None
    if line is None:
        return []
    value = line["value"].strip().strip("[]")
    written = [*value.split(","), *_ITEM_PATTERN.findall(line["items"])]
    return [name for part in written if (name := part.strip().strip("\"'"))]


def load_beside(folder: Path, name: str, notes: list[str], *, max_bytes: int) -> bytes | None:
    """A file inside the folder; None, with a note that names it, if it is elsewhere or not there."""
    try:
        base = folder.resolve()
        found = (base / name).resolve()
        if not found.is_relative_to(base):
            notes.append(f"{name} was refused: it is outside the folder of the draft.")
            return None
        if not found.is_file():
            notes.append(f"{name}, which the draft names, is not there.")
            return None
        if found.stat().st_size > max_bytes:
            notes.append(f"{name} was not read: it is larger than {max_bytes:,} bytes.")
            return None
        return found.read_bytes()
    except (OSError, ValueError) as error:
        shown = getattr(error, "strerror", None) or "its name cannot be used"
        notes.append(f"{name} was not read: {shown}.")
        return None


# Decodes the text of a draft without changing it, also where its parts have different encodings.


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedDraft:
    text: str
    notes: tuple[str, ...] = ()


def decode_draft_bytes(data: bytes) -> DecodedDraft:
    """The text with plain ends of lines; single lines in another encoding are decoded on their own.

    Raises InvalidInput for bytes that are no text.
    """
    # In UTF-16 only one of the two bytes of most characters can be taken for a control character.
    halves = [data[first:_LOOK_BYTES:2] for first in (0, 1)]
    shares = [len(_CONTROL_PATTERN.findall(half)) / max(1, len(half)) for half in halves]
    if not data.startswith(_WIDE_MARKS) and min(shares) > _MAX_CONTROL_SHARE:
        raise InvalidInput(
            "The file is not text but binary data. Give the draft as markdown, LaTeX, HTML, plain"
            " text, Word, OpenDocument or PDF."
        )
    try:
        return DecodedDraft(text=unify_line_ends(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        pass
    mixed = None if b"\0" in data else _decode_mixed_lines(data)
    if mixed is not None:
        return mixed
    decoded = decode_body(data)
    note = f"The text is not UTF-8; it was read as {decoded.charset}."
    return DecodedDraft(text=unify_line_ends(decoded.text.removeprefix("\ufeff")), notes=(note,))


def _decode_mixed_lines(data: bytes) -> DecodedDraft | None:
    """The text, if most of its lines are UTF-8; None if another encoding is more likely."""
    lines: list[str] = []
    odd: list[int] = []
    foreign = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        foreign += not line.isascii()
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            odd.append(number)
            lines.append(line.decode(_ODD_LINE_CHARSET, "replace"))
    if len(odd) > foreign * _MAX_ODD_SHARE:
        return None
    note = f"The text has mixed encodings: {len(odd)} of its lines, the first is line {odd[0]}, are not UTF-8 and were read as Windows-1252."
    return DecodedDraft(
        text=unify_line_ends("\n".join(lines).removeprefix("\ufeff")), notes=(note,)
    )


def unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


class DraftFileReader:
    """Reads drafts apart from the server's own process, so that a long one holds up nobody."""

    def __init__(self, settings: Settings, workers: TaskRunner) -> None:
        workers_settings = settings[WorkersSettings]
        self._settings = settings
        self._workers = workers
        self._limits = DocumentLimits(
            max_bytes=settings[ReadingSettings].max_document_bytes,
            timeout=workers_settings.document_timeout,
            memory=workers_settings.document_memory_mb * 2**20,
        )

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.settings, kit.workers)

    async def read_draft_file(self, path: Path, *, bibliography: str = "") -> Draft:
        """The draft in a file: markdown, text, HTML, LaTeX, Word, OpenDocument or PDF.

        Without `bibliography`, the .bib files that a LaTeX or markdown text names are read, from
        its own folder only. Raises InvalidInput, or the errors of the document readers, none of
        which names the file: the caller does.
        """
        body = await LocalFileReader(self._settings, self._workers).load_file(path)
        # Whether a file is no text, by its first bytes; which kind it is, the worker finds out.
        if body.data.startswith(_DOCUMENT_STARTS):
            return await self._read_document(body.data, path.name, bibliography)
        if len(body.data) > MAX_DRAFT_CHARS * _MAX_BYTES_PER_CHAR:
            raise InvalidInput(describe_long_draft(len(body.data)))
        source = await asyncio.to_thread(
            build_file_source, path, body.data, bibliography=bibliography
        )
        return await self.read_source(source)

    async def read_draft_text(
        self,
        text: str,
        *,
        format: str = "auto",  # noqa: A002 - the word callers know
        bibliography: str = "",
        name: str = "",
    ) -> Draft:
        """The draft in a text; raises InvalidInput as `read_draft_source` does."""
        return await self.read_source(
            DraftSource(
                text=unify_line_ends(text),
                format=format,
                bibliography=bibliography,
                name=name,
            )
        )

    async def read_source(self, source: DraftSource) -> Draft:
        if len(source.text) > MAX_DRAFT_CHARS:
            raise InvalidInput(describe_long_draft(len(source.text)))
        try:
            return await self._workers.run_task(
                _READ_SOURCE, limit_seconds=_READING_SECONDS, source=source
            )
        except TaskFailure as failure:
            raise InvalidInput(str(convert_task_failure(failure))) from None

    async def _read_document(self, data: bytes, name: str, bibliography: str) -> Draft:
        try:
            return await self._workers.run_task(
                _READ_DOCUMENT,
                limit_seconds=self._limits.timeout + _READING_SECONDS,
                body=data,
                name=name.encode("utf-8", "replace").decode(),
                limits=self._limits,
                bibliography=bibliography,
            )
        except TaskFailure as failure:
            raise convert_task_failure(failure) from None
        except UnreadableDocument as error:
            raise InvalidInput(error.message) from None


def build_file_source(path: Path, data: bytes, *, bibliography: str = "") -> DraftSource:
    """The text of a file with what it includes; reads files, so that it belongs into a thread."""
    decoded = decode_draft_bytes(data)
    chosen = detect_draft_format(decoded.text, path.name)
    source = DraftSource(text=decoded.text, format=chosen, name=path.name, notes=decoded.notes)
    if chosen == "latex":
        source = join_latex_files(path, source)
    if not bibliography and chosen in {"latex", "markdown"}:
        found = load_named_bibliographies(path, source.text, chosen)
        return replace(source, bibliography=found.text, notes=(*source.notes, *found.notes))
    return replace(source, bibliography=bibliography)
