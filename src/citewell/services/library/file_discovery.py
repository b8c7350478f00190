"""Finds the files that a path, pattern or directory means, and reports what is not a file."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SPECIAL_FILE_REASONS = (
    (stat.S_ISSOCK, "It is a socket."),
    (stat.S_ISFIFO, "It is a pipe."),
    (stat.S_ISCHR, "It is a device."),
    (stat.S_ISBLK, "It is a device."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProblem:
    """Something that was not imported, and why; not `failed` if it was to be expected."""

    source: str
    reason: str
    failed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFile:
    """A file by its real path, so that two links to it are one document."""

    path: Path
    named_by_user: bool = True  # not merely found in a directory


def find_local_files(
    source: str, *, recursive: bool = False
) -> Iterator[LocalFile | ImportProblem]:
    """The files of one argument in a stable order; errors are returned as problems."""
    path = Path(source).expanduser()
    walk = _DirectoryWalk(recursive=recursive)
    if os.path.lexists(path):
        yield from walk.list_path(path, named=True)
        return
    if not glob.has_magic(source):
        yield ImportProblem(source=source, reason="There is no such file or directory.")
        return
    found = sorted(glob.iglob(str(path), recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not found:
        yield ImportProblem(source=source, reason="No file matches this pattern.")
    for one in found:
        yield from walk.list_path(Path(one), named=False)


class _DirectoryWalk:
    def __init__(self, *, recursive: bool) -> None:
        self._recursive = recursive
        self._entered: set[tuple[int, int]] = set()  # so that a cycle of links ends
        self._taken: set[Path] = set()

    def list_path(self, path: Path, *, named: bool) -> Iterator[LocalFile | ImportProblem]:
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                if named or self._recursive:
                    yield from self._list_directory(path, found)
                return
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: a cycle, before 3.13
            yield ImportProblem(source=str(path), reason=describe_os_error(error))
            return
        if reason := next(
            (said for is_kind, said in _SPECIAL_FILE_REASONS if is_kind(found.st_mode)), None
        ):
            yield ImportProblem(source=str(path), reason=reason, failed=named)
        elif real not in self._taken:
            self._taken.add(real)
            yield LocalFile(path=real, named_by_user=named)

    def _list_directory(
        self, top: Path, found: os.stat_result
    ) -> Iterator[LocalFile | ImportProblem]:
        """Depth first without recursion, because directories may be nested deeper than the stack."""
        waiting = [(top, found)]
        while waiting:
            folder, its = waiting.pop()
            if (its.st_dev, its.st_ino) in self._entered:
                continue
            self._entered.add((its.st_dev, its.st_ino))
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                yield ImportProblem(source=str(folder), reason=describe_os_error(error))
                continue
            below: list[tuple[Path, os.stat_result]] = []
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if (inner := _find_directory_status(entry)) is None:
                    yield from self.list_path(Path(entry.path), named=False)
                elif self._recursive:
                    below.append((Path(entry.path), inner))
            waiting += reversed(below)


def _find_directory_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """The status of a directory or a link to one; None for anything else."""
    try:
        found = Path(entry.path).stat()
    except (OSError, RuntimeError):
        return None  # reading it as a file will report the error
    return found if stat.S_ISDIR(found.st_mode) else None


def describe_os_error(error: OSError | RuntimeError) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return f"{said or 'Its symbolic links form a cycle'}."
