"""Tables of owners' rows: what is encrypted, under which name, and what a damaged row does."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace

import pytest

from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import DecryptionFailed
from citewell.store.owner_table import OwnedTable, RecordTable


@dataclass(frozen=True, kw_only=True)
class Note:
    id: str
    text: str
    tags: tuple[str, ...] = ()
    is_open: bool = False


NOTES = RecordTable(
    name="note",
    record=Note,
    columns=("id", "is_open", "topic"),
    encrypted=("text", "tags"),
    row_name="{id}/{is_open}",
    converters={"is_open": bool},
    left_out="A note",
)
CHAIN = OwnerKeychain("acme/ann", "tag", {0: b"n" * 32, 1: b"k" * 32}, randomness=bytes)


def stored_row(note: Note) -> tuple[object, ...]:
    params = NOTES.build_insert(CHAIN, note, topic="hash").params
    return tuple(params[name] for name in ("id", "is_open", "topic", "owner", "body"))


def test_a_record_is_read_as_it_was_written_and_its_body_is_a_json_list() -> None:
    note = Note(id="n1", text="secret", tags=("a", "b"), is_open=True)

    row = stored_row(note)

    assert list(NOTES.decrypt_rows(CHAIN, [row])) == [note]
    assert row[:4] == ("n1", 1, "hash", "tag")
    plain = CHAIN.decrypt_row("note", "n1/1", row[4])  # type: ignore[arg-type]
    assert json.loads(plain) == ["secret", ["a", "b"]]


def test_a_row_whose_column_was_changed_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed, other = Note(id="n1", text="closed"), Note(id="n2", text="other")
    altered = ("n1", 1, *stored_row(closed)[2:])

    with caplog.at_level(logging.WARNING):
        found = list(NOTES.decrypt_rows(CHAIN, [altered, stored_row(other)]))

    assert found == [other]
    assert "A note is left out." in caplog.text


def test_a_damaged_row_is_an_error_where_none_may_be_left_out() -> None:
    strict = replace(NOTES, left_out="")
    altered = ("n2", *stored_row(Note(id="n1", text="closed"))[1:])

    with pytest.raises(DecryptionFailed):
        list(strict.decrypt_rows(CHAIN, [altered]))


def test_rows_of_a_child_table_are_counted_by_the_owner_of_their_parent() -> None:
    child = OwnedTable(name="line", counted_as="lines", parent="note", parent_key="name")

    query = child.build_owner_count("tag")

    assert query.sql == (
        "SELECT COUNT(*) FROM line WHERE note IN (SELECT name FROM note WHERE owner = :owner)"
    )
    assert not child.is_erased  # its rows go with those of the parent
