"""Which files a path, a pattern or a directory stands for, and what in it cannot be one."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_KINDS = (
    (stat.S_ISSOCK, "It is a socket."),
    (stat.S_ISFIFO, "It is a pipe."),
    (stat.S_ISCHR, "It is a device."),
    (stat.S_ISBLK, "It is a device."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that is not in the library, and why; `failed` unless nobody would expect it there."""

    source: str
    reason: str
    failed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """A file by its real path, so that two ways to it are one document."""

    path: Path
    named: bool = True  # by the user, and not merely found in a directory


def files(source: str, *, recursive: bool = False) -> Iterator[Local | Problem]:
    """The files of one argument in a stable order; nothing in it raises."""
    path = Path(source).expanduser()
    walk = _Walk(recursive=recursive)
    if os.path.lexists(path):
        yield from walk.at(path, named=True)
        return
    if not glob.has_magic(source):
        yield Problem(source=source, reason="There is no such file or directory.")
        return
    found = sorted(glob.iglob(str(path), recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not found:
        yield Problem(source=source, reason="No file fits this pattern.")
    for one in found:
        yield from walk.at(Path(one), named=False)


class _Walk:
    def __init__(self, *, recursive: bool) -> None:
        self._recursive = recursive
        self._entered: set[tuple[int, int]] = set()  # directories, so that a loop of links ends
        self._taken: set[Path] = set()

    def at(self, path: Path, *, named: bool) -> Iterator[Local | Problem]:
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                if named or self._recursive:
                    yield from self._inside(path, found)
                return
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before 3.13
            yield Problem(source=str(path), reason=why(error))
            return
        if reason := next((said for is_kind, said in _KINDS if is_kind(found.st_mode)), None):
            yield Problem(source=str(path), reason=reason, failed=named)
        elif real not in self._taken:
            self._taken.add(real)
            yield Local(path=real, named=named)

    def _inside(self, top: Path, found: os.stat_result) -> Iterator[Local | Problem]:
        """Depth first without recursion: a directory may be nested deeper than the stack."""
        waiting = [(top, found)]
        while waiting:
            folder, its = waiting.pop()
            if (its.st_dev, its.st_ino) in self._entered:
                continue
            self._entered.add((its.st_dev, its.st_ino))
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                yield Problem(source=str(folder), reason=why(error))
                continue
            below: list[tuple[Path, os.stat_result]] = []
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if (inner := _directory(entry)) is None:
                    yield from self.at(Path(entry.path), named=False)
                elif self._recursive:
                    below.append((Path(entry.path), inner))
            waiting += reversed(below)


def _directory(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Its status when it is a directory, or a link to one."""
    try:
        found = Path(entry.path).stat()
    except (OSError, RuntimeError):
        return None  # whoever takes it for a file will say what is the matter
    return found if stat.S_ISDIR(found.st_mode) else None


def why(error: OSError | RuntimeError) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return f"{said or 'Its links lead in a circle'}."
