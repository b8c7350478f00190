"""The text of a document, the limits on reading it, which pages are wanted, and the errors when it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from citewell.core import errors
from citewell.core.errors import ContentEmpty, TooLarge
from citewell.core.values.counted_words import pluralize

OFFICE_IS_ENCRYPTED = "The Office document is encrypted and opens only with a password."
_PAGE_RANGE_PATTERN = re.compile(r"(\d{1,6})?\s*+(-)?\s*+(\d{1,6})?")


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """What text recognition (OCR) found on one scanned page."""

    number: int  # from 0
    words: str  # tesseract's table of words with their places, as tab-separated values


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognizedText:
    """The scanned pages of one document that were recognized, and why others were not."""

    pages: tuple[RecognizedPage, ...] = ()
    left_out: str = ""  # a sentence for the reader; "" if no page was left out


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLimits:
    """Limits on reading one document; the defaults equal those in Settings."""

    max_bytes: int = 50 * 2**20
    timeout: float = 30.0  # seconds from sending the document to a worker until its text is back
    memory: int = 2**30  # bytes of address space of a worker
    max_unpacked: int = 256 * 2**20  # bytes of all members of an archive together
    max_members: int = 10_000
    max_ratio: int = 200  # unpacked to packed size, for members over 1 MiB
    max_pages: int = 2000
    max_text: int = 10_000_000  # characters of markdown
    can_recognize: bool = False  # ask for text recognition by RecognitionNeeded
    recognized: RecognizedText | None = None  # what came of it, when the document is read again


class DocumentRequest(NamedTuple):
    """A document and how to read it."""

    body: bytes
    url: str
    content_type: str
    limits: DocumentLimits
    pages: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """One document as text. `markdown` comes from outside: data, never instructions."""

    markdown: str
    kind: str = ""  # set once a reader has returned
    title: str | None = None
    author: str | None = None
    created: str | None = None  # ISO 8601: the stamp in the file, which may be its template's
    published: str | None = None  # ISO 8601, of a message, feed or book, which state it
    page_count: int | None = None  # pages, slides or sheets
    language: str | None = None
    notes: tuple[str, ...] = ()
    is_partial: bool = False  # pages are missing, or were recognized from pictures


def describe_omissions(count: int, singular: str, plural: str) -> tuple[str, ...]:
    """The note that `count` hidden things were left out; none if there were none."""
    found = f"{count} {pluralize(count, f'{singular} was', f'{plural} were')} left out."
    return (found,) if count else ()


def describe_hidden_slides(count: int) -> tuple[str, ...]:
    return describe_omissions(count, "hidden slide", "hidden slides")


def describe_hidden_text(count: int) -> tuple[str, ...]:
    return describe_omissions(count, "piece of hidden text", "pieces of hidden text")


class RecognitionNeeded(ContentEmpty):
    """Pages are pictures without text; `detail` lists their numbers, from 0. Never seen by a caller."""

    retryable = False


class UnreadableDocument(ContentEmpty):
    """The document arrived, but no text can be read from it; a retry would not help."""

    retryable = False


class EncryptedDocument(UnreadableDocument):
    pass


class ScannedDocument(UnreadableDocument):
    pass


class Broken(UnreadableDocument):
    pass


class UnsupportedDocument(UnreadableDocument):
    pass


class TookTooMuch(TooLarge):
    """Reading the document exceeded a limit on time, memory or size; it may be a bomb."""


def choose_pages(wanted: str | None, total: int) -> Sequence[int]:
    """Zero-based page numbers in document order; all if `wanted` is empty. Raises InvalidInput.

    A document without pages, such as a workbook whose sheets are all hidden, has none to choose.
    """
    if not total or wanted is None or not wanted.strip():
        return range(total)
    chosen: set[int] = set()
    for part in wanted.replace("–", "-").split(","):
        chosen |= _parse_page_range(part.strip(), wanted, total)
    if not chosen:
        raise errors.InvalidInput(
            f'The document has {total} {pluralize(total, "page")}; none of them is in "{wanted[:40]}".'
        )
    return sorted(chosen)


def _parse_page_range(part: str, wanted: str, total: int) -> set[int]:
    match = _PAGE_RANGE_PATTERN.fullmatch(part)
    first, dash, last = match.groups() if match else (None, None, None)
    if match is None or not (first or last) or (last and not dash):
        raise errors.InvalidInput(f'Write pages such as "1-3,7", not "{wanted[:40]}".')
    start = int(first) if first else 1
    end = int(last) if last else (total if dash else start)
    if start < 1 or end < start:
        raise errors.InvalidInput(
            f'Page numbers start at 1 and ranges ascend, unlike in "{wanted[:40]}".'
        )
    return set(range(start - 1, min(end, total)))
