"""Reads the files whose references `audit`, `cite` and `watch` take: bibliographies, manuscripts, briefs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.cli.running import bibliography_files, latex_files
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.errors import CitewellError, InvalidInput
from citewell.model.reference import BibliographyDocument
from citewell.server.app import App
from citewell.services.trust.brief_audit import BRIEF_FORMAT, is_brief_document
from citewell.text import references
from citewell.text.law.brief_detection import cites_cases
from citewell.text.references.format_detection import extract_manuscript_text, strip_text_commands
from citewell.text.references.reference_splitting import has_reference_heading

if TYPE_CHECKING:
    from citewell.services.trust.bibliography_reading import ManuscriptText

# Read as text here; files of any other kind go through the document reader.
_TEXT_SUFFIXES = frozenset(
    [
        ".bib",
        ".bibtex",
        ".ris",
        ".json",
        ".txt",
        ".text",
        ".md",
        ".markdown",
        ".tex",
        ".ltx",
        ".bbl",
        ".enw",
        ".nbib",
        ".ciw",
        ".isi",
        ".csv",
        ".tsv",
        ".tab",
    ]
)
_LATEX_SUFFIXES = frozenset({".tex", ".ltx"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFile:
    """What a file has: references, a text that cites cases, or both."""

    name: str
    document: BibliographyDocument | None = None
    brief: str = ""  # the text that cites cases
    complaint: str = ""  # why no references were found in a file that is not a brief
    has_lines: bool = True  # False if line numbers mean nothing to the reader of the file


def is_document_file(name: str) -> bool:
    """Whether the file has to go through the document reader."""
    suffix = Path(name).suffix.lower()
    return name != STDIN_NAME and bool(suffix) and suffix not in _TEXT_SUFFIXES


async def read_reference_file(app: App, name: str, *, form: str = "auto") -> ReferenceFile:
    """A file of any kind; raises InvalidInput if it cannot be read or has no references."""
    if is_document_file(name):
        return await read_reference_document(app, name, form=form)
    return read_reference_text(name, form=form)


def read_reference_text(name: str, *, form: str) -> ReferenceFile:
    """A bibliography or a brief in plain text; raises InvalidInput if it has nothing to check."""
    text = bibliography_files.read_text_file(name)
    if form == BRIEF_FORMAT:
        return ReferenceFile(name=name, brief=text)
    if form in {"auto", "latex"} and Path(name).suffix.lower() in _LATEX_SUFFIXES:
        parts = latex_files.read_latex_parts(Path(name), text)
        return _combine_parts(
            name,
            "\n".join(map(strip_text_commands, parts)),
            lambda: latex_files.read_latex_references(Path(name), parts),
            form=form,
            has_lines=len(parts) == 1,
        )
    shape = references.detect_bibliography_format(text) if form == "auto" else form
    return _combine_parts(
        name,
        extract_manuscript_text(text, shape),
        lambda: bibliography_files.parse_bibliography_text(text, name=name, form=form),
        form=form,
        has_lines=True,
    )


async def read_reference_document(app: App, name: str, *, form: str) -> ReferenceFile:
    """A brief, or the references of a manuscript, in Word, PDF or another document format.

    Raises InvalidInput if the file cannot be read or has nothing to check.
    """
    from citewell.services.library.local_files import describe_import_error
    from citewell.services.trust.bibliography_reading import BibliographyReader

    try:
        read = await app.require_service(BibliographyReader).read_manuscript(Path(name))
    except CitewellError as error:
        raise InvalidInput(f"{name}: {describe_import_error(error)}") from None
    if form == BRIEF_FORMAT:
        return ReferenceFile(name=name, brief=read.text, has_lines=False)
    is_chosen = form in {"auto", *([read.stored.format] if read.stored else [])}
    return _combine_parts(
        name,
        read.text,
        lambda: (
            _choose_listed_references(read, name)
            if is_chosen
            else bibliography_files.parse_bibliography_text(read.text, name=name, form=form)
        ),
        form="" if read.stored else form,
        has_lines=is_chosen and read.kind == "xml",
    )


def _choose_listed_references(read: ManuscriptText, name: str) -> BibliographyDocument:
    from citewell.services.trust.bibliography_reading import choose_references

    try:
        document = choose_references(read)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None
    bibliography_files.expect_references(document, name)
    return document


def _combine_parts(
    name: str,
    prose: str,
    read_references: Callable[[], BibliographyDocument],
    *,
    form: str,
    has_lines: bool,
) -> ReferenceFile:
    """The references of a file and the text in which it cites cases, whichever of them it has.

    A brief without a list has no references. Raises InvalidInput if a file has neither.
    """
    brief = prose if cites_cases(prose) else ""
    is_brief = form == "auto" and is_brief_document(prose)
    if is_brief and not has_reference_heading(prose):
        return ReferenceFile(name=name, brief=brief, has_lines=has_lines)
    try:
        document = read_references()
    except InvalidInput as error:
        if not brief:
            raise
        complaint = "" if is_brief else error.message
        return ReferenceFile(name=name, brief=brief, complaint=complaint, has_lines=has_lines)
    return ReferenceFile(name=name, document=document, brief=brief, has_lines=has_lines)
