"""Parses bibliography documents in any supported format into references."""

from __future__ import annotations

from citewell.citations.references.format_detection import (
    decode_bibliography,
    detect_bibliography_format,
)
from citewell.citations.references.reference_fields import BibliographyDocument
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import BIBLIOGRAPHY_FORMATS


def parse_bibliography(document: str | bytes, *, format: str = "auto") -> BibliographyDocument:  # noqa: A002 - the word callers know
    """Every reference in the document, in order, each with its line number.

    Damaged records are listed in `malformed`; those that could still be read are in `references`
    too. Raises InvalidInput for an unknown format.
    """
    text = decode_bibliography(document)
    chosen = detect_bibliography_format(text) if format == "auto" else format
    if chosen not in BIBLIOGRAPHY_FORMATS:
        raise InvalidInput(
            f"Unknown format {format}; use one of {', '.join(('auto', *BIBLIOGRAPHY_FORMATS))}."
        )
    from citewell.citations.references.formats.format_readers import FORMAT_READERS

    return FORMAT_READERS[chosen](text)


__all__ = ["detect_bibliography_format", "parse_bibliography"]
