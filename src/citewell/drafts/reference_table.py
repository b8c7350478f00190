"""The references of a draft, by everything a citation may point to them with."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from citewell.citations.references.reference_fields import (
    Reference,
    find_ids_in_addresses,
    find_ids_in_text,
)
from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.paper import WorkAuthor
from citewell.drafts.draft import ANY_YEAR, CitationTarget, DraftPlace, DraftReference, TargetKind
from citewell.drafts.list_sections import ListSection
from citewell.drafts.listed_references import (
    ListedEntry,
    NameIndex,
    fold_name,
    list_first_names,
)
from citewell.text.addresses import build_page_key

_SAME_PATTERN = compile_on_use(
    r"\s{0,5}(?:see |vgl\. |voir )?(?:ibid(?:em)?|ibíd(?:em)?|ebd(?:a)?|ebenda|id(?:em)?|a\.\s?a\.\s?O|loc\.\s?cit)\b",
    re.IGNORECASE,
)
_YEAR_PATTERN = compile_on_use(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_PAGE_PATTERN = compile_on_use(
    r"(?:op\.\s?cit\.|art\.\s?cit\.)|\d{1,4}(?:[-–]\d{1,4})?\.?\s{0,3}\Z"
)
_MAX_SHORT_CHARS = 120


class ReferenceTable:
    """Holds listed references first, then those that citations themselves name."""

    def __init__(
        self,
        *,
        entries: Sequence[ListedEntry],
        sections: Sequence[ListSection],
        bibliography: Sequence[Reference],
        places: PlaceIndex,
    ) -> None:
        self.references: list[DraftReference] = []
        self._places = places
        self._sections = sections
        self._by_label: dict[str, list[tuple[int, int]]] = defaultdict(list)  # section, reference
        self._by_key: dict[str, int] = {}
        self._by_address: dict[str, int] = {}
        self._by_id: dict[str, int] = {}
        self._by_work: dict[str, int] = {}
        self._entry_places: list[int] = []
        self._entry_starts = [entry.start for entry in entries]
        self._entry_ends = [entry.end for entry in entries]
        repeats = RepeatedEntries()
        for entry in entries:
            self._add_listed_entry(entry, repeats)
        self._number_unlabelled(entries)
        for reference in bibliography:
            place = self.add_reference(reference)
            if reference.key:
                self._by_key.setdefault(reference.key.casefold(), place)
        self.listed_count = len(self.references)
        # The references that the bibliography beside the draft holds, cited or not.
        self.bibliography = self.references[self.listed_count - len(bibliography) :]
        self._names = NameIndex([cited.reference for cited in self.references])
        self._restarts = any(
            len({section for section, _ in found}) > 1 for found in self._by_label.values()
        )

    @property
    def has_numbers(self) -> bool:
        return any(label.isdigit() for label in self._by_label)

    @property
    def has_labels(self) -> bool:
        """Whether entries have labels such as [Knu98]."""
        return any(not label.isdigit() for label in self._by_label)

    def add_reference(
        self, reference: Reference, *, span: tuple[int, int] | None = None, is_listed: bool = True
    ) -> int:
        """The place of a new reference; the first that has an address or identifier is found by it."""
        place = len(self.references)
        self.references.append(
            DraftReference(
                id=f"r{place + 1}",
                reference=reference,
                place=self._places.build_place(*span) if span else None,
                is_listed=is_listed,
            )
        )
        if reference.url:
            self._by_address.setdefault(build_page_key(reference.url), place)
        for found in reference.ids:
            self._by_id.setdefault(str(found), place)
        return place

    def _add_listed_entry(self, entry: ListedEntry, repeats: RepeatedEntries) -> None:
        place = repeats.find_repeated(entry.reference)
        if place is None:
            place = self.add_reference(entry.reference, span=(entry.start, entry.end))
        repeats.add_entry(entry.reference, place)
        self._entry_places.append(place)
        if entry.label:
            self._by_label[entry.label.casefold()].append((entry.section, place))
            self._by_key.setdefault(entry.label.casefold(), place)

    def _number_unlabelled(self, entries: Sequence[ListedEntry]) -> None:
        """A list that shows no numbers is numbered by its order, as it was before it was copied."""
        labelled = {entry.section for entry in entries if entry.label}
        counts: dict[int, int] = defaultdict(int)
        for place, entry in zip(self._entry_places, entries, strict=True):
            if entry.section not in labelled:
                counts[entry.section] += 1
                self._by_label[str(counts[entry.section])].append((entry.section, place))

    def list_author_forms(self, place: int) -> tuple[str, ...]:
        """The authors of a reference as a sentence names them, the longest form first."""
        names = [
            author.family or author.name for author in self.references[place].reference.authors
        ]
        if not names:
            return ()
        joined = " and ".join(names[:2]) if len(names) <= 2 else f"{names[0]} and others"
        return tuple(dict.fromkeys((joined, names[0], names[0].split()[0])))

    def find_target(self, target: CitationTarget, offset: int) -> tuple[int, ...]:
        """The references that a target at this offset of the text means; empty if there are none."""
        match target.kind:
            case TargetKind.NUMBER:
                return self._find_listed_number(target.value, offset)
            case TargetKind.KEY:
                found = self._by_key.get(target.value.casefold())
                return () if found is None else (found,)
            case TargetKind.NAMES if target.year == ANY_YEAR:
                return self._names.find_by_authors(target.names)
            case TargetKind.NAMES:
                return self._names.find_cited(target.names, target.year)
            case TargetKind.ENTRY:
                return self._find_listed_entry(int(target.value))
            case TargetKind.WORK:
                return (self._find_listed_work(target),)
            case TargetKind.LEGAL:
                return (self._find_legal(target),)
            case _:
                return (self._find_listed_address(target),)

    def _find_listed_number(self, number: str, offset: int) -> tuple[int, ...]:
        """If numbers start again in each list, the list of the chapter is the next in the text."""
        found = self._by_label.get(number.casefold(), [])
        if not self._restarts:
            return (found[0][1],) if found else ()
        own = bisect_right([section.end for section in self._sections], offset)
        own = min(own, len(self._sections) - 1)
        return next(((place,) for section, place in found if section == own), ())

    def _find_listed_entry(self, offset: int) -> tuple[int, ...]:
        place = bisect_right(self._entry_starts, offset) - 1
        if place >= 0 and offset <= self._entry_ends[place]:
            return (self._entry_places[place],)
        place = bisect_left(self._entry_starts, offset)
        return (self._entry_places[place],) if place < len(self._entry_starts) else ()

    def _find_listed_address(self, target: CitationTarget) -> int:
        """The reference with this address or identifier; a new one if there is none."""
        is_address = target.kind is TargetKind.ADDRESS
        url = target.value if is_address else ""
        if url.lower().startswith("www."):
            url = f"https://{url}"
        ids = find_ids_in_addresses([url]) if is_address else find_ids_in_text(target.value)
        own = Reference(
            raw=target.value,
            url=url,
            ids=ids,
            authors=tuple(
                WorkAuthor(name=name, family=name, organisation=name.isupper())
                for name in target.names
            ),
            year=int(target.year[:4]) if target.names else None,
            and_others=target.has_others,
        )
        known = [self._by_id.get(str(found)) for found in ids]
        known.append(self._by_address.get(build_page_key(url)) if url else None)
        place = next((candidate for candidate in known if candidate is not None), None)
        return self._name_reference(place, own) if place is not None else self._add_named(own)

    def _name_reference(self, place: int, own: Reference) -> int:
        """The place of a known reference; another one if a citation names other authors for it."""
        held = self.references[place]
        if held.is_listed or not own.authors or held.reference.authors == own.authors:
            return place
        if held.reference.authors:
            return self._add_named(own)
        self.references[place] = replace(held, reference=own)
        return place

    def _add_named(self, own: Reference) -> int:
        key = f"{own.raw} {own.authors} {own.year}"
        if key not in self._by_work:
            self._by_work[key] = self.add_reference(own, is_listed=False)
        return self._by_work[key]

    def _find_listed_work(self, target: CitationTarget) -> int:
        """The listed reference of a work that a field holds, else the work itself."""
        work = target.work or Reference(raw=target.value)
        for found in work.ids:
            if (place := self._by_id.get(str(found))) is not None:
                return place
        if (place := self._find_printed(work)) is not None:
            return place
        key = " ".join(f"{work.title or work.raw} {work.year}".casefold().split())
        if key not in self._by_work:
            self._by_work[key] = self.add_reference(replace(work, line=None), span=target.place)
        return self._by_work[key]

    def _find_printed(self, work: Reference) -> int | None:
        """The entry of the list that a work is printed as; it takes over the work's identifiers."""
        if work.url and (place := self._by_address.get(build_page_key(work.url))) is not None:
            return place
        if not work.authors or not work.title:
            return None
        first = work.authors[0]
        title = fold_name(work.title)
        for place in self._names.find_references(
            [first.family or first.name], str(work.year or "")
        ):
            listed = self.references[place]
            if title in fold_name(listed.reference.raw):
                if not listed.reference.ids:
                    merged = replace(listed.reference, ids=work.ids)
                    self.references[place] = replace(listed, reference=merged)
                return place
        return None

    def _find_legal(self, target: CitationTarget) -> int:
        key = " ".join(target.value.casefold().split())
        if key not in self._by_work:
            made = target.work or Reference(raw=target.value)
            self._by_work[key] = self.add_reference(made, is_listed=False)
        return self._by_work[key]


# Entries of a list of notes that only repeat an earlier one: "Ibid., 80", "Kurlansky, Salt, 231".


def is_same_work(text: str) -> bool:
    """Whether a note only says that it means the work of the note before it."""
    return _SAME_PATTERN.match(text) is not None


class RepeatedEntries:
    """Knows the entries so far, and finds the one that a shorter one means."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._by_name: dict[str, int] = {}

    def add_entry(self, reference: Reference, place: int) -> None:
        self._last = place
        for name in list_first_names(reference):
            self._by_name.setdefault(name, place)

    def find_repeated(self, reference: Reference) -> int | None:
        """The place of the earlier work; None if the entry stands for itself."""
        text = reference.raw
        if is_same_work(text):
            return self._last
        if (
            len(text) > _MAX_SHORT_CHARS
            or reference.ids
            or reference.url
            or _YEAR_PATTERN.search(text)
            or not _PAGE_PATTERN.search(text)
        ):
            return None
        return self.find_by_author(text)

    def find_by_author(self, text: str) -> int | None:
        """The work whose first author a short note begins with."""
        name = text.partition(",")[0].strip(" .:;")
        found = self._by_name.get(fold_name(name.rpartition(" ")[2]))
        return found if found is not None else self._by_name.get(fold_name(name.partition(" ")[0]))


# Places in a draft: offsets as lines and columns, in the file that they came from.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSegment:
    """A part of the draft's text that came from one file, from `start` on to the next segment."""

    start: int
    file: str
    first_line: int  # the line of the file in which the segment begins, from 1
    first_column: int


class PlaceIndex:
    """Makes places of offsets; with `counts_paragraphs` only lines that are not blank are counted."""

    def __init__(
        self,
        text: str,
        *,
        segments: Sequence[TextSegment] = (),
        counts_paragraphs: bool = False,
    ) -> None:
        lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)][: len(lines)]
        self._numbers: Sequence[int] = range(1, len(lines) + 1)
        if counts_paragraphs:
            self._numbers = [
                # A line of marks only, such as that below the head of a table, is none of the document.
                max(1, count)
                for count in accumulate(bool(line.strip("|:-` \t")) for line in lines)
            ]
        self._segments = segments
        self._segment_starts = [segment.start for segment in segments]

    def build_place(self, start: int, end: int) -> DraftPlace:
        row = bisect_right(self._starts, start) - 1
        line, column, file = self._numbers[row], start - self._starts[row] + 1, ""
        at = bisect_right(self._segment_starts, start) - 1
        if at >= 0:
            segment = self._segments[at]
            first = bisect_right(self._starts, segment.start) - 1
            file, line = segment.file, segment.first_line + row - first
            if row == first:
                column = segment.first_column + start - segment.start
        return DraftPlace(start=start, end=end, line=line, column=column, file=file)
