"""The references of a draft, by everything a citation may point to them with."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from citewell.model.draft import DraftReference
from citewell.model.paper import WorkAuthor
from citewell.model.reference import Reference
from citewell.text.drafts.draft_places import PlaceIndex
from citewell.text.drafts.draft_views import ANY_YEAR, CitationTarget, TargetKind
from citewell.text.drafts.list_sections import ListSection
from citewell.text.drafts.listed_references import ListedEntry
from citewell.text.drafts.name_index import HAN_NAME_PATTERN, NameIndex, fold_name
from citewell.text.drafts.repeated_entries import RepeatedEntries
from citewell.text.references.reference_identifiers import find_ids_in_addresses, find_ids_in_text
from citewell.text.web.addresses import build_page_key


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
        self.bibliography_count = len(bibliography)
        self._names = NameIndex([one.reference for one in self.references])
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
        names = [one.family or one.name for one in self.references[place].reference.authors]
        if not names:
            return ()
        joined = " and ".join(names[:2]) if len(names) <= 2 else f"{names[0]} and others"
        return tuple(dict.fromkeys((joined, names[0], names[0].split()[0])))

    def list_bibliography(self) -> Sequence[DraftReference]:
        """The references that the bibliography beside the draft holds, cited or not."""
        return self.references[self.listed_count - self.bibliography_count : self.listed_count]

    def find_target(self, target: CitationTarget, offset: int) -> tuple[int, ...]:
        """The references that a target at this offset of the text means; empty if there are none."""
        match target.kind:
            case TargetKind.NUMBER:
                return self._find_listed_number(target.value, offset)
            case TargetKind.KEY:
                found = self._by_key.get(target.value.casefold())
                return () if found is None else (found,)
            case TargetKind.NAMES:
                return self._find_names(target)
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

    def _find_names(self, target: CitationTarget) -> tuple[int, ...]:
        if target.year == ANY_YEAR:
            return self._names.find_by_authors(target.names)
        if HAN_NAME_PATTERN.fullmatch(target.names[0]):
            found = self._names.find_by_han_name(target.names[0], target.year)
            if found:
                return found
        return self._names.find_references(target.names, target.year)

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
                WorkAuthor(name=one, family=one, organisation=one.isupper()) for one in target.names
            ),
            year=int(target.year[:4]) if target.names else None,
            and_others=target.has_others,
        )
        known = [self._by_id.get(str(found)) for found in ids]
        known.append(self._by_address.get(build_page_key(url)) if url else None)
        place = next((one for one in known if one is not None), None)
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
