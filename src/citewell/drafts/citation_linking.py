"""Links the marks of a draft to its references: which are citations, and what each one means."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from citewell.citations.references.reference_fields import clean_reference_value
from citewell.citations.references.reference_splitting import render_reference_markdown
from citewell.drafts.draft import (
    CitationForm,
    CitationMark,
    CitationTarget,
    DraftView,
    NoteEntry,
    TargetKind,
    TextSpan,
)
from citewell.drafts.listed_references import parse_entry_text
from citewell.drafts.reference_table import ReferenceTable, RepeatedEntries, is_same_work
from citewell.text.language.sentences import is_sentence_opener

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

_MAX_CITED_NUMBER = 999  # without a reference for it, a higher one is a year or a quantity
_MIN_SURE_MARKS = 2
_WORK_KINDS = frozenset(TargetKind) - {TargetKind.NOTE}


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
            link
            for link in linked
            if (link.references or link.missing)
            and (has_names or link.references or link.mark.form is not CitationForm.AUTHOR_YEAR)
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
            if found == ():
                is_year = target.kind is TargetKind.NUMBER and int(target.value) > _MAX_CITED_NUMBER
                may_be_missing = has_any and target.kind is not TargetKind.KEY
                if not is_year and (not target.is_optional or may_be_missing):
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
        if target.kind is not TargetKind.NOTE:
            found = self._table.find_target(target, mark.start)
            if found or target.kind is not TargetKind.NUMBER:
                return found
        return self._notes.find_references(target.value, mark.start)

    def _uses_names(self, linked: Sequence[LinkedMark]) -> bool:
        """Whether the draft cites by names: some are found, or it has no list and several marks."""
        named = [link for link in linked if link.mark.form is CitationForm.AUTHOR_YEAR]
        if any(link.references for link in named):
            return True
        sure = sum(bool(link.missing) for link in named)
        return not self._table.listed_count and sure >= _MIN_SURE_MARKS


# What the footnotes and endnotes of a draft cite: works they name, or works of its list.


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
        # Works of the draft's own list that the note names by author and year, number or key.
        listed = self._find_each(marks, {TargetKind.NAMES, TargetKind.KEY, TargetKind.NUMBER})
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

    def _find_each(
        self, marks: Sequence[CitationMark], kinds: Container[TargetKind] = _WORK_KINDS
    ) -> tuple[int, ...]:
        places = (
            place
            for mark in marks
            for target in mark.targets
            if target.kind in kinds
            for place in self._table.find_target(target, mark.start)
        )
        return tuple(dict.fromkeys(places))


def _is_work_text(text: str, marks: Sequence[CitationMark]) -> bool:
    """Whether the text of a note is a whole reference and no remark."""
    dated = _YEAR_PATTERN.search(text) is not None
    words = len(text.split())
    if any(mark.targets[0].kind in {TargetKind.ADDRESS, TargetKind.IDENTIFIER} for mark in marks):
        return words >= _MIN_WORK_WORDS
    author = _AUTHOR_START_PATTERN.match(text)
    has_author = author is not None and not (
        author["first"] and is_sentence_opener(author["first"])
    )
    looks = _QUOTED_PATTERN.search(text) or has_author or _LAW_START_PATTERN.match(text)
    return dated and words >= _MIN_WORK_WORDS and bool(looks)
