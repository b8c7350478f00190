"""Reads the entries of a draft's lists of references, and finds them by the names and year of a citation."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.citations.references import prose_references
from citewell.citations.references.reference_fields import (
    MAX_PROSE_REFERENCES,
    Reference,
    clean_reference_value,
    find_ids_in_addresses,
)
from citewell.citations.references.reference_splitting import (
    render_reference_markdown,
    split_reference_items,
)
from citewell.core.lazy_patterns import compile_on_use
from citewell.drafts.draft import DraftBlockKind, DraftView, blank_spans, select_blocks
from citewell.drafts.list_sections import ListSection, list_table_lines, read_table_rows
from citewell.text.language.scripts import HAN_KANA_RANGES

_NAME_WORD_PATTERN = compile_on_use(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*")
_HAN_START_PATTERN = compile_on_use(rf"\s{{0,5}}([{HAN_KANA_RANGES}]{{1,6}})")
_HAN_NAME_PATTERN = compile_on_use(rf"[{HAN_KANA_RANGES}]{{1,40}}")
_YEAR_DIGITS_PATTERN = compile_on_use(r"(?:1[5-9]|20)\d\d")
_UNDATED_PATTERN = compile_on_use(
    r"\bn\.\s?d\.|\bo\.\s?J\.|\bs\.\s?[fd]\.|\bin press\b|\bforthcoming\b|\bim Druck\b|\bsous presse\b|\ben prensa\b",
    re.IGNORECASE,
)
_MAX_HEAD_WORDS = 3  # of an entry, among which the first author's family name must be
_MAX_HEAD_CHARS = 400
_MIN_ACRONYM_LETTERS = 2

_WORD_PATTERN = compile_on_use(r"[^\W\d_]{2,}|\d{4,}")
_LABEL_PATTERN = compile_on_use(r"[ \t]{0,8}\\?\[([A-Za-z][\w+.:-]{1,30})\\?\][ \t]{1,8}(?=\S)")
_HEADING_LINE_PATTERN = compile_on_use(r"[ \t]{0,3}#{1,6}[ \t]")
_MAX_SEARCHED_WORDS = 4
_MAX_SEARCHED_CHARS = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """An entry of a list; `label` is its number or its key as the list shows it, if it has one."""

    reference: Reference  # its key is the label
    start: int
    end: int
    section: int  # which list of the draft it stands in

    @property
    def label(self) -> str:
        return self.reference.key


def read_listed_entries(view: DraftView, sections: tuple[ListSection, ...]) -> list[ListedEntry]:
    """The entries of lists in markdown and plain text, where each has to be told from the next."""
    return [
        entry
        for place, section in enumerate(sections)
        for entry in _read_section(view, section, place)
    ]


def _read_section(view: DraftView, section: ListSection, place: int) -> list[ListedEntry]:
    notes = [
        (view.text.rfind("\n", 0, block.start) + 1, block.end)
        for block in select_blocks(view, section.start, section.end)
        if block.kind is DraftBlockKind.NOTE
    ]
    offset = section.start
    raw = blank_spans(
        view.text[offset : section.end],
        [(max(0, start - offset), end - offset) for start, end in notes],
    )
    lines = raw.split("\n")
    starts = [section.start]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    tabled = list_table_lines(lines)
    # Headings inside a list group its entries and are none.
    listed = (
        "" if at in tabled or _HEADING_LINE_PATTERN.match(line) else line
        for at, line in enumerate(lines)
    )
    shown = render_reference_markdown("\n".join(listed))
    items = split_reference_items(shown)[:MAX_PROSE_REFERENCES]
    begins = _locate_items(view.text, [(starts[item.line - 1], item.lines) for item in items])
    ends = [*begins[1:], section.end][: len(begins)]
    found = [
        ListedEntry(
            reference=replace(
                parse_entry_text(clean_reference_value(render_reference_markdown(row.text))),
                key=row.number,
            ),
            start=starts[row.line],
            end=starts[row.line] + len(lines[row.line].rstrip()),
            section=place,
        )
        for row in read_table_rows(lines)
    ]
    for item, start, end in zip(items, begins, ends, strict=True):
        label, whole = split_entry_label(item.number, clean_reference_value(item.text))
        if not _WORD_PATTERN.search(whole):
            continue
        before = found[-1].reference if found else None
        parsed = parse_entry_text(whole, before=before)
        stop = start + len(raw[start - offset : end - offset].rstrip())
        found.append(
            ListedEntry(reference=replace(parsed, key=label), start=start, end=stop, section=place)
        )
    return found


def read_defined_entries(view: DraftView, section: int) -> list[ListedEntry]:
    """Addresses that are defined under a number, as in "[1]: https://example.org"."""
    return [
        ListedEntry(
            reference=Reference(
                raw=address, url=address, ids=find_ids_in_addresses([address]), key=label
            ),
            start=start,
            end=end,
            section=section,
        )
        for label, address, (start, end) in view.definitions
        if label.isdigit()
    ]


def parse_entry_text(text: str, *, before: Reference | None = None) -> Reference:
    """A reference written as prose, within the length that is read of one."""
    return prose_references.parse_prose_reference(
        text[: prose_references.MAX_REFERENCE_CHARS], before=before
    )


def split_entry_label(number: str, text: str) -> tuple[str, str]:
    """The label and the text after it; keys such as [Knu86] are not taken off by the splitter."""
    match = None if number else _LABEL_PATTERN.match(text)
    return (match[1], text[match.end() :]) if match else (number, text)


def _locate_items(text: str, items: list[tuple[int, list[str]]]) -> list[int]:
    """Where each item begins; several on one line are told apart by their first words."""
    found: list[int] = []
    for start, lines in items:
        begin = start
        if found and start <= found[-1]:
            words = " ".join(lines[:1]).split()[:_MAX_SEARCHED_WORDS]
            last = found[-1] + 1 + _MAX_SEARCHED_CHARS
            at = text.find(" ".join(words), found[-1] + 1, last) if words else -1
            begin = at if at >= 0 else found[-1]
        found.append(begin)
    return found


# Finds the entries of a list by the names and the year that a citation gives.


class NameIndex:
    """The references of a draft by the names of their authors."""

    def __init__(self, references: Sequence[Reference]) -> None:
        self._references = references
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._heads: list[frozenset[str]] = []
        for place, reference in enumerate(references):
            for name in list_first_names(reference):
                self._by_name[name].append(place)
            self._heads.append(_list_head_words(reference))

    def find_references(self, names: Sequence[str], year: str) -> tuple[int, ...]:
        """The places of the references that fit best; several if nothing tells them apart."""
        for first in range(len(names)):
            found = self._find_named_authors(names[first:], year)
            if found:
                return found
        # The references whose entry begins with these words, or with words of these initials.
        places = self._by_name.get(_join_name_words(" ".join(names)), [])
        dated = tuple(place for place in dict.fromkeys(places) if self._has_year(place, year))
        return self._choose_lettered(dated, year)

    def find_by_authors(self, names: Sequence[str]) -> tuple[int, ...]:
        """The references of an author, whatever their year; words of a title may follow the name.

        Only the family name counts: "(Table 3)" does not cite an entry that has the word. Several
        words may also be an organisation or a title that an entry begins with.
        """
        if " " in names[0] and (key := _join_name_words(names[0])) in self._by_name:
            return tuple(dict.fromkeys(self._by_name[key]))
        own = fold_name(names[0]).rpartition(" ")[2]
        places = [
            place
            for place in dict.fromkeys(self._by_name.get(own, ()))
            if (authors := self._references[place].authors)
            and own in fold_name(authors[0].family or authors[0].name).split()
        ]
        ranked = [(self._rate_names(place, names), place) for place in places]
        best = max(ranked, default=((0, 0), 0))[0]
        return tuple(place for rate, place in ranked if rate == best)

    def find_cited(self, names: Sequence[str], year: str) -> tuple[int, ...]:
        """As `find_references`; a name without spaces may begin with other words of the text."""
        if _HAN_NAME_PATTERN.fullmatch(names[0]):
            for start in range(len(names[0])):
                if found := self._find_named_authors([names[0][start:]], year):
                    return found
        return self.find_references(names, year)

    def _find_named_authors(self, names: Sequence[str], year: str) -> tuple[int, ...]:
        key = fold_name(names[0])
        places = self._by_name.get(key, [])
        if not places and " " in key:  # a given name before the family name, or a particle
            places = self._by_name.get(key.rpartition(" ")[2], [])
        dated = [place for place in dict.fromkeys(places) if self._has_year(place, year)]
        if not dated:
            return ()
        ranked = [(self._rate_names(place, names), place) for place in dated]
        best = max(rate for rate, _ in ranked)
        chosen = tuple(place for rate, place in ranked if rate == best)
        return self._choose_lettered(chosen, year)

    def _rate_names(self, place: int, names: Sequence[str]) -> tuple[int, int]:
        """How many of the names the entry has, then how well the number of authors fits."""
        head = self._heads[place]
        common = sum(fold_name(name).rpartition(" ")[2] in head for name in names)
        authors = self._references[place].authors
        return common, -abs(len(authors) - len(names)) if len(names) <= 2 else 0

    def _has_year(self, place: int, year: str) -> bool:
        reference = self._references[place]
        digits = _YEAR_DIGITS_PATTERN.match(year)
        if digits is None:
            if reference.year is None or _UNDATED_PATTERN.search(reference.raw):
                return True
            # A year may occur only as a part of numbers such as 2016/679.
            alone = rf"(?<![\d/]){reference.year}(?![\d/])"
            return str(reference.year) in reference.raw and not re.search(alone, reference.raw)
        if reference.year is not None and str(reference.year) == digits[0]:
            return True
        return digits[0] in reference.raw[:_MAX_HEAD_CHARS] and reference.year is None

    def _choose_lettered(self, places: tuple[int, ...], year: str) -> tuple[int, ...]:
        """Of several works of a year, the one with this letter; without letters, that in order."""
        letter = year[-1:] if year[-1:].isalpha() and year[:1].isdigit() else ""
        if not letter or not places:
            return places
        shown = [place for place in places if year in self._references[place].raw]
        if shown:
            return tuple(shown)
        if any(f"{year[:-1]}a" in self._references[place].raw for place in places):
            return ()
        order = ord(letter) - ord("a")
        return (places[order],) if order < len(places) else ()


def fold_name(name: str) -> str:
    """A name for comparison: without accents and case, as one form of hyphen and apostrophe."""
    plain = name.replace("ß", "ss").replace("’", "'").replace("‐", "-").replace("‑", "-")
    plain = plain.replace("ø", "o").replace("Ø", "O").replace("ł", "l").replace("Ł", "L")
    decomposed = unicodedata.normalize("NFKD", plain)
    return " ".join(
        "".join(char for char in decomposed if not unicodedata.combining(char)).casefold().split()
    )


def list_first_names(reference: Reference) -> set[str]:
    """The forms under which the first author may be cited."""
    found: set[str] = set()
    if reference.authors:
        first = reference.authors[0]
        family = fold_name(first.family or first.name)
        found |= {family, family.rpartition(" ")[2]}
        if first.organisation or not first.family:
            found |= _list_organisation_keys(first.name)
    head = reference.raw[:_MAX_HEAD_CHARS]
    if han := _HAN_START_PATTERN.match(head):
        found |= {han[1][:length] for length in range(1, len(han[1]) + 1)}
    words = [fold_name(match[0]) for match in _NAME_WORD_PATTERN.finditer(head[:200])]
    found |= {word for word in words[:_MAX_HEAD_WORDS] if len(word) > 1}
    dated = _YEAR_DIGITS_PATTERN.search(head)
    found |= _list_organisation_keys(head[: dated.start() if dated else 100])
    return {name for name in found if name}


def _join_name_words(name: str) -> str:
    """The key of an organisation, as `_list_organisation_keys` makes it."""
    return "=" + "".join(fold_name(match[0]) for match in _NAME_WORD_PATTERN.finditer(name))


def _list_organisation_keys(name: str) -> set[str]:
    words = [fold_name(match[0]) for match in _NAME_WORD_PATTERN.finditer(name[:200])]
    # "U.S. Small Business Administration" is cited with and without its first letters.
    initials = next((place for place, word in enumerate(words) if len(word) > 1), 0)
    keys = {
        "=" + "".join(words[first:length])
        for first in {0, initials}
        for length in range(first + 1, min(len(words), 10) + 1)
    }
    capitals = [
        match[0][0].casefold()
        for match in _NAME_WORD_PATTERN.finditer(name[:200])
        if match[0][:1].isupper()
    ]
    if len(capitals) >= _MIN_ACRONYM_LETTERS:
        keys.add("".join(capitals[:8]))
    return keys


def _list_head_words(reference: Reference) -> frozenset[str]:
    words = {
        fold_name(match[0])
        for match in _NAME_WORD_PATTERN.finditer(reference.raw[:_MAX_HEAD_CHARS])
    }
    words |= {
        part
        for author in reference.authors[:20]
        for part in fold_name(author.family or author.name).split()
    }
    return frozenset(words)
