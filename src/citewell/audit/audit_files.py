"""Audit lines in a file: appended, begun anew when it is full, and cleaned of a person who is erased."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from citewell.core.tooling import Owner

_SECONDS_PER_DAY = 86400.0
_PERSONAL_FIELDS = ("user_id", "session_id", "request_id", "source_ip", "metadata")


class AuditFile:
    """Appends lines to a file that only its owner may read.

    Beyond `max_bytes` the file is renamed, with the time added to its name, and a new one begun.
    Renamed files are deleted after `retention_days`.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int,
        retention_days: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._retention_seconds = retention_days * _SECONDS_PER_DAY
        self._clock = clock

    def write_line(self, line: str) -> None:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
        with self._path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write(line + "\n")
            size = file.tell()
        if size >= self._max_bytes:
            self._rotate_file()

    def _rotate_file(self) -> None:
        moment = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%dT%H%M%S.%f")
        # Another process on the same file may have renamed it already.
        with contextlib.suppress(FileNotFoundError):
            self._path.rename(self._path.with_name(f"{self._path.name}.{moment}"))
        for old in list_rotated_files(self._path):
            with contextlib.suppress(FileNotFoundError):
                if old.stat().st_mtime < self._clock() - self._retention_seconds:
                    old.unlink()


def list_rotated_files(path: Path) -> list[Path]:
    """The files that were renamed when they were full, oldest first."""
    return sorted(
        file
        for file in path.parent.glob(f"{path.name}.*")
        if file.name[len(path.name) + 1].isdigit()
    )


def erase_owner_lines(path: Path, owner: Owner) -> int:
    """Remove what is personal from the owner's lines, in this file and the renamed ones; how many.

    Each line keeps its length, so that other processes can go on appending.
    """
    files = [file for file in (*list_rotated_files(path), path) if file.exists()]
    return sum(_erase_in_file(file, owner) for file in files)


def _erase_in_file(path: Path, owner: Owner) -> int:
    erased = 0
    with path.open("r+b") as file:
        start = 0
        while (line := file.readline()).endswith(b"\n"):
            cleaned = _clean_line(line, owner)
            if cleaned is not None:
                file.seek(start)
                file.write(cleaned)
                erased += 1
            start += len(line)
            file.seek(start)
        file.flush()
        os.fsync(file.fileno())
    return erased


def _clean_line(line: bytes, owner: Owner) -> bytes | None:
    """The line without personal fields, filled up with spaces; None if it is not the owner's."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or (found.get("tenant_id"), found.get("user_id")) != (
        owner.tenant,
        owner.user,
    ):
        return None
    rest = {name: value for name, value in found.items() if name not in _PERSONAL_FIELDS}
    cleaned = json.dumps(rest, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    return cleaned.ljust(len(line) - 1) + b"\n"
