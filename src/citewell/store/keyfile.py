"""The key file: a master key made on first use, readable by its owner alone."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from citewell.errors import Misconfigured
from citewell.store.crypto import Randomness, parse_key
from citewell.store.failures import StoreError

_LONGEST = 4096
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_or_create(path: Path, *, randomness: Randomness = os.urandom) -> bytes:
    """The key in the file that seals, made if there is none; raises as `read_all` does."""
    return read_all(path, randomness=randomness)[0]


def read_all(path: Path, *, randomness: Randomness = os.urandom) -> tuple[bytes, ...]:
    """Every key in the file, one a line, the one that seals first; made if there is no file.

    Raises Misconfigured when others can read it or it holds no key, StoreError when the
    directory cannot be used.
    """
    try:
        if not path.exists():
            _create(path, randomness)
        return _read(path)
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be used: {error.strerror}.") from error


def replace(path: Path, keys: Sequence[bytes]) -> None:
    """Put these keys in the file instead, at one stroke."""
    try:
        _draft(path, keys).replace(path)
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be written: {error.strerror}.") from error


def _create(path: Path, randomness: Randomness) -> None:
    """Write beside, then link: nobody ever sees half a key, and the first process wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _draft(path, [randomness(32)])
    try:
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def _draft(path: Path, keys: Sequence[bytes]) -> Path:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(b"".join(key.hex().encode() + b"\n" for key in keys))
        file.flush()
        os.fsync(file.fileno())
    return draft


def _read(path: Path) -> tuple[bytes, ...]:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        text = file.read(_LONGEST)
    # Windows keeps access lists instead; the mode says nothing there.
    if os.name != "nt" and mode & _OTHERS:
        raise Misconfigured(
            f"The key file {path} can be read by others. Run: chmod 600 {path}",
            action="inform_user",
        )
    lines = text.decode("ascii", "replace").split() or [""]
    return tuple(parse_key(line, setting=f"Every line of the key file {path}") for line in lines)
