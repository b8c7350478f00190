"""Citations by footnotes: [^1] with its note elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.draft import CitationForm
from citewell.text.drafts.draft_views import CitationMark, CitationTarget, DraftView, TargetKind

_NOTE_MARK_PATTERN = re.compile(r"\[\^([^\[\]\s]{1,60})\](?!:)")


def find_note_marks(view: DraftView) -> Iterator[CitationMark]:
    for match in _NOTE_MARK_PATTERN.finditer(view.text):
        yield build_note_mark(match.start(), match.end(), match[1])


def build_note_mark(start: int, end: int, label: str) -> CitationMark:
    return CitationMark(
        start=start,
        end=end,
        form=CitationForm.NOTE,
        targets=(CitationTarget(kind=TargetKind.NOTE, value=label),),
        hidden=((start, end),),
    )
