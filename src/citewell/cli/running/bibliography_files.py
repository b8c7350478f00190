"""Reads bibliographies from files or standard input."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from citewell.cli.running.shared_options import STDIN_NAME
from citewell.errors import InvalidInput
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text import references
from citewell.text.citations import identifiers
from citewell.text.references.file_decoding import decode_bibliography

MAX_FILE_BYTES = 50_000_000  # bytes
_FORMATS_BY_SUFFIX = {
    ".bib": "bibtex", ".bibtex": "bibtex", ".json": "csl-json", ".enw": "enw", ".nbib": "nbib",
    ".bbl": "latex", ".csv": "csv", ".tsv": "csv", ".ciw": "wos", ".isi": "wos",
}  # fmt: skip


def parse_bibliography_text(text: str | bytes, *, name: str, form: str) -> BibliographyDocument:
    """The references of a document; raises InvalidInput if there are none."""
    chosen = form if form != "auto" else _FORMATS_BY_SUFFIX.get(Path(name).suffix.lower(), "auto")
    found = references.parse_bibliography(text, format=chosen)
    if form == "auto" and chosen != "auto" and not found.references:
        # The name of the file may be wrong: RIS is often called .txt, and MEDLINE .ris.
        other = references.parse_bibliography(text)
        found = other if other.references and other.format != "prose" else found
    expect_references(found, name)
    return found


def expect_references(found: BibliographyDocument, name: str) -> None:
    """Raises InvalidInput, with the first damage, if the document has no references."""
    if not found.references:
        told = f": {found.malformed[0].reason}" if found.malformed else "."
        raise InvalidInput(f"{_describe_input_name(name)} contains no references{told}")


def read_text_file(name: str) -> str:
    """The text of a file, or of standard input for "-", decoded as bibliographies are."""
    return decode_bibliography(_read_input_bytes(name))


def strip_reference_url(reference: Reference) -> Reference:
    """The reference without its URL; identifiers in the URL are kept."""
    known = reference.ids or (identifiers.find_identifiers(reference.url) if reference.url else ())
    return replace(reference, ids=known, url="")


def _read_input_bytes(name: str) -> bytes:
    try:
        if name == STDIN_NAME:
            content = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{name}: {error.strerror or 'the file cannot be read'}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise InvalidInput(
            f"{_describe_input_name(name)} is larger than {MAX_FILE_BYTES // 1_000_000} MB."
        )
    return content


def _describe_input_name(name: str) -> str:
    return "Standard input" if name == STDIN_NAME else name
