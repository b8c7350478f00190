"""Parses bibliography documents in any supported format into references."""

from __future__ import annotations

import re

from citewell.errors import InvalidInput
from citewell.model.argument_types import BIBLIOGRAPHY_FORMATS
from citewell.model.reference import BibliographyDocument
from citewell.text.references.file_decoding import decode_bibliography

_BIBTEX_ENTRY_PATTERN = re.compile(
    r"^[ \t]{0,40}@[ \t]{0,4}[A-Za-z][\w-]{0,40}\s{0,5}[{(]", re.MULTILINE
)
_RIS_TYPE_PATTERN = re.compile(r"^[ \t]{0,8}TY[ \t]{0,3}[-–](?:[ \t]|$)", re.MULTILINE)
_RIS_TAGS_PATTERN = re.compile(r"^[A-Z][A-Z0-9]  ?- ", re.MULTILINE)
_JSON_OBJECT_PATTERN = re.compile(r"[\s,\[]{0,200}\{\s{0,200}\"")


def parse_bibliography(document: str | bytes, *, format: str = "auto") -> BibliographyDocument:  # noqa: A002 - the word callers know
    """Every reference in the document, in order, each with its line number.

    Damaged records are listed in `malformed`; those that could still be read are in `references`
    too. Raises InvalidInput for an unknown format.
    """
    text = decode_bibliography(document)
    chosen = detect_bibliography_format(text) if format == "auto" else format
    if chosen == "csl-json":
        from citewell.text.references import csl_references

        return csl_references.parse_csl_document(text)
    if chosen == "ris":
        from citewell.text.references import ris_references

        return ris_references.parse_ris_document(text)
    if chosen == "bibtex":
        from citewell.text.references import bibtex_references

        return bibtex_references.parse_bibtex_document(text)
    if chosen == "prose":
        from citewell.text.references import prose_references

        return prose_references.parse_prose_document(text)
    raise InvalidInput(
        f"Unknown format {format}; use one of {', '.join(('auto', *BIBLIOGRAPHY_FORMATS))}."
    )


def detect_bibliography_format(text: str) -> str:
    """Which of BIBLIOGRAPHY_FORMATS a document is in; "prose" if it has no sign of another."""
    if _JSON_OBJECT_PATTERN.match(text) or text.strip()[:2] in {"[]", "{}"}:
        return "csl-json"
    if _RIS_TYPE_PATTERN.search(text):
        return "ris"
    if _BIBTEX_ENTRY_PATTERN.search(text):
        return "bibtex"
    return "ris" if len(_RIS_TAGS_PATTERN.findall(text[:5000])) > 2 else "prose"
