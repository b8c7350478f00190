"""Where the master key comes from: the operator's setting, the system's keyring, or a key file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.store import keyfile
from citewell.store.crypto import Keys, Randomness, parse_key
from citewell.store.failures import StoreError

KEY_FILE = "state.key"
_SERVICE, _ENTRY = "citewell", "master key"


class Masters(Protocol):
    """The first key seals, all of them open."""

    @property
    def where(self) -> str:
        """For a person to read; no secret."""
        ...

    def read(self) -> tuple[bytes, ...]:
        """Raises Misconfigured for what is no key, StoreError where it cannot be read."""
        ...

    def renew(self) -> bool:
        """Put a new key before the others; False where that is the operator's to do."""
        ...

    def settle(self) -> None:
        """Let go of all keys but the first, once nothing needs them."""
        ...


def masters(settings: Settings, *, randomness: Randomness = os.urandom) -> Masters:
    previous = settings.master_key_previous
    older = (parse_key(previous, setting="CITEWELL_MASTER_KEY_PREVIOUS"),) if previous else ()
    if settings.master_key:
        return _Given((parse_key(settings.master_key, setting="CITEWELL_MASTER_KEY"), *older))
    if settings.master_key_file:
        return _Mounted(path=settings.master_key_file, older=older)
    if settings.keyring:
        return _Keyring(older=older, randomness=randomness)
    return _Own(path=settings.data_path / KEY_FILE, older=older, randomness=randomness)


def master_keys(source: Masters) -> Keys:
    return Keys(source.read)


@dataclass(frozen=True, slots=True)
class _Given:
    keys: tuple[bytes, ...]
    where: str = "CITEWELL_MASTER_KEY"

    def read(self) -> tuple[bytes, ...]:
        return self.keys

    def renew(self) -> bool:
        return False

    def settle(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mounted:
    """A file that the operator, or a secret store, keeps; whoever mounts it guards it."""

    path: Path
    older: tuple[bytes, ...]

    @property
    def where(self) -> str:
        return f"CITEWELL_MASTER_KEY_FILE ({self.path})"

    def read(self) -> tuple[bytes, ...]:
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").split()
        except OSError as error:
            raise StoreError(
                f"CITEWELL_MASTER_KEY_FILE cannot be read: {error.strerror}."
            ) from error
        keys = [parse_key(line, setting="CITEWELL_MASTER_KEY_FILE") for line in lines or [""]]
        return (*keys, *self.older)

    def renew(self) -> bool:
        return False

    def settle(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """The key file in the data directory, made on first use."""

    path: Path
    older: tuple[bytes, ...]
    randomness: Randomness

    @property
    def where(self) -> str:
        return f"the key file {self.path}"

    def read(self) -> tuple[bytes, ...]:
        return (*keyfile.read_all(self.path, randomness=self.randomness), *self.older)

    def renew(self) -> bool:
        keyfile.replace(self.path, [self.randomness(32), *keyfile.read_all(self.path)])
        return True

    def settle(self) -> None:
        keyfile.replace(self.path, keyfile.read_all(self.path)[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keyring:
    """The operating system's own store of secrets, for those who ask for it."""

    older: tuple[bytes, ...]
    randomness: Randomness

    @property
    def where(self) -> str:
        return "the system's keyring"

    def read(self) -> tuple[bytes, ...]:
        kept = self._kept()
        if not kept:
            self._keep([self.randomness(32)])
            kept = self._kept()
        return (*kept, *self.older)

    def renew(self) -> bool:
        self._keep([self.randomness(32), *self._kept()])
        return True

    def settle(self) -> None:
        self._keep(self._kept()[:1])

    def _kept(self) -> list[bytes]:
        keyring = _library()
        try:
            text = keyring.get_password(_SERVICE, _ENTRY) or ""
        except keyring.errors.KeyringError as error:
            raise _unusable() from error
        return [parse_key(line, setting="The key in the system's keyring") for line in text.split()]

    def _keep(self, keys: list[bytes]) -> None:
        keyring = _library()
        try:
            keyring.set_password(_SERVICE, _ENTRY, "\n".join(key.hex() for key in keys))
        except keyring.errors.KeyringError as error:
            raise _unusable() from error


def _library() -> Any:
    try:
        import keyring
    except ImportError:
        raise Misconfigured(
            "CITEWELL_KEYRING needs the keyring library: pip install keyring.",
            action="inform_user",
        ) from None
    return keyring


def _unusable() -> StoreError:
    return StoreError(
        "The system's keyring cannot be used. Unset CITEWELL_KEYRING, or set CITEWELL_MASTER_KEY."
    )
