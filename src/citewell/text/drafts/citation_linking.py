"""Links the marks of a draft to its references: which are citations, and what each one means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.draft import CitationForm
from citewell.text.drafts.draft_views import (
    CitationMark,
    CitationTarget,
    TargetKind,
    TextSpan,
)
from citewell.text.drafts.note_references import NoteTable
from citewell.text.drafts.reference_table import ReferenceTable

_MAX_CITED_NUMBER = 999  # without a reference for it, a higher one is a year or a quantity
_MIN_SURE_MARKS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedMark:
    """A mark that is a citation, with the places of its references in the table."""

    mark: CitationMark
    references: tuple[int, ...]
    missing: tuple[str, ...]
    # What a reader sees in place of a key that is a word of its sentence: all authors, then one.
    authors: tuple[str, ...] = ()


def choose_marks(marks: Iterable[CitationMark], excluded: Sequence[TextSpan]) -> list[CitationMark]:
    """The marks in order without overlaps, the earlier given first, outside of what is excluded."""
    spans = sorted(excluded)
    starts = [start for start, _ in spans]
    chosen: list[CitationMark] = []
    for mark in marks:
        at = bisect_right(starts, mark.start) - 1
        if at < 0 or mark.start >= spans[at][1]:
            chosen.append(mark)
    ordered = sorted(enumerate(chosen), key=lambda pair: (pair[1].start, pair[0]))
    kept: list[tuple[int, CitationMark]] = []
    for rank, mark in ordered:
        if kept and mark.start < kept[-1][1].end:
            if rank >= kept[-1][0]:
                continue
            kept.pop()
        kept.append((rank, mark))
    return [mark for _, mark in kept]


class CitationLinker:
    def __init__(self, table: ReferenceTable, notes: NoteTable) -> None:
        self._table = table
        self._notes = notes

    def link_marks(self, marks: Sequence[CitationMark]) -> list[LinkedMark]:
        """The citations in order; a doubtful mark without a reference is none."""
        linked = [self._link_mark(mark) for mark in marks]
        has_names = self._uses_names(linked)
        return [
            one
            for one in linked
            if (one.references or one.missing)
            and (has_names or one.references or one.mark.form is not CitationForm.AUTHOR_YEAR)
        ]

    def _link_mark(self, mark: CitationMark) -> LinkedMark:
        references: dict[int, None] = {}
        missing: list[str] = []
        resolved = [(target, self._find_cited_references(target, mark)) for target in mark.targets]
        if any(target.value == "0" and not found for target, found in resolved):
            return LinkedMark(mark=mark, references=(), missing=())  # an interval such as [0, 1]
        has_any = any(found for _, found in resolved)
        for target, found in resolved:
            references.update(dict.fromkeys(found or ()))
            if found == () and self._is_missing_reference(target, has_any=has_any):
                missing.append(target.value)
        return LinkedMark(
            mark=mark,
            references=tuple(references),
            missing=tuple(missing),
            authors=self._table.list_author_forms(next(iter(references)))
            if references and mark.is_textual and mark.shows_authors
            else (),
        )

    def _find_cited_references(
        self, target: CitationTarget, mark: CitationMark
    ) -> tuple[int, ...] | None:
        """The references of a target; None if it is a note that cites nothing."""
        if target.kind is TargetKind.NOTE:
            return self._notes.find_references(target.value, mark.start)
        found = self._table.find_target(target, mark.start)
        if not found and target.kind is TargetKind.NUMBER:
            noted = self._notes.find_references(target.value, mark.start)
            return noted if self._notes.has_note(target.value) else found
        return found

    def _is_missing_reference(self, target: CitationTarget, *, has_any: bool) -> bool:
        if target.kind is TargetKind.NUMBER and int(target.value) > _MAX_CITED_NUMBER:
            return False
        return not target.is_optional or (has_any and target.kind is not TargetKind.KEY)

    def _uses_names(self, linked: Sequence[LinkedMark]) -> bool:
        """Whether the draft cites by names: some are found, or it has no list and several marks."""
        named = [one for one in linked if one.mark.form is CitationForm.AUTHOR_YEAR]
        if any(one.references for one in named):
            return True
        sure = sum(bool(one.missing) for one in named)
        return not self._table.listed_count and sure >= _MIN_SURE_MARKS
