"""The list of erasures that a restore on another machine reads."""

from __future__ import annotations

import json

import pytest

from citewell.people.erasure_store import ErasureRecord, read_erasure_list

RECORD = ErasureRecord(
    number=3, id="e3", owner="tag", keychain="print", begun=5.0, finished=9.0, receipt={}
)


def test_a_printed_list_is_read_back_without_what_is_only_known_here() -> None:
    (read,) = read_erasure_list(json.dumps([RECORD.to_json()]).encode())

    assert (read.id, read.owner, read.keychain, read.begun) == ("e3", "tag", "print", 5.0)
    assert (read.number, read.finished, read.receipt) == (0, 5.0, {})


@pytest.mark.parametrize("text", [b"{}", b"[1]", b'[{"id": "e3"}]', b"no json"])
def test_anything_else_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_erasure_list(text)
