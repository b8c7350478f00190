"""Bibliography documents taken apart into references, whatever they are written in."""

from __future__ import annotations

import re

from citewell.errors import InvalidInput
from citewell.model.reference import Document
from citewell.text.references.decoding import text_of

FORMATS = ("csl-json", "ris", "bibtex", "prose")
_ENTRY = re.compile(r"^[ \t]{0,40}@[ \t]{0,4}[A-Za-z][\w-]{0,40}\s{0,5}[{(]", re.MULTILINE)
_TYPE = re.compile(r"^[ \t]{0,8}TY[ \t]{0,3}[-–](?:[ \t]|$)", re.MULTILINE)
_TAGS = re.compile(r"^[A-Z][A-Z0-9]  ?- ", re.MULTILINE)
_OBJECT = re.compile(r"[\s,\[]{0,200}\{\s{0,200}\"")


def read(document: str | bytes, *, format: str = "auto") -> Document:  # noqa: A002 - the word callers know
    """Every reference in the document, in its order, each with its line.

    What is damaged is listed in `malformed`; a record that could be read in spite of its damage is
    among the references too. Raises InvalidInput for a format that nobody here reads.
    """
    text = text_of(document)
    chosen = detected(text) if format == "auto" else format
    if chosen == "csl-json":
        from citewell.text.references import csl

        return csl.read(text)
    if chosen == "ris":
        from citewell.text.references import ris

        return ris.read(text)
    if chosen == "bibtex":
        from citewell.text.references import bibtex

        return bibtex.read(text)
    if chosen == "prose":
        from citewell.text.references import prose

        return prose.read(text)
    raise InvalidInput(f"Unknown format {format}; one of {', '.join(('auto', *FORMATS))}.")


def detected(text: str) -> str:
    """Which of FORMATS a document is in; what has no marks of any is prose."""
    if _OBJECT.match(text) or text.strip()[:2] in {"[]", "{}"}:
        return "csl-json"
    if _TYPE.search(text):
        return "ris"
    if _ENTRY.search(text):
        return "bibtex"
    return "ris" if len(_TAGS.findall(text[:5000])) > 2 else "prose"
