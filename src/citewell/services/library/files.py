"""Reads a file of the user's own: documents in their fenced process, pages as pages of the web are."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.fetch.charset import decode
from citewell.fetch.documents.document import Limits, TookTooMuch, Unreadable, Unsupported
from citewell.fetch.documents.pool import Workers
from citewell.fetch.documents.read import read_document
from citewell.fetch.documents.sniff import sniff
from citewell.services.library.walk import why
from citewell.text.markup import visible

logger = logging.getLogger(__name__)

_LEAST = 200  # characters of main content; with less the whole page is taken
_HEADING = re.compile(r"^#{1,3}\s+(.+?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A file's bytes at one moment."""

    data: bytes
    size: int
    modified: int  # nanoseconds since the epoch
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What a file says; `text` is outside text: data, never instructions."""

    text: str
    kind: str
    title: str = ""
    author: str | None = None
    language: str | None = None
    published: str | None = None  # ISO 8601
    pages: int | None = None


class Files:
    """Reads at most `most` documents at a time, each in a process that it cannot leave."""

    def __init__(self, settings: Settings, *, most: int = 2) -> None:
        self._limits = Limits(
            max_bytes=settings.max_document_bytes,
            timeout=settings.document_timeout,
            memory=settings.document_memory_mb * 2**20,
        )
        self._most = most
        self._workers: Workers | None = None

    async def load(self, path: Path) -> Body:
        """The bytes; an error of the readers' when they cannot be had or are too many."""
        return await asyncio.to_thread(_load, path, self._limits.max_bytes)

    async def read(self, path: Path, body: Body) -> Text:
        """The text; raises what the readers of documents raise."""
        name = quote(path.name, safe="", errors="replace")  # never the whole path
        if sniff(body.data, url=name) == "html":
            return await asyncio.to_thread(_page, body.data)
        self._workers = self._workers or Workers(self._limits, most=self._most)
        found = await read_document(
            body.data, url=name, content_type="", limits=self._limits, workers=self._workers
        )
        text = visible(found.markdown).strip()
        return Text(
            text=text,
            kind=found.kind,
            title=found.title or _heading(text, found.kind),
            author=found.author,
            language=found.language,
            published=found.created,
            pages=found.page_count,
        )

    async def aclose(self) -> None:
        if self._workers is not None:
            await self._workers.close()


def reason(error: CitewellError) -> str:
    """One sentence without the file's name, which stands beside it."""
    said = (error.detail or error.message).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def expected(error: CitewellError) -> bool:
    """Whether a directory may well hold such files, pictures or empty ones, without any fault."""
    return isinstance(error, Unsupported) or error.detail == "empty"


def _load(path: Path, most: int) -> Body:
    try:
        # Without O_NONBLOCK, a pipe put in the file's place would be waited for without end.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            _check(found, most)
            data = file.read(most + 1)
    except OSError as error:
        raise Unreadable(why(error)) from None
    if len(data) > most:  # it grew, or its system tells no sizes
        raise _too_large(most)
    digest = hashlib.sha256(data).hexdigest()
    return Body(data=data, size=found.st_size, modified=found.st_mtime_ns, digest=digest)


def _check(found: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable("It is no regular file.")
    if found.st_size > most:
        raise _too_large(most)


def _too_large(most: int) -> TookTooMuch:
    return TookTooMuch(f"It is larger than {most} bytes (MAX_DOCUMENT_BYTES).")


def _page(data: bytes) -> Text:
    """One page that trips over a fault of ours must not end the whole run."""
    try:
        found = _extracted(decode(data).text)
    except Exception:
        logger.exception("the reader failed on a page of the library")
        raise Unreadable("The page could not be read: a fault in Citewell.") from None
    if not found.text:
        raise Unreadable("The page holds no text.")
    return found


def _extracted(html: str) -> Text:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.documents.markup import html_markdown
    from citewell.fetch.html.extract import extract_tree
    from citewell.fetch.html.limits import tame
    from citewell.fetch.metadata import describe

    tree = LexborHTMLParser(tame(html))
    about = describe(tree)
    markdown = extract_tree(tree).markdown
    if len(markdown) < _LEAST:
        markdown = html_markdown(html)
    return Text(
        text=visible(markdown).strip(),
        kind="html",
        title=about.title,
        author=about.author,
        language=about.language,
        published=about.published,
    )


def _heading(text: str, kind: str) -> str:
    """The first heading of a text, where a hash does begin one."""
    match = _HEADING.search(text[:20_000]) if kind in {"markdown", "text", "docx", "odt"} else None
    return match[1] if match else ""
