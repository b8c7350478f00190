"""The key file: master keys, created on first use and readable only by the file's owner."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from citewell.errors import Misconfigured
from citewell.store.failures import StoreError
from citewell.store.keys.encryption import RandomBytes, parse_hex_key

_MAX_KEY_FILE_BYTES = 4096
_OTHERS_PERMISSIONS = stat.S_IRWXG | stat.S_IRWXO


def load_current_key(path: Path, *, randomness: RandomBytes = os.urandom) -> bytes:
    """The first key of the file, which encrypts; otherwise like `load_key_file`."""
    return load_key_file(path, randomness=randomness)[0]


def load_key_file(path: Path, *, randomness: RandomBytes = os.urandom) -> tuple[bytes, ...]:
    """Every key in the file, one per line, the encrypting key first; creates a missing file.

    Raises Misconfigured if other users can read the file or a line is not a key, and StoreError
    if the file or its directory cannot be used.
    """
    try:
        if not path.exists():
            _create_key_file(path, randomness)
        return _read_key_lines(path)
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be used: {error.strerror}.") from error


def replace_key_file(path: Path, keys: Sequence[bytes]) -> None:
    """Replace the keys in the file atomically; raises StoreError."""
    try:
        _write_key_draft(path, keys).replace(path)
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be written: {error.strerror}.") from error


def _create_key_file(path: Path, randomness: RandomBytes) -> None:
    """Write a draft, then link it: no process reads half a key, and the first to link wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _write_key_draft(path, [randomness(32)])
    try:
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def _write_key_draft(path: Path, keys: Sequence[bytes]) -> Path:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(b"".join(key.hex().encode() + b"\n" for key in keys))
        file.flush()
        os.fsync(file.fileno())
    return draft


def _read_key_lines(path: Path) -> tuple[bytes, ...]:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        text = file.read(_MAX_KEY_FILE_BYTES)
    # Windows uses access lists; the mode means nothing there.
    if os.name != "nt" and mode & _OTHERS_PERMISSIONS:
        raise Misconfigured(
            f"The key file {path} can be read by other users. Run: chmod 600 {path}",
            action="inform_user",
        )
    lines = text.decode("ascii", "replace").split() or [""]
    return tuple(
        parse_hex_key(line, setting=f"Every line of the key file {path}") for line in lines
    )
