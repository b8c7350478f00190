"""The key file: a master key made on first use, readable by its owner alone."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from citewell.errors import Misconfigured
from citewell.store.crypto import Randomness, parse_key
from citewell.store.failures import StoreError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_or_create(path: Path, *, randomness: Randomness = os.urandom) -> bytes:
    """The key in the file, made if there is none.

    Raises Misconfigured when others can read it or it holds no key, StoreError when the
    directory cannot be used.
    """
    try:
        if not path.exists():
            _create(path, randomness)
        return _read(path)
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be used: {error.strerror}.") from error


def _create(path: Path, randomness: Randomness) -> None:
    """Write beside, then link: nobody ever sees half a key, and the first process wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(randomness(32).hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        text = file.read(256)
    # Windows keeps access lists instead; the mode says nothing there.
    if os.name != "nt" and mode & _OTHERS:
        raise Misconfigured(
            f"The key file {path} can be read by others. Run: chmod 600 {path}",
            action="inform_user",
        )
    return parse_key(text.decode("ascii", "replace"), setting=f"The key file {path}")
