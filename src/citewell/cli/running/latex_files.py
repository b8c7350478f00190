r"""Reads the references of a LaTeX manuscript from the files beside it that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citewell.cli.running import bibliography_files
from citewell.errors import InvalidInput
from citewell.model.reference import BibliographyDocument, MalformedEntry
from citewell.text import references
from citewell.text.references.formats import latex_documents

_MAX_INPUT_FILES = 100
_MAX_BIB_FILES = 20


def read_latex_parts(path: Path, text: str) -> list[str]:
    """The text of a manuscript, and those of the files that it includes."""
    return [text, *_read_input_files(path.parent, text)]


def read_latex_references(path: Path, texts: Sequence[str]) -> BibliographyDocument:
    r"""The cited entries of its .bib files, its own \bibitem list, or the .bbl file beside it.

    Raises InvalidInput if there is none of them.
    """
    own = latex_documents.parse_latex_document(texts[0])
    if own.references:
        return own
    files = dict.fromkeys(
        name for one in texts for name in latex_documents.find_cited_keys(one).bib_files
    )
    found, missing = _read_bib_files(path.parent, list(files)[:_MAX_BIB_FILES])
    if found is not None:
        chosen = latex_documents.select_cited_entries(found, texts)
        chosen = replace(chosen, malformed=(*missing, *chosen.malformed))
        if chosen.references:
            return chosen
        raise InvalidInput(f"{path}: none of the keys that it cites is in {', '.join(files)}.")
    for one in texts[1:]:
        listed = latex_documents.parse_latex_document(one)
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
    entries = tuple(one for document in read for one in document.references)
    damage = tuple(one for document in read for one in document.malformed)
    document = BibliographyDocument(format="bibtex", references=entries, malformed=damage)
    return document, tuple(missing)


def _parse_named_file(path: Path, form: str) -> BibliographyDocument:
    return references.parse_bibliography(bibliography_files.read_text_file(str(path)), format=form)


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
            texts.append(bibliography_files.read_text_file(str(folder / name)))
            waiting += latex_documents.find_cited_keys(texts[-1]).input_files
    return texts
