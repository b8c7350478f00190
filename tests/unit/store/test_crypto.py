"""Sealed bodies open in their place with their key, and nowhere else."""

from __future__ import annotations

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from citewell.errors import Misconfigured
from citewell.store import keyfile
from citewell.store.crypto import Keyring, Place, parse_key
from citewell.store.failures import StoreError, Unreadable

HERE = Place(owner="someone", table="entry", row="r1")
FIRST, SECOND = b"\x01" * 32, b"\x02" * 32


def test_what_is_sealed_opens_again():
    ring = Keyring([FIRST])

    assert ring.open(HERE, ring.seal(HERE, b"plain")) == b"plain"


def test_the_same_text_is_never_sealed_alike():
    ring = Keyring([FIRST])

    assert ring.seal(HERE, b"plain") != ring.seal(HERE, b"plain")


@pytest.mark.parametrize(
    "there",
    [
        Place(owner="other", table="entry", row="r1"),
        Place(owner="someone", table="lease", row="r1"),
        Place(owner="someone", table="entry", row="r2"),
        Place(owner="someonee", table="ntry", row="r1"),
    ],
)
def test_it_opens_in_no_other_place(there):
    ring = Keyring([FIRST])

    with pytest.raises(Unreadable):
        ring.open(there, ring.seal(HERE, b"plain"))


def test_every_flipped_bit_is_noticed():
    ring = Keyring([FIRST])
    sealed = ring.seal(HERE, b"plain")

    for bit in range(len(sealed) * 8):
        altered = bytearray(sealed)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Unreadable):
            ring.open(HERE, bytes(altered))


@pytest.mark.parametrize("length", [0, 1, 5, 17, 20, 32])
def test_a_cut_envelope_is_unreadable(length):
    ring = Keyring([FIRST])

    with pytest.raises(Unreadable):
        ring.open(HERE, ring.seal(HERE, b"plain")[:length])


def test_the_previous_key_still_opens_but_does_not_seal():
    old, both, new = Keyring([FIRST]), Keyring([SECOND, FIRST]), Keyring([SECOND])

    assert both.open(HERE, old.seal(HERE, b"plain")) == b"plain"
    assert new.open(HERE, both.seal(HERE, b"plain")) == b"plain"
    with pytest.raises(Unreadable):
        new.open(HERE, old.seal(HERE, b"plain"))


def test_names_depend_on_the_key_and_on_where_parts_end():
    first, second = Keyring([FIRST]), Keyring([SECOND])

    names = {
        first.names("ab", "c"),
        first.names("a", "bc"),
        first.names("abc"),
        second.names("ab", "c"),
    }

    assert len(names) == 4
    assert first.names("ab", "c") == Keyring([FIRST]).names("ab", "c")


@pytest.mark.parametrize("text", ["", "12", "g" * 64, "a" * 63, "a" * 65, "ａ" * 64])
def test_a_bad_key_names_its_setting_and_not_itself(text):
    with pytest.raises(Misconfigured) as caught:
        parse_key(text, setting="CACHE_ENCRYPTION_KEY")

    assert "CACHE_ENCRYPTION_KEY" in caught.value.message
    assert len(text) < 3 or text not in caught.value.message


def test_the_key_file_is_made_once_for_its_owner_only(tmp_path):
    path = tmp_path / "new" / "cache.key"

    made = keyfile.read_or_create(path)

    assert keyfile.read_or_create(path) == made
    assert len(made) == 32
    assert [file.name for file in path.parent.iterdir()] == ["cache.key"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_all_who_start_at_once_get_the_same_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(keyfile.read_or_create, [tmp_path / "cache.key"] * 32))

    assert len(keys) == 1


@pytest.mark.skipif(os.name == "nt", reason="modes mean nothing there")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_file_others_can_read_is_refused(tmp_path, mode):
    path = tmp_path / "cache.key"
    keyfile.read_or_create(path)
    path.chmod(mode)

    with pytest.raises(Misconfigured, match="chmod 600"):
        keyfile.read_or_create(path)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64])
def test_a_key_file_without_a_key_is_refused(tmp_path, content):
    path = tmp_path / "cache.key"
    path.touch(mode=0o600)
    path.write_bytes(content)

    with pytest.raises(Misconfigured, match="64 hexadecimal digits"):
        keyfile.read_or_create(path)


def test_a_folder_that_cannot_hold_a_key_is_named(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be used"):
        keyfile.read_or_create(tmp_path / "file" / "cache.key")
