"""Reads the entries of a draft's lists of references, each with its label and its place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citewell.model.reference import Reference
from citewell.text.drafts.draft_views import (
    DraftBlockKind,
    DraftView,
    blank_spans,
    select_blocks,
)
from citewell.text.drafts.list_sections import ListSection
from citewell.text.drafts.table_rows import list_table_lines, read_table_rows
from citewell.text.references import prose_references
from citewell.text.references.field_cleaning import MAX_PROSE_REFERENCES, clean_reference_value
from citewell.text.references.markdown_references import render_reference_markdown
from citewell.text.references.reference_identifiers import find_ids_in_addresses
from citewell.text.references.reference_splitting import split_reference_items

_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}|\d{4,}")
_LABEL_PATTERN = re.compile(r"[ \t]{0,8}\\?\[([A-Za-z][\w+.:-]{1,30})\\?\][ \t]{1,8}(?=\S)")
_HEADING_LINE_PATTERN = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_MAX_SEARCHED_WORDS = 4
_MAX_SEARCHED_CHARS = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """An entry of a list; `label` is its number or its key as the list shows it."""

    reference: Reference
    label: str
    start: int
    end: int
    section: int  # which list of the draft it stands in


def read_listed_entries(view: DraftView, sections: tuple[ListSection, ...]) -> list[ListedEntry]:
    """The entries of lists in markdown and plain text, where each has to be told from the next."""
    found: list[ListedEntry] = []
    for place, section in enumerate(sections):
        found += _read_section(view, section, place)
    return found


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
    listed = ("" if at in tabled else _blank_heading_line(line) for at, line in enumerate(lines))
    shown = render_reference_markdown("\n".join(listed))
    items = split_reference_items(shown)[:MAX_PROSE_REFERENCES]
    begins = _locate_items(view.text, [(starts[item.line - 1], item.lines) for item in items])
    ends = [*begins[1:], section.end][: len(begins)]
    found = [
        ListedEntry(
            reference=replace(parse_entry_text(_render_row(row.text)), key=row.number),
            label=row.number,
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
            ListedEntry(
                reference=replace(parsed, key=label),
                label=label,
                start=start,
                end=stop,
                section=place,
            )
        )
    return found


def read_defined_entries(view: DraftView, section: int) -> list[ListedEntry]:
    """Addresses that are defined under a number, as in "[1]: https://example.org"."""
    return [
        ListedEntry(
            reference=Reference(
                raw=address, url=address, ids=find_ids_in_addresses([address]), key=label
            ),
            label=label,
            start=start,
            end=end,
            section=section,
        )
        for label, address, (start, end) in view.definitions
        if label.isdigit()
    ]


def read_work_entries(view: DraftView, section: int) -> list[ListedEntry]:
    """The works that the format describes, as templates of wikitext do."""
    return [
        ListedEntry(reference=work, label="", start=start, end=end, section=section)
        for (start, end), work in view.works
    ]


def parse_entry_text(text: str, *, before: Reference | None = None) -> Reference:
    """A reference written as prose, within the length that is read of one."""
    return prose_references.parse_prose_reference(
        text[: prose_references.MAX_REFERENCE_CHARS], before=before
    )


def _render_row(text: str) -> str:
    return clean_reference_value(render_reference_markdown(text))


def _blank_heading_line(line: str) -> str:
    """Headings inside a list group its entries and are none."""
    return "" if _HEADING_LINE_PATTERN.match(line) else line


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
