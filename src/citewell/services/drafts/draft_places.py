"""Places of a draft as findings show them, with their end."""

from __future__ import annotations

from citewell.model.draft import Draft, DraftPlace
from citewell.model.draft_findings import FindingPlace


def build_finding_place(draft: Draft, place: DraftPlace) -> FindingPlace:
    held = draft.text[place.start : place.end]
    lines = held.count("\n")
    last = held.rfind("\n")
    return FindingPlace(
        line=place.line,
        column=place.column,
        end_line=place.line + lines,
        end_column=len(held) - last if lines else place.column + len(held),
        start=place.start,
        end=place.end,
        file=place.file or None,
    )
