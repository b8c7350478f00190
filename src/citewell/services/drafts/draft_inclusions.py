r"""The files that a draft names: chapters that LaTeX includes, and bibliographies beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from citewell.services.drafts.text_decoding import decode_draft_bytes
from citewell.text.drafts.draft_places import TextSegment
from citewell.text.drafts.draft_reading import MAX_DRAFT_CHARS, DraftSource
from citewell.text.references.formats.latex_documents import find_cited_keys

_COMMENT_PATTERN = re.compile(r"(?<!\\)%[^\n]*+")
_INCLUDE_PATTERN = re.compile(r"\\(?:input|include|subfile)\s{0,3}\{([^{}\n]{1,300})\}")
_FRONT_MATTER_PATTERN = re.compile(
    r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL
)
_BIBLIOGRAPHY_LINE_PATTERN = re.compile(
    r"^bibliography:[ \t]*(?P<value>[^\n]*)(?P<items>(?:\n[ \t]*-[ \t]*[^\n]+)*)", re.MULTILINE
)
_ITEM_PATTERN = re.compile(r"\n[ \t]*-[ \t]*([^\n]+)")
_MAX_FILES = 200
_MAX_DEPTH = 10
_MAX_BIB_FILES = 20
_MAX_BIB_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBibliography:
    text: str
    notes: tuple[str, ...] = ()


class _LatexJoiner:
    """Puts the files of a manuscript together, and keeps where each part came from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._length = 0
        self._pieces: list[str] = []
        self.segments: list[TextSegment] = []
        self.notes: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add_file(self, name: str, text: str, open_names: tuple[str, ...] = ()) -> None:
        self._count += 1
        bare = _COMMENT_PATTERN.sub(lambda found: " " * len(found[0]), text)
        done = 0
        for match in _INCLUDE_PATTERN.finditer(bare):
            included = self._load_included(match[1].strip(), (*open_names, name))
            if included is None:
                continue
            self._add_included_piece(name, text, done, match.start())
            self.add_file(included[0], included[1], (*open_names, name))
            done = match.end()
        self._add_included_piece(name, text, done, len(text))

    def _add_included_piece(self, name: str, text: str, start: int, end: int) -> None:
        if start == end:
            return
        self.segments.append(
            TextSegment(
                start=self._length,
                file=name,
                first_line=text.count("\n", 0, start) + 1,
                first_column=start - (text.rfind("\n", 0, start) + 1) + 1,
            )
        )
        self._pieces.append(text[start:end])
        self._length += end - start

    def _load_included(self, written: str, open_names: tuple[str, ...]) -> tuple[str, str] | None:
        name = written if PurePosixPath(written).suffix else f"{written}.tex"
        if len(open_names) > _MAX_DEPTH or self._count >= _MAX_FILES:
            self.notes.append(f"{name} was not read: too many files include one another.")
            return None
        if name in open_names:
            return None
        body = load_beside(self._folder, name, self.notes, max_bytes=MAX_DRAFT_CHARS * 4)
        if body is None:
            return None
        decoded = decode_draft_bytes(body)
        self.notes += [f"{name}: {note}" for note in decoded.notes]
        return name, decoded.text


def join_latex_files(path: Path, source: DraftSource) -> DraftSource:
    """The manuscript with its included files in their places; each keeps its own lines."""
    joiner = _LatexJoiner(path.parent)
    joiner.add_file(path.name, source.text)
    notes = (*source.notes, *dict.fromkeys(joiner.notes))
    files = {segment.file for segment in joiner.segments}
    if len(files) <= 1:
        return replace(source, notes=notes)
    return replace(source, text=joiner.text, segments=tuple(joiner.segments), notes=notes)


def load_named_bibliographies(path: Path, text: str, draft_format: str) -> NamedBibliography:
    """The bibliographies that a draft names, from its own folder; those that are missing are told."""
    names = list_bibliography_names(text, draft_format)
    notes: list[str] = []
    texts: list[str] = []
    for name in names[:_MAX_BIB_FILES]:
        body = load_beside(path.parent, name, notes, max_bytes=_MAX_BIB_BYTES)
        if body is not None:
            texts.append(decode_draft_bytes(body).text)
    compiled = path.with_suffix(".bbl")
    if draft_format == "latex" and not texts and compiled.is_file():
        body = load_beside(path.parent, compiled.name, notes, max_bytes=_MAX_BIB_BYTES)
        texts += [decode_draft_bytes(body).text] if body is not None else []
    return NamedBibliography(text="\n\n".join(texts), notes=tuple(notes))


def list_bibliography_names(text: str, draft_format: str) -> list[str]:
    if draft_format == "latex":
        return list(find_cited_keys(text).bib_files)
    matter = _FRONT_MATTER_PATTERN.match(text)
    line = _BIBLIOGRAPHY_LINE_PATTERN.search(matter[1]) if matter else None
    if line is None:
        return []
    value = line["value"].strip().strip("[]")
    written = [*value.split(","), *_ITEM_PATTERN.findall(line["items"])]
    return [name for one in written if (name := one.strip().strip("\"'"))]


def load_beside(folder: Path, name: str, notes: list[str], *, max_bytes: int) -> bytes | None:
    """A file inside the folder; None, with a note that names it, if it is elsewhere or not there."""
    try:
        base = folder.resolve()
        found = (base / name).resolve()
        if not found.is_relative_to(base):
            notes.append(f"{name} was refused: it is outside the folder of the draft.")
            return None
        if not found.is_file():
            notes.append(f"{name}, which the draft names, is not there.")
            return None
        if found.stat().st_size > max_bytes:
            notes.append(f"{name} was not read: it is larger than {max_bytes:,} bytes.")
            return None
        return found.read_bytes()
    except (OSError, ValueError) as error:
        shown = getattr(error, "strerror", None) or "its name cannot be used"
        notes.append(f"{name} was not read: {shown}.")
        return None
