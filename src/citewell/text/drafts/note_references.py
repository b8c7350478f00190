"""What the footnotes and endnotes of a draft cite: works they name, or works of its list."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from citewell.text.drafts.draft_views import CitationMark, DraftView, NoteEntry, TargetKind
from citewell.text.drafts.listed_references import parse_entry_text
from citewell.text.drafts.reference_table import ReferenceTable
from citewell.text.drafts.repeated_entries import RepeatedEntries, is_same_work
from citewell.text.language.abbreviations import is_sentence_opener
from citewell.text.references.field_cleaning import clean_reference_value
from citewell.text.references.markdown_references import render_reference_markdown

_YEAR_PATTERN = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_QUOTED_PATTERN = re.compile(r"[“\"„«‘][^“”\"„«»]{8,300}[”\"“»’]")
_AUTHOR_START_PATTERN = re.compile(
    r"\s{0,5}(?:(?:[Ss]ee(?: also)?|[Cc]f\.|[Vv]gl\.|[Ss]iehe|[Vv]oir|[Vv]éase),?\s)?"
    r"(?:(?:[^\W\d_a-z]\.[\s-]?){1,4}[^\W\d_a-z][\w'’-]{1,30}|(?P<first>[^\W\d_a-z][\w'’-]{1,30})(?:\s[^\W\d_][\w'’.-]{0,30}){0,4}(?:,|\s&\s))"
)
_LAW_START_PATTERN = re.compile(
    r"\s{0,5}(?:loi|décret|arrêté|gesetz|verordnung|richtlinie|art\.|§|ley|real decreto|directive|regulation|public law|act of)\b",
    re.IGNORECASE,
)
_MAX_SHORT_CHARS = 120
_MIN_WORK_WORDS = 5


class NoteTable:
    """The references of each note, by its label; notes of several chapters may share labels."""

    def __init__(
        self, view: DraftView, table: ReferenceTable, marks: Sequence[CitationMark]
    ) -> None:
        self._view = view
        self._table = table
        self._notes: dict[str, list[tuple[int, tuple[int, ...] | None]]] = defaultdict(list)
        self.remarks: list[NoteEntry] = []  # notes that cite nothing
        starts = [mark.start for mark in marks]
        before: tuple[int, ...] = ()
        self._repeats = RepeatedEntries()
        for entry in sorted(view.note_entries, key=lambda entry: entry.start):
            first = bisect_right(starts, entry.start - 1)
            last = bisect_right(starts, entry.end)
            found = self._read_note(entry, marks[first:last], before)
            if found is None:
                self.remarks.append(entry)
            else:
                before = found
                for place in found:
                    self._repeats.add_entry(table.references[place].reference, place)
            self._notes[entry.label.casefold()].append((entry.start, found))

    def has_note(self, label: str) -> bool:
        return label.casefold() in self._notes

    def find_references(self, label: str, offset: int) -> tuple[int, ...] | None:
        """What the note cites; None if it is a remark, empty if there is no such note."""
        notes = self._notes.get(label.casefold(), [])
        if not notes:
            return ()
        return next((found for start, found in notes if start > offset), notes[-1][1])

    def _read_note(
        self, entry: NoteEntry, marks: Sequence[CitationMark], before: tuple[int, ...]
    ) -> tuple[int, ...] | None:
        shown = render_reference_markdown(self._view.text[entry.start : entry.end])
        text = clean_reference_value(" ".join(shown.split()))
        if is_same_work(text) and before:
            return before
        listed = self._find_listed(marks)
        addresses = [mark for mark in marks if mark.targets[0].kind is TargetKind.ADDRESS]
        if listed:
            return tuple(dict.fromkeys((*listed, *self._find_each(addresses))))
        if len(addresses) > 1 and not _YEAR_PATTERN.search(text):
            return self._find_each(addresses)
        if _is_work_text(text, marks):
            return (
                self._table.add_reference(parse_entry_text(text), span=(entry.start, entry.end)),
            )
        if marks and (found := self._find_each(marks)):
            return found
        short = self._repeats.find_by_author(text) if len(text) <= _MAX_SHORT_CHARS else None
        return None if short is None else (short,)

    def _find_listed(self, marks: Sequence[CitationMark]) -> tuple[int, ...]:
        """Works of the draft's own list that the note names by author and year, number or key."""
        kinds = {TargetKind.NAMES, TargetKind.KEY, TargetKind.NUMBER}
        found: dict[int, None] = {}
        for mark in marks:
            for target in mark.targets:
                if target.kind in kinds:
                    found.update(dict.fromkeys(self._table.find_target(target, mark.start)))
        return tuple(found)

    def _find_each(self, marks: Sequence[CitationMark]) -> tuple[int, ...]:
        found: dict[int, None] = {}
        for mark in marks:
            for target in mark.targets:
                if target.kind is not TargetKind.NOTE:
                    found.update(dict.fromkeys(self._table.find_target(target, mark.start)))
        return tuple(found)


def _is_work_text(text: str, marks: Sequence[CitationMark]) -> bool:
    """Whether the text of a note is a whole reference and no remark."""
    dated = _YEAR_PATTERN.search(text) is not None
    words = len(text.split())
    if any(mark.targets[0].kind in {TargetKind.ADDRESS, TargetKind.IDENTIFIER} for mark in marks):
        return words >= _MIN_WORK_WORDS
    looks = (
        _QUOTED_PATTERN.search(text) or _begins_with_author(text) or _LAW_START_PATTERN.match(text)
    )
    return dated and words >= _MIN_WORK_WORDS and bool(looks)


def _begins_with_author(text: str) -> bool:
    match = _AUTHOR_START_PATTERN.match(text)
    return match is not None and not (match["first"] and is_sentence_opener(match["first"]))
