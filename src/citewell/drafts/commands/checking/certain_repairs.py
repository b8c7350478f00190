"""Repairs that are certain, written into the files of a draft."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from citewell.cli.command_app import STDIN_NAME
from citewell.core.errors import InvalidInput
from citewell.drafts.commands.checking.checked_draft import (
    CheckedDraft,
    is_writable_repair,
    locate_draft_file,
)
from citewell.drafts.draft_files import unify_line_ends
from citewell.drafts.draft_findings import DraftRepair

# Formats whose file is the text that was read, so that a place in one is a place in the other.
_TEXT_FORMATS = frozenset({"markdown", "plain", "html", "latex"})
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRepair:
    """A file before and after its repairs; `left` says which could not be made."""

    path: Path
    before: str
    after: str
    count: int
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _WantedRepair:
    """A repair, the file that it belongs into, and the entry there if it has no place."""

    file: str
    repair: DraftRepair
    entry: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replacement:
    start: int
    end: int
    new: str


def plan_file_repairs(checked: CheckedDraft) -> list[FileRepair]:
    """What the certain repairs would make of the draft's files; nothing is written yet.

    Raises InvalidInput if the draft is not a text file that can be written.
    """
    wanted: dict[str, list[_WantedRepair]] = {}
    for repair in _list_wanted_repairs(checked):
        wanted.setdefault(repair.file, []).append(repair)
    if checked.name in wanted and checked.name == STDIN_NAME:
        raise InvalidInput("Standard input cannot be repaired. Give the name of the file.")
    if checked.name in wanted and checked.draft.format not in _TEXT_FORMATS:
        message = f"{checked.name} cannot be rewritten: --fix changes text files only (markdown, LaTeX, BibTeX, HTML, plain text). Its repairs are in the table."
        raise InvalidInput(message)
    return [_plan_one_file(Path(name), repairs) for name, repairs in wanted.items()]


def render_diff(repair: FileRepair) -> str:
    """A unified diff, as `patch` reads it."""
    name = repair.path.as_posix().lstrip("/")
    return "".join(
        difflib.unified_diff(
            _split_diff_lines(repair.before),
            _split_diff_lines(repair.after),
            fromfile=f"a/{name}",
            tofile=f"b/{name}",
        )
    )


def write_file_repair(repair: FileRepair) -> None:
    """Replace the file in one move; raises InvalidInput if it has changed since it was read."""
    if _read_exact_text(repair.path) != repair.before:
        raise InvalidInput(
            f"{repair.path} has changed meanwhile; nothing was written. Check again."
        )
    target = repair.path.resolve()
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(repair.after)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(target.stat().st_mode & 0o7777)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _list_wanted_repairs(checked: CheckedDraft) -> Iterator[_WantedRepair]:
    texts: dict[str, str] = {}
    for finding in checked.report.findings:
        for repair in filter(is_writable_repair, finding.repairs or ()):
            if repair.place is not None:
                yield _WantedRepair(file=locate_draft_file(checked, repair.place), repair=repair)
                continue
            for name in checked.bibliographies:
                if name not in texts:
                    texts[name] = unify_line_ends(_read_exact_text(Path(name)))
                if texts[name].count(finding.text) == 1:
                    yield _WantedRepair(file=name, repair=repair, entry=finding.text)
                    break


def _plan_one_file(path: Path, repairs: list[_WantedRepair]) -> FileRepair:
    before = _read_exact_text(path)
    # Places count from after the byte order mark, and line ends as one character.
    offset = len(_BYTE_ORDER_MARK) if before.startswith(_BYTE_ORDER_MARK) else 0
    text = before[offset:]
    positions = None
    if "\r" in text:  # the offset in the file of each character of the text that was read
        positions = [*(at for at in range(len(text)) if text[at - 1 : at + 1] != "\r\n"), len(text)]
    found: list[_Replacement] = []
    left: list[str] = []
    for wanted in repairs:
        replacement = _find_replacement(text, positions, wanted)
        if replacement is None:
            left.append(wanted.repair.text)
        elif replacement not in found:
            found.append(replacement)
    made, crossed = _drop_crossing_repairs(found)
    after = text
    for row in sorted(made, key=lambda each: each.start, reverse=True):
        after = after[: row.start] + row.new + after[row.end :]
    return FileRepair(
        path=path,
        before=before,
        after=before[:offset] + after,
        count=len(made),
        left=(*left, *(f"{row.new}: two repairs meet here" for row in crossed)),
    )


def _find_replacement(
    text: str, positions: list[int] | None, wanted: _WantedRepair
) -> _Replacement | None:
    """Where the old words stand within the place of the repair; None unless they do so once."""
    repair, old = wanted.repair, wanted.repair.old or ""
    found = _find_repair_span(text, wanted)
    if found is None:
        return None
    start, end = found
    if positions is not None:
        if end >= len(positions):
            return None
        start, end = positions[start], positions[end]
    span = text[start:end]
    if span.count(old) != 1:
        return None
    at = start + span.index(old)
    return _Replacement(start=at, end=at + len(old), new=repair.new or "")


def _find_repair_span(text: str, wanted: _WantedRepair) -> tuple[int, int] | None:
    """The place of a repair in its file, with line ends as one character; None if it is not there."""
    place, entry = wanted.repair.place, wanted.entry
    if place is None:
        start = unify_line_ends(text).find(entry) if entry else -1
        return (start, start + len(entry)) if start >= 0 else None
    if not place.file:
        return place.start, place.end
    # Offsets count in the text that the files were put together to.
    split = unify_line_ends(text).split("\n")
    lines = [0, *accumulate(len(line) + 1 for line in split)][: len(split)]
    if place.end_line > len(lines):
        return None
    start = lines[place.line - 1] + place.column - 1
    return start, lines[place.end_line - 1] + place.end_column - 1


def _drop_crossing_repairs(
    found: Iterable[_Replacement],
) -> tuple[list[_Replacement], list[_Replacement]]:
    made: list[_Replacement] = []
    crossed: list[_Replacement] = []
    for row in sorted(found, key=lambda each: (each.start, each.end)):
        (crossed if made and row.start < made[-1].end else made).append(row)
    return made, crossed


def _read_exact_text(path: Path) -> str:
    """The file with its line ends as they are; raises InvalidInput if it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path} is not UTF-8, so --fix leaves it alone. Save it as UTF-8 first."
        ) from None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or 'the file cannot be read'}.") from None


def _split_diff_lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines
