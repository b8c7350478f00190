"""Sealed bodies open in their place with their key, and nowhere else."""

from __future__ import annotations

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.store import master_keys
from citewell.store.encryption import EncryptionKeyring, RowPlace, parse_hex_key
from citewell.store.failures import DecryptionFailed, StoreError

HERE = RowPlace(owner="someone", table="entry", row="r1")
FIRST, SECOND = b"\x01" * 32, b"\x02" * 32


def test_what_is_sealed_opens_again() -> None:
    ring = EncryptionKeyring([FIRST])

    assert ring.decrypt_bytes(HERE, ring.encrypt_bytes(HERE, b"plain")) == b"plain"


def test_the_same_text_is_never_sealed_alike() -> None:
    ring = EncryptionKeyring([FIRST])

    assert ring.encrypt_bytes(HERE, b"plain") != ring.encrypt_bytes(HERE, b"plain")


@pytest.mark.parametrize(
    "there",
    [
        RowPlace(owner="other", table="entry", row="r1"),
        RowPlace(owner="someone", table="lease", row="r1"),
        RowPlace(owner="someone", table="entry", row="r2"),
        RowPlace(owner="someonee", table="ntry", row="r1"),
    ],
)
def test_it_opens_in_no_other_place(there: Any) -> None:
    ring = EncryptionKeyring([FIRST])

    with pytest.raises(DecryptionFailed):
        ring.decrypt_bytes(there, ring.encrypt_bytes(HERE, b"plain"))


def test_every_flipped_bit_is_noticed() -> None:
    ring = EncryptionKeyring([FIRST])
    sealed = ring.encrypt_bytes(HERE, b"plain")

    for bit in range(len(sealed) * 8):
        altered = bytearray(sealed)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DecryptionFailed):
            ring.decrypt_bytes(HERE, bytes(altered))


@pytest.mark.parametrize("length", [0, 1, 5, 17, 20, 32])
def test_a_cut_envelope_is_unreadable(length: int) -> None:
    ring = EncryptionKeyring([FIRST])

    with pytest.raises(DecryptionFailed):
        ring.decrypt_bytes(HERE, ring.encrypt_bytes(HERE, b"plain")[:length])


def test_the_previous_key_still_opens_but_does_not_seal() -> None:
    old, both, new = (
        EncryptionKeyring([FIRST]),
        EncryptionKeyring([SECOND, FIRST]),
        EncryptionKeyring([SECOND]),
    )

    assert both.decrypt_bytes(HERE, old.encrypt_bytes(HERE, b"plain")) == b"plain"
    assert new.decrypt_bytes(HERE, both.encrypt_bytes(HERE, b"plain")) == b"plain"
    with pytest.raises(DecryptionFailed):
        new.decrypt_bytes(HERE, old.encrypt_bytes(HERE, b"plain"))


def test_names_depend_on_the_key_and_on_where_parts_end() -> None:
    first, second = EncryptionKeyring([FIRST]), EncryptionKeyring([SECOND])

    names = {
        first.hash_names("ab", "c"),
        first.hash_names("a", "bc"),
        first.hash_names("abc"),
        second.hash_names("ab", "c"),
    }

    assert len(names) == 4
    assert first.hash_names("ab", "c") == EncryptionKeyring([FIRST]).hash_names("ab", "c")


@pytest.mark.parametrize("text", ["", "12", "g" * 64, "a" * 63, "a" * 65, "ａ" * 64])
def test_a_bad_key_names_its_setting_and_not_itself(text: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_hex_key(text, setting="CACHE_ENCRYPTION_KEY")

    assert "CACHE_ENCRYPTION_KEY" in caught.value.message
    assert len(text) < 3 or text not in caught.value.message


def test_the_key_file_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.key"

    (made,) = master_keys.load_key_file(path)

    assert master_keys.load_key_file(path) == (made,)
    assert len(made) == 32
    assert [file.name for file in path.parent.iterdir()] == ["cache.key"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_all_who_start_at_once_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(master_keys.load_key_file, [tmp_path / "cache.key"] * 32))

    assert len(keys) == 1


@pytest.mark.skipif(os.name == "nt", reason="modes mean nothing there")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_file_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "cache.key"
    master_keys.load_key_file(path)
    path.chmod(mode)

    with pytest.raises(Misconfigured, match="chmod 600"):
        master_keys.load_key_file(path)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64])
def test_a_key_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cache.key"
    path.touch(mode=0o600)
    path.write_bytes(content)

    with pytest.raises(Misconfigured, match="64 hexadecimal digits"):
        master_keys.load_key_file(path)


def test_a_folder_that_cannot_hold_a_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be used"):
        master_keys.load_key_file(tmp_path / "file" / "cache.key")
