"""Splits the text of a draft where findings begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.model.draft_findings import DraftFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPiece:
    """A piece of text and the worst finding that it belongs to, if any."""

    text: str
    finding: DraftFinding | None = None


def split_marked_text(
    text: str, findings: Sequence[DraftFinding], start: int, end: int
) -> Iterator[MarkedPiece]:
    """The pieces of `text[start:end]`; of several findings at one place the first in `findings` counts."""
    spans = [
        (max(one.place.start, start), min(one.place.end, end), one)
        for one in findings
        if one.place is not None and one.place.start < end and one.place.end > start
    ]
    edges = sorted({start, end, *(edge for first, last, _ in spans for edge in (first, last))})
    held: DraftFinding | None = None
    since = start
    for left in edges[:-1]:
        found = next((one for first, last, one in spans if first <= left < last), None)
        if found is not held:
            if left > since:
                yield MarkedPiece(text=text[since:left], finding=held)
            held, since = found, left
    if end > since:
        yield MarkedPiece(text=text[since:end], finding=held)
