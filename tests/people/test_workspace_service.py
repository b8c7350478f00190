"""What of a note is kept, and how a long list of notes is cut into pages."""

from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.people.memory_store import MemoryRecord
from citewell.people.workspace_service import (
    MAX_PAGE_CHARS,
    NoteFields,
    cut_page,
    find_next_offset,
)


def test_only_what_can_be_seen_of_a_note_is_kept() -> None:
    note = NoteFields(note=" seen\u200b ", url=" https://example.org/a ", tags=("x", "x", "\u200b"))

    checked = note.check_fields()

    assert (checked.note, checked.url, checked.tags) == ("seen", "https://example.org/a", ("x",))


@pytest.mark.parametrize(
    "fields",
    [
        {"note": "\u200b"},
        {"note": "a", "url": "javascript:alert(1)"},
        {"note": "a", "url": "https://example.org/a b"},
        {"note": "a", "tags": ("t" * 101,)},
    ],
)
def test_what_cannot_be_kept_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        NoteFields(**fields).check_fields()  # type: ignore[arg-type]  # as a caller may send them


def test_a_page_has_at_least_one_note_and_no_more_than_fit() -> None:
    half = MemoryRecord(id="a", tenant="t", user="u", note="n" * (MAX_PAGE_CHARS // 2))
    whole = MemoryRecord(id="b", tenant="t", user="u", note="n" * (MAX_PAGE_CHARS + 1))

    assert cut_page([half, half, half]) == [half, half]
    assert cut_page([whole, half]) == [whole]


def test_after_the_last_page_there_is_no_next() -> None:
    assert find_next_offset(0, 2, 3) == 2
    assert find_next_offset(2, 1, 3) is None
