"""Reads the user's local files: documents in a sandboxed process, HTML like web pages."""

from __future__ import annotations

import asyncio
import glob
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, FailureReason
from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents import document_text
from citewell.reading.documents.document_reader import (
    DOCUMENT_ERRORS,
    check_document_size,
    convert_task_failure,
)
from citewell.reading.documents.readers_by_kind import read_document_body
from citewell.reading.page_charset import decode_body
from citewell.reading.settings import ReadingSettings
from citewell.text import addresses
from citewell.text.passages.markdown_blocks import find_first_heading
from citewell.text.safety.text_cleaning import extract_visible_text
from citewell.workers.settings import WorkersSettings
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_SPECIAL_FILE_REASONS = (
    (stat.S_ISSOCK, "It is a socket."),
    (stat.S_ISFIFO, "It is a pipe."),
    (stat.S_ISCHR, "It is a device."),
    (stat.S_ISBLK, "It is a device."),
)

_CANONICAL_ELEMENTS = (
    ('link[rel~="canonical" i]', "href"),
    ('meta[property="og:url" i]', "content"),
)
_MAX_LINK_CHARS = 2000
_MIN_MAIN_CONTENT_CHARS = 200  # with less main content the whole page is used


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBody:
    """A file's bytes and status when it was loaded."""

    data: bytes
    size: int
    modified: int  # nanoseconds since the epoch
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """The text and metadata of a file; the text is untrusted data, never instructions."""

    text: str
    kind: str
    title: str = ""
    author: str | None = None
    language: str | None = None
    published: str | None = None  # ISO 8601
    pages: int | None = None
    canonical: str = ""  # the web address that a saved page names as its own


_READ_FILE: WorkerTask[FileText] = WorkerTask(
    "citewell.library.local_files:extract_file_text", FileText, DOCUMENT_ERRORS
)


class LocalFileReader:
    """Loads files, and has them read in sandboxed processes."""

    def __init__(self, settings: Settings, workers: TaskRunner) -> None:
        workers_settings = settings[WorkersSettings]
        self._limits = document_text.DocumentLimits(
            max_bytes=settings[ReadingSettings].max_document_bytes,
            timeout=workers_settings.document_timeout,
            memory=workers_settings.document_memory_mb * 2**20,
        )
        self._workers = workers

    async def load_file(self, path: Path) -> FileBody:
        """The file's bytes; raises Unreadable, or TookTooMuch if the file is too large."""
        return await asyncio.to_thread(_load_file_body, path, self._limits.max_bytes)

    async def read_file_text(self, path: Path, body: FileBody) -> FileText:
        """The file's text; raises the errors of the document readers."""
        name = quote(path.name, safe="", errors="replace")  # never the path
        try:
            return await self._workers.run_task(
                _READ_FILE,
                limit_seconds=self._limits.timeout,
                body=body.data,
                name=name,
                limits=self._limits,
            )
        except TaskFailure as failure:
            raise convert_task_failure(failure) from None


def extract_file_text(body: bytes, name: str, limits: document_text.DocumentLimits) -> FileText:
    """The text of a file of any kind; a worker does this. Raises the errors of the document readers."""
    check_document_size(body, name, limits)
    if detect_document_kind(body, url=name) == "html":
        page = _extract_html_text(decode_body(body).text)
        if not page.text:
            raise document_text.UnreadableDocument("The page contains no text.")
        return page
    found = read_document_body(body, name, "", limits, None)
    text = extract_visible_text(found.markdown).strip()
    return FileText(
        text=text,
        kind=found.kind,
        title=found.title or _find_first_heading(text, found.kind),
        author=found.author,
        language=found.language,
        published=found.published,
        pages=found.page_count,
    )


def describe_import_error(error: CitewellError) -> str:
    """The error as one sentence, without the file name, which is shown beside it."""
    reason = (error.detail or error.message).rstrip(".")
    return f"{reason[:1].upper()}{reason[1:]}."


def is_expected_failure(error: CitewellError) -> bool:
    """Whether the file is of a kind normal in a directory but not readable, such as a picture."""
    return (
        isinstance(error, document_text.UnsupportedDocument)
        or error.reason is FailureReason.EMPTY_FILE
    )


def _load_file_body(path: Path, most: int) -> FileBody:
    try:
        # Without O_NONBLOCK, opening a pipe in the file's place would block forever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise document_text.UnreadableDocument("It is not a regular file.")
            if found.st_size > most:
                raise _build_too_large_error(most)
            data = file.read(most + 1)
    except OSError as error:
        raise document_text.UnreadableDocument(describe_os_error(error)) from None
    if len(data) > most:  # it grew, or its file system reports no sizes
        raise _build_too_large_error(most)
    digest = hashlib.sha256(data).hexdigest()
    return FileBody(data=data, size=found.st_size, modified=found.st_mtime_ns, digest=digest)


def _build_too_large_error(most: int) -> document_text.TookTooMuch:
    return document_text.TookTooMuch(f"It is larger than {most} bytes (MAX_DOCUMENT_BYTES).")


def _extract_html_text(html: str) -> FileText:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.documents.text_documents import convert_html_fragment
    from citewell.reading.html.main_content import extract_from_tree
    from citewell.reading.html.markup_limits import limit_markup
    from citewell.reading.metadata.page_metadata import read_page_metadata

    tree = LexborHTMLParser(limit_markup(html))
    canonical = _find_canonical_link(tree)
    about = read_page_metadata(tree)
    markdown = extract_from_tree(tree).markdown
    if len(markdown) < _MIN_MAIN_CONTENT_CHARS:
        markdown = convert_html_fragment(html)
    return FileText(
        text=extract_visible_text(markdown).strip(),
        kind="html",
        title=about.title,
        author=about.author,
        language=about.language,
        published=about.published,
        canonical=canonical,
    )


def _find_canonical_link(tree: LexborHTMLParser) -> str:
    """The web address that the page names as its own; empty if it names none."""
    for selector, attribute in _CANONICAL_ELEMENTS:
        for element in tree.css(selector):
            link = (element.attributes.get(attribute) or "").strip()
            if len(link) <= _MAX_LINK_CHARS and addresses.is_web_address(link):
                return addresses.strip_tracking(link)
    return ""


def _find_first_heading(text: str, kind: str) -> str:
    """The first heading, for kinds in which # marks one; otherwise empty."""
    if kind not in {"markdown", "text", "docx", "odt"}:
        return ""
    return find_first_heading(text[:20_000], max_level=3)


# Finds the files that a path, pattern or directory means, and reports what is not a file.


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProblem:
    """Something that was not imported, and why; not `failed` if it was to be expected."""

    source: str
    reason: str
    failed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFile:
    """A file by its real path, so that two links to it are one document."""

    path: Path
    named_by_user: bool = True  # not merely found in a directory


def find_local_files(
    source: str, *, recursive: bool = False
) -> Iterator[LocalFile | ImportProblem]:
    """The files of one argument in a stable order; errors are returned as problems."""
    path = Path(source).expanduser()
    walk = _DirectoryWalk(recursive=recursive)
    if os.path.lexists(path):
        yield from walk.list_path(path, named=True)
        return
    if not glob.has_magic(source):
        yield ImportProblem(source=source, reason="There is no such file or directory.")
        return
    found = sorted(glob.iglob(str(path), recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not found:
        yield ImportProblem(source=source, reason="No file matches this pattern.")
    for item in found:
        yield from walk.list_path(Path(item), named=False)


class _DirectoryWalk:
    def __init__(self, *, recursive: bool) -> None:
        self._recursive = recursive
        self._entered: set[tuple[int, int]] = set()  # so that a cycle of links ends
        self._taken: set[Path] = set()

    def list_path(self, path: Path, *, named: bool) -> Iterator[LocalFile | ImportProblem]:
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                if named or self._recursive:
                    yield from self._list_directory(path, found)
                return
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: a cycle, before 3.13
            yield ImportProblem(source=str(path), reason=describe_os_error(error))
            return
        if reason := next(
            (text for is_kind, text in _SPECIAL_FILE_REASONS if is_kind(found.st_mode)), None
        ):
            yield ImportProblem(source=str(path), reason=reason, failed=named)
        elif real not in self._taken:
            self._taken.add(real)
            yield LocalFile(path=real, named_by_user=named)

    def _list_directory(
        self, top: Path, found: os.stat_result
    ) -> Iterator[LocalFile | ImportProblem]:
        """Depth first without recursion, because directories may be nested deeper than the stack."""
        waiting = [(top, found)]
        while waiting:
            folder, its = waiting.pop()
            if (its.st_dev, its.st_ino) in self._entered:
                continue
            self._entered.add((its.st_dev, its.st_ino))
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                yield ImportProblem(source=str(folder), reason=describe_os_error(error))
                continue
            below: list[tuple[Path, os.stat_result]] = []
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if (inner := _find_directory_status(entry)) is None:
                    yield from self.list_path(Path(entry.path), named=False)
                elif self._recursive:
                    below.append((Path(entry.path), inner))
            waiting += reversed(below)


def _find_directory_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """The status of a directory or a link to one; None for anything else."""
    try:
        found = Path(entry.path).stat()
    except (OSError, RuntimeError):
        return None  # reading it as a file will report the error
    return found if stat.S_ISDIR(found.st_mode) else None


def describe_os_error(error: OSError | RuntimeError) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{reason or 'Its symbolic links form a cycle'}."
