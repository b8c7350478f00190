"""Reads the files that `audit`, `cite` and `watch` take: bibliographies, manuscripts, LaTeX, briefs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.citations import identifiers, references
from citewell.citations.references.format_detection import (
    decode_bibliography,
    extract_manuscript_text,
    strip_text_commands,
)
from citewell.citations.references.formats import latex_documents
from citewell.citations.references.reference_fields import (
    BibliographyDocument,
    MalformedEntry,
    Reference,
)
from citewell.citations.references.reference_splitting import has_reference_heading
from citewell.cli.command_app import STDIN_NAME
from citewell.core.errors import CitewellError, InvalidInput
from citewell.domains.law.citation_forms import cites_cases
from citewell.text.data_tables import load_words
from citewell.trust.brief_audit import BRIEF_FORMAT, is_brief_document

if TYPE_CHECKING:
    from citewell.server.app import App
    from citewell.trust.bibliography_reading import ManuscriptText

_MAX_INPUT_FILES = 100
_MAX_BIB_FILES = 20

MAX_FILE_BYTES = 50_000_000  # bytes
_FORMATS_BY_SUFFIX = {
    ".bib": "bibtex", ".bibtex": "bibtex", ".json": "csl-json", ".enw": "enw", ".nbib": "nbib",
    ".bbl": "latex", ".csv": "csv", ".tsv": "csv", ".ciw": "wos", ".isi": "wos",
}  # fmt: skip

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
    as_text = load_words(__package__, "command_words", "text_suffixes")
    return name != STDIN_NAME and bool(suffix) and suffix not in as_text


async def read_reference_file(app: App, name: str, *, form: str = "auto") -> ReferenceFile:
    """A file of any kind; raises InvalidInput if it cannot be read or has no references."""
    if is_document_file(name):
        return await read_reference_document(app, name, form=form)
    return read_reference_text(name, form=form)


def read_reference_text(name: str, *, form: str) -> ReferenceFile:
    """A bibliography or a brief in plain text; raises InvalidInput if it has nothing to check."""
    text = read_text_file(name)
    if form == BRIEF_FORMAT:
        return ReferenceFile(name=name, brief=text)
    if form in {"auto", "latex"} and Path(name).suffix.lower() in _LATEX_SUFFIXES:
        parts = [text, *_read_input_files(Path(name).parent, text)]
        return _combine_parts(
            name,
            "\n".join(map(strip_text_commands, parts)),
            lambda: read_latex_references(Path(name), parts),
            form=form,
            has_lines=len(parts) == 1,
        )
    shape = references.detect_bibliography_format(text) if form == "auto" else form
    return _combine_parts(
        name,
        extract_manuscript_text(text, shape),
        lambda: parse_bibliography_text(text, name=name, form=form),
        form=form,
        has_lines=True,
    )


async def read_reference_document(app: App, name: str, *, form: str) -> ReferenceFile:
    """A brief, or the references of a manuscript, in Word, PDF or another document format.

    Raises InvalidInput if the file cannot be read or has nothing to check.
    """
    from citewell.library.local_files import describe_import_error
    from citewell.trust.bibliography_reading import BibliographyReader

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
            else parse_bibliography_text(read.text, name=name, form=form)
        ),
        form="" if read.stored else form,
        has_lines=is_chosen and read.kind == "xml",
    )


def _choose_listed_references(read: ManuscriptText, name: str) -> BibliographyDocument:
    from citewell.trust.bibliography_reading import choose_references

    try:
        document = choose_references(read)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None
    expect_references(document, name)
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


# Reads bibliographies from files or standard input.


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
        reason = f": {found.malformed[0].reason}" if found.malformed else "."
        raise InvalidInput(f"{_describe_input_name(name)} contains no references{reason}")


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


# Reads the references of a LaTeX manuscript from the files beside it that it names.


def read_latex_references(path: Path, texts: Sequence[str]) -> BibliographyDocument:
    r"""The cited entries of its .bib files, its own \bibitem list, or the .bbl file beside it.

    Raises InvalidInput if there is none of them.
    """
    own = latex_documents.parse_latex_document(texts[0])
    if own.references:
        return own
    files = dict.fromkeys(
        name for text in texts for name in latex_documents.find_cited_keys(text).bib_files
    )
    found, missing = _read_bib_files(path.parent, list(files)[:_MAX_BIB_FILES])
    if found is not None:
        chosen = latex_documents.select_cited_entries(found, texts)
        chosen = replace(chosen, malformed=(*missing, *chosen.malformed))
        if chosen.references:
            return chosen
        raise InvalidInput(f"{path}: none of the keys that it cites is in {', '.join(files)}.")
    for text in texts[1:]:
        listed = latex_documents.parse_latex_document(text)
        if listed.references:
            return listed
    compiled = path.with_suffix(".bbl")
    if compiled.is_file():
        return _parse_named_file(compiled, "latex")
    if missing:
        raise InvalidInput(f"{path}: {missing[0].reason}")
    raise InvalidInput(
        f"{path}: it has no list of references, and names no .bib file; there is no {compiled.name} beside it."
    )


def _read_bib_files(
    folder: Path, names: list[str]
) -> tuple[BibliographyDocument | None, tuple[MalformedEntry, ...]]:
    """The entries of all files that are there, and a report for each that is not."""
    read: list[BibliographyDocument] = []
    missing: list[MalformedEntry] = []
    for name in names:
        if (folder / name).is_file():
            read.append(_parse_named_file(folder / name, "bibtex"))
        else:
            reason = f"It names {name}, which is not beside it; audit that file, or put it there."
            missing.append(MalformedEntry(line=1, reason=reason))
    if not read:
        return None, tuple(missing)
    entries = tuple(reference for document in read for reference in document.references)
    damage = tuple(entry for document in read for entry in document.malformed)
    document = BibliographyDocument(format="bibtex", references=entries, malformed=damage)
    return document, tuple(missing)


def _parse_named_file(path: Path, form: str) -> BibliographyDocument:
    return references.parse_bibliography(read_text_file(str(path)), format=form)


def _read_input_files(folder: Path, text: str) -> list[str]:
    """The texts of the files that the manuscript includes, and those that they include."""
    texts: list[str] = []
    waiting = list(latex_documents.find_cited_keys(text).input_files)
    seen: set[str] = set()
    while waiting and len(seen) < _MAX_INPUT_FILES:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if (folder / name).is_file():
            texts.append(read_text_file(str(folder / name)))
            waiting += latex_documents.find_cited_keys(texts[-1]).input_files
    return texts
