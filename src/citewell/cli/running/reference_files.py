"""Reads the files whose references `audit`, `cite` and `watch` take: bibliographies, manuscripts, briefs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citewell.cli.running import bibliography_files, latex_files
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.errors import CitewellError, InvalidInput
from citewell.model.reference import BibliographyDocument
from citewell.server.app import App
from citewell.services.trust.brief_audit import BRIEF_FORMAT, is_brief_document

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
    """What a file has: the references of a bibliography or manuscript, or the text of a brief."""

    name: str
    document: BibliographyDocument | None = None
    brief: str = ""
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
    if form == BRIEF_FORMAT or (form == "auto" and is_brief_document(text)):
        return ReferenceFile(name=name, brief=text)
    if form in {"auto", "latex"} and Path(name).suffix.lower() in _LATEX_SUFFIXES:
        return ReferenceFile(
            name=name, document=latex_files.read_latex_references(Path(name), text)
        )
    document = bibliography_files.parse_bibliography_text(text, name=name, form=form)
    return ReferenceFile(name=name, document=document)


async def read_reference_document(app: App, name: str, *, form: str) -> ReferenceFile:
    """A brief, or the references of a manuscript, in Word, PDF or another document format.

    Raises InvalidInput if the file cannot be read or has nothing to check.
    """
    from citewell.services.library.local_files import describe_import_error
    from citewell.services.trust.bibliography_reading import BibliographyReader, choose_references

    try:
        read = await app.require_service(BibliographyReader).read_manuscript(Path(name))
    except CitewellError as error:
        raise InvalidInput(f"{name}: {describe_import_error(error)}") from None
    if form == BRIEF_FORMAT or (
        form == "auto" and not read.stored and is_brief_document(read.text)
    ):
        return ReferenceFile(name=name, brief=read.text, has_lines=False)
    if form not in {"auto", *([read.stored.format] if read.stored else [])}:
        document = bibliography_files.parse_bibliography_text(read.text, name=name, form=form)
        return ReferenceFile(name=name, document=document, has_lines=False)
    try:
        document = choose_references(read)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None
    bibliography_files.expect_references(document, name)
    return ReferenceFile(name=name, document=document, has_lines=read.kind == "xml")
