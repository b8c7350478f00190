"""Exports the library as JSON lines or as a directory of markdown files."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from citewell.errors import Misconfigured
from citewell.services.library import library_documents
from citewell.services.library.file_discovery import describe_os_error
from citewell.store.library.library_rows import DocumentCard, LibraryDocument

_UNSAFE_NAME_PATTERN = re.compile(r"[^\w.-]+|_+")
_MAX_FILE_NAME_CHARS = 80  # characters of a file's name
_INTERNAL_FACTS = {"stamp", "digest", "seen"}  # used only by the library itself


def build_document_record(document: LibraryDocument) -> dict[str, Any]:
    """All facts about a document, its text last."""
    return {**build_card_facts(document.card), "text": document.text}


def build_card_facts(card: DocumentCard) -> dict[str, Any]:
    """The card as JSON fields; unknown values are left out."""
    known = {
        "id": card.id,
        "title": card.title,
        "url": library_documents.choose_citation_address(card),
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
        out.write(json.dumps(build_document_record(document), ensure_ascii=False) + "\n")
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
