"""Sources of the master key: a setting, a mounted file, the system's keyring, or our own key file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.store.failures import StoreError
from citewell.store.keys import key_file
from citewell.store.keys.encryption import LazyKeyring, RandomBytes, parse_hex_key

STATE_KEY_FILE = "state.key"
_KEYRING_SERVICE, _KEYRING_ENTRY = "citewell", "master key"


class MasterKeySource(Protocol):
    """Gives one or more master keys: the first one encrypts, and every one can decrypt."""

    @property
    def location(self) -> str:
        """Where the keys are, for a person to read; contains no secret."""
        ...

    def load_master_keys(self) -> tuple[bytes, ...]:
        """Raises Misconfigured if a key is malformed, StoreError if the source cannot be read."""
        ...

    def add_new_key(self) -> bool:
        """Put a new key before the others; False if only the operator can change the source."""
        ...

    def drop_older_keys(self) -> None:
        """Remove all keys but the first; call it once nothing is encrypted with them."""
        ...


def choose_master_key_source(
    settings: Settings, *, randomness: RandomBytes = os.urandom
) -> MasterKeySource:
    previous = settings.master_key_previous
    older = (parse_hex_key(previous, setting="CITEWELL_MASTER_KEY_PREVIOUS"),) if previous else ()
    if settings.master_key:
        return _SettingKeySource(
            (parse_hex_key(settings.master_key, setting="CITEWELL_MASTER_KEY"), *older)
        )
    if settings.master_key_file:
        return _MountedKeySource(path=settings.master_key_file, older_keys=older)
    if settings.keyring:
        return _SystemKeyringSource(older_keys=older, randomness=randomness)
    return _KeyFileSource(
        path=settings.data_path / STATE_KEY_FILE, older_keys=older, randomness=randomness
    )


def build_master_keyring(source: MasterKeySource) -> LazyKeyring:
    return LazyKeyring(source.load_master_keys)


@dataclass(frozen=True, slots=True)
class _SettingKeySource:
    keys: tuple[bytes, ...]
    location: str = "CITEWELL_MASTER_KEY"

    def load_master_keys(self) -> tuple[bytes, ...]:
        return self.keys

    def add_new_key(self) -> bool:
        return False

    def drop_older_keys(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _MountedKeySource:
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

    def add_new_key(self) -> bool:
        return False

    def drop_older_keys(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyFileSource:
    """The key file in the data directory, created on first use."""

    path: Path
    older_keys: tuple[bytes, ...]
    randomness: RandomBytes

    @property
    def location(self) -> str:
        return f"the key file {self.path}"

    def load_master_keys(self) -> tuple[bytes, ...]:
        return (*key_file.load_key_file(self.path, randomness=self.randomness), *self.older_keys)

    def add_new_key(self) -> bool:
        key_file.replace_key_file(
            self.path, [self.randomness(32), *key_file.load_key_file(self.path)]
        )
        return True

    def drop_older_keys(self) -> None:
        key_file.replace_key_file(self.path, key_file.load_key_file(self.path)[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _SystemKeyringSource:
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
