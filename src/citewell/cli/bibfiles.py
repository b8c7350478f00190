"""Bibliography files and what is piped in, as documents to be checked."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from citewell.errors import InvalidInput
from citewell.model.reference import Document, Reference
from citewell.text import identifiers, references

LARGEST = 50_000_000  # bytes
_BY_SUFFIX = {".bib": "bibtex", ".bibtex": "bibtex", ".ris": "ris", ".json": "csl-json"}
PIPE = "-"


def read(name: str, *, form: str = "auto") -> Document:
    """One file, or standard input for a hyphen; the suffix tells the format, else the content does.

    Raises InvalidInput for a file that cannot be read and for one with nothing in it to check.
    """
    chosen = form if form != "auto" else _BY_SUFFIX.get(Path(name).suffix.lower(), "auto")
    found = references.read(_bytes(name), format=chosen)
    if not found.references:
        told = f": {found.malformed[0].reason}" if found.malformed else "."
        raise InvalidInput(f"{_shown(name)} holds no reference{told}")
    return found


def unlinked(reference: Reference) -> Reference:
    """Without its address, but for the identifiers that the address carries."""
    known = reference.ids or (identifiers.ids(reference.url) if reference.url else ())
    return replace(reference, ids=known, url="")


def _bytes(name: str) -> bytes:
    try:
        if name == PIPE:
            content = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidInput(f"{name}: {error.strerror or 'it cannot be read'}.") from None
    if len(content) > LARGEST:
        raise InvalidInput(f"{_shown(name)} is larger than {LARGEST // 1_000_000} MB.")
    return content


def _shown(name: str) -> str:
    return "Standard input" if name == PIPE else name
