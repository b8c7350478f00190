"""Reads the entries of lists whose format tells where each begins: HTML and LaTeX."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citewell.citations.references.formats.latex_documents import BIBITEM_PATTERN, split_bibitem
from citewell.citations.references.reference_fields import (
    MAX_PROSE_REFERENCES,
    clean_reference_value,
)
from citewell.drafts.draft import DraftBlock, DraftBlockKind, DraftView, TargetKind, select_blocks
from citewell.drafts.list_sections import ListSection
from citewell.drafts.listed_references import ListedEntry, parse_entry_text, split_entry_label
from citewell.drafts.statement_parts import clean_statement

_NUMBER_PATTERN = re.compile(r"\s{0,5}(?:[\[(](\d{1,4})[\])][.:]?|(\d{1,4})[.)])\s{0,5}")
_NUMBERED_LINE_PATTERN = re.compile(r"^[ \t]{0,8}(?:\[\d{1,4}\]|\d{1,4}[.)])[ \t]", re.MULTILINE)
_LABEL_ONLY_PATTERN = re.compile(r"\s{0,5}[\[(]?[\w+.:-]{1,30}[\])]?[.:]?\s{0,5}")
_BACK_LINK_CHARS = "↩↑^⇑︎ \ufe0e\ufe0f"
_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")


def read_html_entries(view: DraftView, sections: tuple[ListSection, ...]) -> list[ListedEntry]:
    """The items or paragraphs of lists, with the addresses that their links lead to."""
    found: list[ListedEntry] = []
    starts = [mark.start for mark in view.marks]
    for place, section in enumerate(sections):
        blocks = [
            block
            for block in select_blocks(view, section.start, section.end)
            if block.kind not in {DraftBlockKind.NOTE, DraftBlockKind.HEADING}
        ]
        for start, end, number in _join_entry_blocks(view, blocks):
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            addresses = [
                target.value
                for mark in view.marks[first:last]
                for target in mark.targets
                if target.kind is TargetKind.ADDRESS
            ]
            text = clean_statement(view.spoken[start:end], "html").strip(_BACK_LINK_CHARS)
            entry = _build_listed_entry(text, addresses, number, (start, end), place)
            found += [entry] if entry is not None else []
    return found[:MAX_PROSE_REFERENCES]


def _build_listed_entry(
    text: str, addresses: list[str], number: str, span: tuple[int, int], section: int
) -> ListedEntry | None:
    match = _NUMBER_PATTERN.match(text)
    label = number
    if match is not None:
        label, text = match[1] or match[2], text[match.end() :]
    label, text = split_entry_label(label, clean_reference_value(text))
    added = [address for address in addresses if address not in text]
    whole = " ".join([text, *added])
    if not _WORD_PATTERN.search(whole):
        return None
    parsed = parse_entry_text(whole)
    return ListedEntry(
        reference=replace(parsed, key=label, raw=whole),
        start=span[0],
        end=span[1],
        section=section,
    )


def _join_entry_blocks(
    view: DraftView, blocks: Sequence[DraftBlock]
) -> Iterator[tuple[int, int, str]]:
    """Blocks as entries; one that is only a label, or has the number of the last, is joined."""
    held: tuple[int, int, str] | None = None
    is_label = False
    for block in blocks:
        joins = held is not None and (is_label or bool(block.number and block.number == held[2]))
        if held is not None and joins:
            held = (held[0], block.end, held[2] or block.number)
        else:
            if held is not None:
                yield held
            held = (block.start, block.end, block.number)
        shown = " ".join(view.spoken[held[0] : held[1]].split())
        is_label = _LABEL_ONLY_PATTERN.fullmatch(shown) is not None
    if held is not None:
        yield held


def _read_latex_paragraphs(
    view: DraftView, section: ListSection, place: int
) -> Iterator[ListedEntry]:
    """A list that was typed as paragraphs under a heading."""
    for block in select_blocks(view, section.start, section.end):
        if block.kind not in {DraftBlockKind.HEADING, DraftBlockKind.NOTE}:
            # Entries that follow each other without an empty line are told apart by their numbers.
            found = _NUMBERED_LINE_PATTERN.finditer(view.spoken, block.start, block.end)
            starts = sorted({block.start, *(match.start() for match in found)})
            for start, end in zip(starts, [*starts[1:], block.end], strict=True):
                text = clean_statement(view.spoken[start:end], "latex")
                entry = _build_listed_entry(text, [], "", (start, end), place)
                if entry is not None:
                    yield entry


def read_latex_entries(view: DraftView, sections: tuple[ListSection, ...]) -> list[ListedEntry]:
    r"""The \bibitem entries of each thebibliography environment."""
    found: list[ListedEntry] = []
    for place, section in enumerate(sections):
        raw = view.text[section.start : section.end]
        starts = [match.start() for match in BIBITEM_PATTERN.finditer(raw)]
        if not starts:
            found += _read_latex_paragraphs(view, section, place)
            continue
        for start, end in zip(starts, [*starts[1:], len(raw)], strict=True):
            key, body = split_bibitem(raw[start:end])
            if not body or len(found) >= MAX_PROSE_REFERENCES:
                continue
            before = found[-1].reference if found else None
            parsed = parse_entry_text(body, before=before)
            stop = start + len(raw[start:end].rstrip())
            found.append(
                ListedEntry(
                    reference=replace(parsed, key=key),
                    start=section.start + start,
                    end=section.start + stop,
                    section=place,
                )
            )
    return found
