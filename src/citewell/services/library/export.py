"""The library out again, as lines of JSON or as a directory of markdown files."""

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
from citewell.services.library import documents
from citewell.services.library.walk import why
from citewell.store.library_rows import Card, Document

_UNFIT = re.compile(r"[^\w.-]+|_+")
_LONGEST = 80  # characters of a file's name
_PRIVATE = {"stamp", "digest", "seen"}  # of use to the library only


def record(document: Document) -> dict[str, Any]:
    """Everything known of a document, its text last."""
    return {**facts(document.card), "text": document.text}


def facts(card: Card) -> dict[str, Any]:
    """A card as JSON shows it; what is unknown is left out."""
    known = {
        "id": card.id,
        "title": card.title,
        "url": documents.citation(card),
        "site": card.site,
        "type": card.kind,
        "tags": list(card.tags),
        "language": card.language,
        "published": _iso(card.published),
        "added": _iso(card.added),
        "characters": card.characters,
        **{name: value for name, value in card.extra.items() if name not in _PRIVATE},
    }
    return {name: value for name, value in known.items() if value not in (None, "", [])}


async def to_lines(found: AsyncIterable[Document], out: IO[str]) -> int:
    count = 0
    async for document in found:
        out.write(json.dumps(record(document), ensure_ascii=False) + "\n")
        count += 1
    return count


async def to_file(found: AsyncIterable[Document], path: Path) -> int:
    """All of it or nothing: what stood there before stays until the new file is whole."""
    try:
        with _replacing(path) as out:
            return await to_lines(found, out)
    except OSError as error:
        raise _unwritable(path, error) from None


async def to_directory(found: AsyncIterable[Document], folder: Path) -> int:
    """One markdown file a document, the same name for the same document each time."""
    count = 0
    try:
        async for document in found:
            _write(folder / file_name(document.card), markdown(document))
            count += 1
    except OSError as error:
        raise _unwritable(folder, error) from None
    return count


def markdown(document: Document) -> str:
    """The text under front matter; a JSON string is YAML's own."""
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in facts(document.card).items()
    ]
    return "\n".join(["---", *lines, "---", "", document.text.rstrip(), ""])


def file_name(card: Card) -> str:
    title = _UNFIT.sub("-", card.title).strip("-.")[:_LONGEST].rstrip("-.")
    mark = card.id.rpartition(":")[2][:8]
    return f"{title or 'document'}-{mark}.md"


@contextmanager
def _replacing(path: Path) -> Iterator[IO[str]]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as out:
            yield out
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")


def _iso(moment: float | None) -> str | None:
    if moment is None:
        return None
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _unwritable(path: Path, error: OSError) -> Misconfigured:
    return Misconfigured(f"{path} cannot be written: {why(error)}", action="inform_user")
