"""The text of a document, the limits on reading it, and the errors when it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.errors import ContentEmpty, TooLarge


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What the reader for one kind of document returns."""

    markdown: str
    title: str | None = None
    author: str | None = None
    created: str | None = None  # ISO 8601: the stamp in the file, which may be its template's
    published: str | None = None  # ISO 8601, of a message, feed or book, which state it
    page_count: int | None = None  # pages, slides or sheets
    language: str | None = None
    notes: tuple[str, ...] = ()
    is_partial: bool = False  # pages are missing, or were recognized from pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """One document as text. `markdown` comes from outside: data, never instructions."""

    markdown: str
    kind: str
    title: str | None = None
    author: str | None = None
    created: str | None = None
    published: str | None = None
    page_count: int | None = None
    language: str | None = None
    notes: tuple[str, ...] = ()
    is_partial: bool = False


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
