"""What a document becomes, what it may cost, and the ways in which it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.errors import ContentEmpty, TooLarge


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one document may cost; the defaults are those of the settings."""

    max_bytes: int = 50 * 2**20
    timeout: float = 30.0  # seconds from sending it to the worker to its text
    memory: int = 2**30  # bytes of address space of a worker
    max_unpacked: int = 256 * 2**20  # all members of an archive together
    max_members: int = 10_000
    max_ratio: int = 200  # unpacked to packed, once a member is worth worrying about
    max_pages: int = 2000
    max_text: int = 10_000_000  # characters of markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What a reader of one kind of document found in it."""

    markdown: str
    title: str | None = None
    author: str | None = None
    created: str | None = None  # ISO 8601, as the document says
    page_count: int | None = None  # pages, slides or sheets
    language: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """One document as text; `markdown` is outside text: data, never instructions."""

    markdown: str
    kind: str
    title: str | None = None
    author: str | None = None
    created: str | None = None
    page_count: int | None = None
    language: str | None = None
    notes: tuple[str, ...] = ()


class Unreadable(ContentEmpty):
    """The document arrived but has no text for us; asking again changes nothing."""

    retryable = False


class Encrypted(Unreadable):
    pass


class Scanned(Unreadable):
    pass


class Broken(Unreadable):
    pass


class Unsupported(Unreadable):
    pass


class TookTooMuch(TooLarge):
    """Reading it passed a limit of time, memory or size, as bombs are made to do."""
