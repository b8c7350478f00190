"""The entries of a BibTeX document, macros resolved; damage in one entry spares the others.

An entry that is not closed ends where the next line begins one, so that a document of any size is
read in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from citewell.model.reference import Malformed
from citewell.text.references.block import START, Block, Cursor, Damaged, Part
from citewell.text.references.lines import Lines
from citewell.text.references.tidy import MOST, UNREAD, excerpt

_TYPES = (
    "article|book|booklet|inbook|incollection|inproceedings|conference|manual|mastersthesis|misc|phdthesis"
    "|proceedings|techreport|unpublished|online|electronic|thesis|report|dataset|software|collection|string"
)
# An entry begins a line; behind a closing brace only a known type does.
_BOUND = re.compile(
    rf"^[ \t]{{0,40}}@[ \t]{{0,4}}[A-Za-z][\w-]{{0,40}}\s{{0,5}}[{{(]"
    rf"|(?<=\}})[ \t]{{0,4}}@(?:{_TYPES})[ \t]{{0,4}}[{{(]",
    re.MULTILINE | re.IGNORECASE,
)
_LIKE_AN_ENTRY = re.compile(r"^[ \t]{0,40}[A-Za-z]{3,20}[ \t]{0,4}\{[^\s,{}]{1,100},", re.MULTILINE)
_FIELD_WITHIN = re.compile(r"[,\n]\s{0,20}[a-z]{2,20}\s{0,10}=\s{0,10}[\"{\w]", re.IGNORECASE)
_ESCAPED = re.compile(r"\\[{}]")
_BUDGET = 5_000_000  # characters that macros may add to one document
_MONTHS = {
    name: name.capitalize()
    for name in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}


@dataclass(slots=True, kw_only=True)
class Entry:
    """As written: its values are still LaTeX."""

    kind: str
    key: str
    line: int
    raw: str
    fields: dict[str, str] = field(default_factory=dict)


class Reader:
    def __init__(self, text: str) -> None:
        self.entries: list[Entry] = []
        self.malformed: list[Malformed] = []
        self._text = text
        self._lines = Lines(text)
        self._macros = dict(_MONTHS)
        self._budget = _BUDGET
        self._unclosed_comment = False

    def read(self) -> None:
        starts = [match.start() for match in _BOUND.finditer(self._text)]
        bounds = pairwise([*starts, len(self._text)])
        at = 0
        for start, end in bounds:
            if len(self.entries) + len(self.malformed) >= MOST:
                self._list(start, end, UNREAD)
                return
            if start >= at:  # else it lies in a comment
                self._outside(at, start)
                at = self._segment(start, end)
        self._outside(at, len(self._text))

    def _segment(self, at: int, end: int) -> int:
        """The blocks between two bounds; where reading goes on."""
        while (match := START.search(self._text, at, end)) is not None:
            at = self._block(match, end)
            if at >= end:
                return at
        return at

    def _block(self, match: re.Match[str], end: int) -> int:
        if match[1].lower() == "comment":
            return self._comment(match, end)
        try:
            block = self._parsed(match, end)
        except Damaged as damage:
            self._list(match.start(), end, str(damage))
            return end
        if not block.closed:
            self._list(match.start(), end, "The closing brace is missing.")
            if any(_FIELD_WITHIN.search(part.text) for part in _values(block)):
                return end  # the brace is missing within, so the fields are not what they seem
        if block.kind == "string":
            self._define(block)
        elif block.kind != "preamble":
            self._keep(block, match.start())
        return block.end

    def _parsed(self, match: re.Match[str], end: int) -> Block:
        """To the letter first; then with escaped braces as the characters they were meant to be."""
        block = None
        try:
            block = Cursor(self._text, match.start(), end, escapes=False).block(match)
        except Damaged:
            if not _ESCAPED.search(self._text, match.end(), end):
                raise
        if block is not None and (
            block.closed or not _ESCAPED.search(self._text, match.end(), end)
        ):
            return block
        return Cursor(self._text, match.start(), end, escapes=True).block(match)

    def _comment(self, match: re.Match[str], end: int) -> int:
        """Whole entries may be commented out; one open comment must not make each next one costly."""
        far = end if self._unclosed_comment else len(self._text)
        try:
            return Cursor(self._text, match.start(), far, escapes=False).skip(match)
        except Damaged:
            self._unclosed_comment = True
            return end

    def _keep(self, block: Block, start: int) -> None:
        entry = Entry(
            kind=block.kind,
            key=block.key,
            line=self._lines.at(start),
            raw=self._text[start : block.end].strip(),
            fields={name: self._resolved(parts) for name, parts in block.fields.items()},
        )
        self.entries.append(entry)

    def _define(self, block: Block) -> None:
        for name, parts in block.fields.items():
            self._macros[name] = self._resolved(parts)

    def _resolved(self, parts: list[Part]) -> str:
        texts = [self._macros.get(p.text.lower(), p.text) if p.bare else p.text for p in parts]
        if len(texts) == 1:
            return texts[0]
        added = sum(map(len, texts)) - sum(len(part.text) for part in parts)
        self._budget -= max(added, 0)
        return "".join(texts if self._budget > 0 else [part.text for part in parts])

    def _outside(self, start: int, end: int) -> None:
        """Between entries anything may stand; only what seems meant as an entry is damage."""
        for match in _LIKE_AN_ENTRY.finditer(self._text, start, end):
            self._list(match.start(), end, "This looks like an entry without its @.")

    def _list(self, start: int, end: int, reason: str) -> None:
        shown = excerpt(self._text[start : min(end, start + 500)])
        self.malformed.append(Malformed(line=self._lines.at(start), reason=reason, excerpt=shown))


def _values(block: Block) -> Iterator[Part]:
    for parts in block.fields.values():
        yield from parts
