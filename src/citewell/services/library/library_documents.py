"""Builds library documents from files and pages, with what is needed to detect changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from citewell.model.page import Page
from citewell.services.library import document_ids
from citewell.services.library.local_files import FileBody, FileText
from citewell.store.library.library_rows import DocumentCard, LibraryDocument
from citewell.text.dates.calendar_dates import parse_provider_date
from citewell.text.language.detection import detect_language
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web import addresses

_READER_VERSION = "2"  # raised when file reading improves, so that files are read again
_MAX_TITLE_CHARS = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDocument:
    """What is known of a document already in the library, to see whether it has changed."""

    file_stamp: str  # size and modification time of a file
    digest: str
    tags: frozenset[str]
    last_read: float  # when it was last read, in seconds since the epoch

    @classmethod
    def from_card(cls, card: DocumentCard) -> KnownDocument:
        extra = card.extra
        return cls(
            file_stamp=extra.get("stamp", ""),
            digest=extra.get("digest", ""),
            tags=frozenset(card.tags),
            last_read=float(extra.get("seen") or card.added),
        )


def build_file_stamp(size: int, modified: int) -> str:
    """A text that changes with the file; `modified` is in nanoseconds."""
    return f"{_READER_VERSION}:{size}:{modified}"


def is_same_reader(known: KnownDocument) -> bool:
    """Whether the file was read by the current version of the file reader."""
    return known.file_stamp.startswith(f"{_READER_VERSION}:")


def build_file_document(
    path: Path, body: FileBody, read: FileText, tags: Iterable[str]
) -> LibraryDocument:
    facts = {
        "path": str(path),
        "stamp": build_file_stamp(body.size, body.modified),
        "digest": body.digest,
        "author": read.author,
        "pages": read.pages,
        "date": read.published,
        "canonical": read.canonical,
    }
    card = DocumentCard(
        id=document_ids.build_file_id(path),
        title=_clean_document_title(read.title) or path.name,
        kind=read.kind,
        tags=normalize_tags(tags),
        language=read.language or detect_language(read.text),
        published=_parse_publication_time(read.published),
        extra=_drop_empty_facts(facts),
    )
    return LibraryDocument(card=card, text=read.text)


def build_page_document(page: Page, tags: Iterable[str], *, seen: float) -> LibraryDocument:
    """The document of a page; its id is built from the page's address."""
    facts = {
        "digest": hashlib.sha256(page.content.encode("utf-8", "surrogatepass")).hexdigest(),
        "seen": f"{seen:.0f}",
        "author": page.author,
        "publisher": page.site,
        "pages": page.page_count,
        "date": page.published,
    }
    card = DocumentCard(
        id=document_ids.build_address_id(page.url),
        title=_clean_document_title(page.title) or addresses.format_host_name(page.final_url),
        url=addresses.strip_tracking(page.final_url),
        site=addresses.format_host_name(page.final_url),
        kind=page.content_type,
        tags=normalize_tags(tags),
        language=page.language or detect_language(page.content),
        published=_parse_publication_time(page.published),
        extra=_drop_empty_facts(facts),
    )
    return LibraryDocument(card=card, text=page.content)


def normalize_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Distinct tags in lower case, sorted."""
    return tuple(sorted({one for tag in tags if (one := " ".join(tag.lower().split()))}))


def choose_citation_address(card: DocumentCard) -> str:
    """The address or, without one, the library id; never a path."""
    return card.url or card.id


def choose_opening_address(card: DocumentCard) -> str:
    """What a person opens: the page's address, the link that a saved page names, else the path."""
    return card.url or card.extra.get("canonical") or card.extra.get("path") or ""


def find_document_location(card: DocumentCard) -> str:
    """The path or address of a document; shown only to its owner, on the command line."""
    return card.extra.get("path") or card.url


def _clean_document_title(text: str) -> str:
    return clean_markup(text)[:_MAX_TITLE_CHARS]


def _drop_empty_facts(facts: dict[str, str | int | None]) -> dict[str, str]:
    return {name: str(value) for name, value in facts.items() if value}


def _parse_publication_time(stated: str | None) -> float | None:
    """Seconds since the epoch; a year or month alone means its first day."""
    text = (stated or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    found = parse_provider_date(padded, now=datetime.now(UTC)) if padded else None
    return found.timestamp() if found is not None else None
