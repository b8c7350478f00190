"""Sources of the master key: a setting, a mounted file, the system's keyring, or our own key file."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.store.encryption import LazyKeyring, RandomBytes, parse_hex_key
from citewell.store.failures import StoreError
from citewell.store.settings import StoreSettings

_MAX_KEY_FILE_BYTES = 4096
_OTHERS_PERMISSIONS = stat.S_IRWXG | stat.S_IRWXO

STATE_KEY_FILE = "state.key"
_KEYRING_SERVICE, _KEYRING_ENTRY = "citewell", "master key"


class MasterKeySource(ABC):
    """Gives one or more master keys: the first one encrypts, and every one can decrypt."""

    @property
    @abstractmethod
    def location(self) -> str:
        """Where the keys are, for a person to read; contains no secret."""

    @abstractmethod
    def load_master_keys(self) -> tuple[bytes, ...]:
        """Raises Misconfigured if a key is malformed, StoreError if the source cannot be read."""

    def add_new_key(self) -> bool:
        """Put a new key before the others; False if only the operator can change the source."""
        return False

    def drop_older_keys(self) -> None:  # noqa: B027 - a source of the operator keeps them
        """Remove all keys but the first; call it once nothing is encrypted with them."""


def choose_master_key_source(
    settings: Settings, *, randomness: RandomBytes = os.urandom
) -> MasterKeySource:
    store_settings = settings[StoreSettings]
    previous = store_settings.master_key_previous
    older = (parse_hex_key(previous, setting="CITEWELL_MASTER_KEY_PREVIOUS"),) if previous else ()
    if store_settings.master_key:
        return _SettingKeySource(
            (
                parse_hex_key(store_settings.master_key, setting="CITEWELL_MASTER_KEY"),
                *older,
            )
        )
    if store_settings.master_key_file:
        return _MountedKeySource(path=store_settings.master_key_file, older_keys=older)
    if store_settings.keyring:
        return _SystemKeyringSource(older_keys=older, randomness=randomness)
    return _KeyFileSource(
        path=store_settings.data_path / STATE_KEY_FILE,
        older_keys=older,
        randomness=randomness,
    )


def build_master_keyring(source: MasterKeySource) -> LazyKeyring:
    return LazyKeyring(source.load_master_keys)


@dataclass(frozen=True, slots=True)
class _SettingKeySource(MasterKeySource):
    keys: tuple[bytes, ...]

    @property
    def location(self) -> str:
        return "CITEWELL_MASTER_KEY"

    def load_master_keys(self) -> tuple[bytes, ...]:
        return self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class _MountedKeySource(MasterKeySource):
    """A file that the operator or a secret store mounts; its permissions are not checked."""

    path: Path
    older_keys: tuple[bytes, ...]

    @property
    def location(self) -> str:
        return f"CITEWELL_MASTER_KEY_FILE ({self.path})"

    def load_master_keys(self) -> tuple[bytes, ...]:
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").split()
        except OSError as error:
            raise StoreError(
                f"CITEWELL_MASTER_KEY_FILE cannot be read: {error.strerror}."
            ) from error
        keys = [parse_hex_key(line, setting="CITEWELL_MASTER_KEY_FILE") for line in lines or [""]]
        return (*keys, *self.older_keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyFileSource(MasterKeySource):
    """The key file in the data directory, created on first use."""

    path: Path
    older_keys: tuple[bytes, ...]
    randomness: RandomBytes

    @property
    def location(self) -> str:
        return f"the key file {self.path}"

    def load_master_keys(self) -> tuple[bytes, ...]:
        return (*load_key_file(self.path, randomness=self.randomness), *self.older_keys)

    def add_new_key(self) -> bool:
        replace_key_file(self.path, [self.randomness(32), *load_key_file(self.path)])
        return True

    def drop_older_keys(self) -> None:
        replace_key_file(self.path, load_key_file(self.path)[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _SystemKeyringSource(MasterKeySource):
    """The secret store of the operating system, used if CITEWELL_KEYRING is set."""

    older_keys: tuple[bytes, ...]
    randomness: RandomBytes

    @property
    def location(self) -> str:
        return "the system's keyring"

    def load_master_keys(self) -> tuple[bytes, ...]:
        kept = self._read_system_keys()
        if not kept:
            self._write_system_keys([self.randomness(32)])
            kept = self._read_system_keys()
        return (*kept, *self.older_keys)

    def add_new_key(self) -> bool:
        self._write_system_keys([self.randomness(32), *self._read_system_keys()])
        return True

    def drop_older_keys(self) -> None:
        self._write_system_keys(self._read_system_keys()[:1])

    def _read_system_keys(self) -> list[bytes]:
        keyring = _import_keyring_library()
        try:
            text = keyring.get_password(_KEYRING_SERVICE, _KEYRING_ENTRY) or ""
        except keyring.errors.KeyringError as error:
            raise _build_keyring_error() from error
        return [
            parse_hex_key(line, setting="The key in the system's keyring") for line in text.split()
        ]

    def _write_system_keys(self, keys: list[bytes]) -> None:
        keyring = _import_keyring_library()
        try:
            keyring.set_password(
                _KEYRING_SERVICE, _KEYRING_ENTRY, "\n".join(key.hex() for key in keys)
            )
        except keyring.errors.KeyringError as error:
            raise _build_keyring_error() from error


def _import_keyring_library() -> Any:
    try:
        import keyring
    except ImportError:
        raise Misconfigured(
            "CITEWELL_KEYRING needs the keyring library: pip install keyring.",
            action="inform_user",
        ) from None
    return keyring


def _build_keyring_error() -> StoreError:
    return StoreError(
        "The system's keyring cannot be used. Unset CITEWELL_KEYRING, or set CITEWELL_MASTER_KEY."
    )


# The key file: master keys, created on first use and readable only by the file's owner.


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
