"""A disk of a few megabytes for a PostgreSQL server, which a test can fill and empty while it runs."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.services import absent

_CHUNK = b"x" * 65_536


@dataclass(frozen=True, kw_only=True)
class SmallDisk:
    folder: Path

    def fill(self) -> None:
        """Leave not a byte."""
        number = os.open(self.folder / "ballast", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        with contextlib.suppress(OSError):
            while True:
                os.write(number, _CHUNK)
        os.close(number)

    def clear(self) -> None:
        (self.folder / "ballast").unlink()


@contextlib.contextmanager
def mount_small_disk(folder: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """A file system in memory, mounted at a new folder for as long as the block lasts."""
    folder.mkdir()
    size = f"size={megabytes}m"
    command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=10)
    if done.returncode != 0:
        absent("A disk that can be full needs the right to mount a tmpfs, as root has.")
    try:
        yield SmallDisk(folder=folder)
    finally:
        # Lazily, because a server that was killed may still be ending.
        subprocess.run(["umount", "-l", str(folder)], check=True, timeout=10)
