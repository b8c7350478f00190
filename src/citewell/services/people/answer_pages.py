"""Cuts long lists of notes into pages that fit an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

MAX_PAGE_CHARS = 40_000  # of the notes on one page; a page has at least one note


class NotedRecord(Protocol):
    @property
    def note(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=NotedRecord)


def cut_page(records: Sequence[R]) -> Sequence[R]:
    """The first records whose notes fit on one page, at least one."""
    used = 0
    for place, record in enumerate(records):
        used += len(record.note)
        if place and used > MAX_PAGE_CHARS:
            return records[:place]
    return records


def find_next_offset(offset: int, shown: int, total: int) -> int | None:
    """Where the next page begins; None after the last one."""
    return offset + shown if shown and offset + shown < total else None
