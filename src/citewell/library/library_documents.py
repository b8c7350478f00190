"""Library documents: built from files and pages, with what detects changes, and exported as JSON lines or markdown."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import AsyncIterable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from citewell.core.errors import Misconfigured
from citewell.core.values.page import Page
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.library.local_files import FileBody, FileText, describe_os_error
from citewell.text import addresses
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.language.detection import detect_language
from citewell.text.safety.text_cleaning import clean_markup

_UNSAFE_NAME_PATTERN = re.compile(r"[^\w.-]+|_+")
_MAX_FILE_NAME_CHARS = 80  # characters of a file's name
_INTERNAL_FACTS = {"stamp", "digest", "seen"}  # used only by the library itself

_DOCUMENT_ID_PATTERN = re.compile(LIBRARY_ID_PREFIX + r"[0-9a-f]{32}")

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
        id=build_file_id(path),
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
        id=build_address_id(page.url),
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
    return tuple(sorted({plain for tag in tags if (plain := " ".join(tag.lower().split()))}))


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


# Ids of library documents: always the same for the same file or address.


def build_file_id(path: Path) -> str:
    """An id from the file's path, which cannot be read back from it."""
    return _hash_document_id(b"file\0" + os.fsencode(path))


def build_address_id(url: str) -> str:
    """One id per page, the same for http and https, and with or without tracking parameters."""
    return _hash_document_id(
        b"web\0" + addresses.build_page_key(url).encode("utf-8", "surrogatepass")
    )


def is_document_id(text: str) -> bool:
    return _DOCUMENT_ID_PATTERN.fullmatch(text) is not None


def _hash_document_id(source: bytes) -> str:
    return LIBRARY_ID_PREFIX + hashlib.sha256(source).hexdigest()[:32]


# Exports the library as JSON lines or as a directory of markdown files.


def build_card_facts(card: DocumentCard) -> dict[str, Any]:
    """The card as JSON fields; unknown values are left out."""
    known = {
        "id": card.id,
        "title": card.title,
        "url": choose_citation_address(card),
        "site": card.site,
        "type": card.kind,
        "tags": list(card.tags),
        "language": card.language,
        "published": _format_epoch_time(card.published),
        "added": _format_epoch_time(card.added),
        "characters": card.characters,
        **{name: value for name, value in card.extra.items() if name not in _INTERNAL_FACTS},
    }
    return {name: value for name, value in known.items() if value not in (None, "", [])}


async def export_json_lines(found: AsyncIterable[LibraryDocument], out: IO[str]) -> int:
    count = 0
    async for document in found:
        facts = {**build_card_facts(document.card), "text": document.text}
        out.write(json.dumps(facts, ensure_ascii=False) + "\n")
        count += 1
    return count


async def export_to_file(found: AsyncIterable[LibraryDocument], path: Path) -> int:
    """Write JSON lines; an existing file is replaced only when the new one is complete."""
    try:
        with _open_atomic_file(path) as out:
            return await export_json_lines(found, out)
    except OSError as error:
        raise _build_unwritable_error(path, error) from None


async def export_to_directory(found: AsyncIterable[LibraryDocument], folder: Path) -> int:
    """Write one markdown file per document; a document always gets the same file name."""
    count = 0
    try:
        async for document in found:
            _write_text_file(
                folder / build_export_name(document.card), render_library_document(document)
            )
            count += 1
    except OSError as error:
        raise _build_unwritable_error(folder, error) from None
    return count


def render_library_document(document: LibraryDocument) -> str:
    """The text after YAML front matter, whose values are written as JSON, which is valid YAML."""
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in build_card_facts(document.card).items()
    ]
    return "\n".join(["---", *lines, "---", "", document.text.rstrip(), ""])


def build_export_name(card: DocumentCard) -> str:
    title = (
        _UNSAFE_NAME_PATTERN.sub("-", card.title).strip("-.")[:_MAX_FILE_NAME_CHARS].rstrip("-.")
    )
    mark = card.id.rpartition(":")[2][:8]
    return f"{title or 'document'}-{mark}.md"


@contextmanager
def _open_atomic_file(path: Path) -> Iterator[IO[str]]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as out:
            yield out
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _write_text_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")


def _format_epoch_time(moment: float | None) -> str | None:
    if moment is None:
        return None
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _build_unwritable_error(path: Path, error: OSError) -> Misconfigured:
    return Misconfigured(
        f"{path} cannot be written: {describe_os_error(error)}", action="inform_user"
    )
