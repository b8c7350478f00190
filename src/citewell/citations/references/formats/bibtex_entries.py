"""Reads the entries of a BibTeX document and resolves its macros; damaged entries are reported.

An unclosed entry ends where the next one starts on a new line, so that a document of any size is
read in one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from citewell.citations.references import reference_fields
from citewell.citations.references.reference_fields import MalformedEntry

BLOCK_START_PATTERN = re.compile(r"@[ \t]{0,4}([A-Za-z][\w-]*)\s{0,5}([{(])")
_FIELD_NAME_PATTERN = re.compile(r"([^\s=,{}\"#()]{1,100})\s{0,20}=\s*")
_ENTRY_KEY_PATTERN = re.compile(r"[^,={}\"]*")
_BARE_VALUE_PATTERN = re.compile(r"[^\s,{}\"#=()]+")
_OPTIONAL_SPACE_PATTERN = re.compile(r"\s*")
_FIELD_GAP_PATTERN = re.compile(r"[\s,]*")
_NEXT_FIELD_PATTERN = re.compile(r",|\n\s{0,20}[\w-]{1,40}\s{0,5}=|[{}\"]")
_ANY_BRACE_PATTERN = re.compile(r"[{}]")
_UNESCAPED_BRACE_PATTERN = re.compile(r"(?<!\\)[{}]")
_QUOTE_OR_BRACE_PATTERN = re.compile(r"[{}\"]")
_CLOSING_DELIMITERS = {"{": "}", "(": ")"}

_KNOWN_ENTRY_TYPES = (
    "article|book|booklet|inbook|incollection|inproceedings|conference|manual|mastersthesis|misc|phdthesis"
    "|proceedings|techreport|unpublished|online|electronic|thesis|report|dataset|software|collection|string"
)
# An entry starts on a new line; directly after a closing brace only if its type is known.
_ENTRY_START_PATTERN = re.compile(
    rf"^[ \t]{{0,40}}@[ \t]{{0,4}}[A-Za-z][\w-]{{0,40}}\s{{0,5}}[{{(]"
    rf"|(?<=\}})[ \t]{{0,4}}@(?:{_KNOWN_ENTRY_TYPES})[ \t]{{0,4}}[{{(]",
    re.MULTILINE | re.IGNORECASE,
)
_MISSING_AT_SIGN_PATTERN = re.compile(
    r"^[ \t]{0,40}[A-Za-z]{3,20}[ \t]{0,4}\{[^\s,{}]{1,100},", re.MULTILINE
)
_FIELD_INSIDE_VALUE_PATTERN = re.compile(
    r"[,\n]\s{0,20}[a-z]{2,20}\s{0,10}=\s{0,10}[\"{\w]", re.IGNORECASE
)
_ESCAPED_BRACE_PATTERN = re.compile(r"\\[{}]")
_MACRO_BUDGET_CHARS = 5_000_000  # characters that macros may add to one document in total
_MONTH_MACROS = {
    name: name.capitalize()
    for name in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}


@dataclass(slots=True, kw_only=True)
class BibtexEntry:
    """An entry whose values are still LaTeX."""

    kind: str
    key: str
    line: int
    raw: str
    fields: dict[str, str] = field(default_factory=dict)


class BibtexReader:
    def __init__(self, text: str) -> None:
        self.entries: list[BibtexEntry] = []
        self.malformed: list[MalformedEntry] = []
        self._text = text
        self._lines = reference_fields.LineIndex(text)
        self._macros = dict(_MONTH_MACROS)
        self._budget = _MACRO_BUDGET_CHARS
        self._unclosed_comment = False

    def read_entries(self) -> None:
        starts = [match.start() for match in _ENTRY_START_PATTERN.finditer(self._text)]
        bounds = pairwise([*starts, len(self._text)])
        at = 0
        for start, end in bounds:
            if len(self.entries) + len(self.malformed) >= reference_fields.MAX_RECORDS:
                self._add_malformed(start, end, reference_fields.RECORDS_LIMIT_REASON)
                return
            if start >= at:  # otherwise it is inside a comment
                self._check_text_between(at, start)
                at = self._read_value_segment(start, end)
        self._check_text_between(at, len(self._text))

    def _read_value_segment(self, at: int, end: int) -> int:
        """Reads the blocks between two entry starts; returns the offset where reading continues."""
        while (match := BLOCK_START_PATTERN.search(self._text, at, end)) is not None:
            at = self._read_entry_block(match, end)
            if at >= end:
                return at
        return at

    def _read_entry_block(self, match: re.Match[str], end: int) -> int:
        if match[1].lower() == "comment":
            return self._skip_comment(match, end)
        try:
            block = self._parse_bibtex_block(match, end)
        except DamagedBlockError as damage:
            self._add_malformed(match.start(), end, str(damage))
            return end
        if not block.is_closed:
            self._add_malformed(match.start(), end, "The closing brace is missing.")
            if any(
                _FIELD_INSIDE_VALUE_PATTERN.search(part.text)
                for parts in block.fields.values()
                for part in parts
            ):
                return end  # a brace inside is missing, so the fields cannot be trusted
        if block.kind == "string":
            for name, parts in block.fields.items():
                self._macros[name] = self._resolve_macros(parts)
        elif block.kind != "preamble":
            self._add_entry(block, match.start())
        return block.end

    def _parse_bibtex_block(self, match: re.Match[str], end: int) -> BibtexBlock:
        """Parses strictly first and, if that fails, with escaped braces as plain characters."""
        block = None
        try:
            block = BlockCursor(self._text, match.start(), end, escapes=False).parse_block(match)
        except DamagedBlockError:
            if not _ESCAPED_BRACE_PATTERN.search(self._text, match.end(), end):
                raise
        if block is not None and (
            block.is_closed or not _ESCAPED_BRACE_PATTERN.search(self._text, match.end(), end)
        ):
            return block
        return BlockCursor(self._text, match.start(), end, escapes=True).parse_block(match)

    def _skip_comment(self, match: re.Match[str], end: int) -> int:
        """The offset after a comment, which may contain whole entries.

        After the first unclosed comment, later ones are searched only up to the next entry, because
        a search to the end for each would be slow.
        """
        far = end if self._unclosed_comment else len(self._text)
        try:
            return BlockCursor(self._text, match.start(), far, escapes=False).skip_block(match)
        except DamagedBlockError:
            self._unclosed_comment = True
            return end

    def _add_entry(self, block: BibtexBlock, start: int) -> None:
        entry = BibtexEntry(
            kind=block.kind,
            key=block.key,
            line=self._lines.find_line_number(start),
            raw=self._text[start : block.end].strip(),
            fields={name: self._resolve_macros(parts) for name, parts in block.fields.items()},
        )
        self.entries.append(entry)

    def _resolve_macros(self, parts: list[ValuePart]) -> str:
        texts = [self._macros.get(p.text.lower(), p.text) if p.is_bare else p.text for p in parts]
        if len(texts) == 1:
            return texts[0]
        added = sum(map(len, texts)) - sum(len(part.text) for part in parts)
        self._budget -= max(added, 0)
        return "".join(texts if self._budget > 0 else [part.text for part in parts])

    def _check_text_between(self, start: int, end: int) -> None:
        """Reports text between entries that looks like an entry without its @; other text is allowed."""
        for match in _MISSING_AT_SIGN_PATTERN.finditer(self._text, start, end):
            self._add_malformed(
                match.start(), end, "This looks like an entry, but its @ is missing."
            )

    def _add_malformed(self, start: int, end: int, reason: str) -> None:
        shown = reference_fields.extract_damage_excerpt(self._text[start : min(end, start + 500)])
        self.malformed.append(
            MalformedEntry(line=self._lines.find_line_number(start), reason=reason, excerpt=shown)
        )


# Parses one BibTeX block from its @ to its closing brace, more leniently than BibTeX.


class DamagedBlockError(Exception):
    """The block cannot be parsed any further; the message is shown to the user."""


class ValuePart(NamedTuple):
    """A part of a value; `is_bare` for a macro or number without quotes or braces."""

    text: str
    is_bare: bool = False


@dataclass(slots=True, kw_only=True)
class BibtexBlock:
    kind: str
    key: str = ""
    fields: dict[str, list[ValuePart]] = field(default_factory=dict)
    end: int = 0
    is_closed: bool = True


class BlockCursor:
    """Parses `text` from `at`, never beyond `end`."""

    def __init__(self, text: str, at: int, end: int, *, escapes: bool) -> None:
        self._text, self._at, self._end = text, at, end
        self._braces = _UNESCAPED_BRACE_PATTERN if escapes else _ANY_BRACE_PATTERN

    def parse_block(self, match: re.Match[str]) -> BibtexBlock:
        """The block whose start was matched; raises DamagedBlockError if a value is not closed."""
        self._at = match.end()
        block = BibtexBlock(kind=match[1].lower())
        closing = _CLOSING_DELIMITERS[match[2]]
        if block.kind == "preamble":
            self._at -= 1
            self._skip_balanced_braces()
        else:
            block.key = "" if block.kind == "string" else self._parse_entry_key(closing)
            self._parse_fields(block, closing)
        block.end = self._at
        return block

    def skip_block(self, match: re.Match[str]) -> int:
        """The offset after a block that is not parsed; raises DamagedBlockError if it is not closed."""
        self._at = match.end() - 1
        self._skip_balanced_braces()
        return self._at

    def _peek_char(self) -> str:
        return self._text[self._at] if self._at < self._end else ""

    def _parse_entry_key(self, closing: str) -> str:
        found = _ENTRY_KEY_PATTERN.match(self._text, self._at, self._end)
        key = found[0] if found else ""
        if closing == ")" and closing in key and "," not in key:
            key = key.partition(")")[0]
        after = self._at + len(key)
        if self._text[after : after + 1] != "=":
            self._at = after
            return key.strip()
        # The comma or the key is missing: the last word is the name of the first field.
        words = key.split()
        self._at = after - len(key) + key.rfind(words[-1]) if words else after + 1
        return " ".join(words[:-1])

    def _parse_fields(self, block: BibtexBlock, closing: str) -> None:
        while True:
            found = _FIELD_GAP_PATTERN.match(self._text, self._at, self._end)
            self._at = found.end() if found else self._at
            char = self._peek_char()
            if not char:
                block.is_closed = False
                return
            if char == closing:
                self._at += 1
                return
            self._parse_field(block)

    def _parse_field(self, block: BibtexBlock) -> None:
        name = _FIELD_NAME_PATTERN.match(self._text, self._at, self._end)
        if name is None:
            self._skip_to_next_field()
            return
        self._at = name.end()
        parts = self._parse_value()
        if parts:
            block.fields.setdefault(name[1].lower(), parts)

    def _skip_to_next_field(self) -> None:
        """Moves past text that is not a field, to where the next field could start."""
        found = _NEXT_FIELD_PATTERN.search(self._text, self._at + 1, self._end)
        if found is None:
            self._at = self._end
        elif found[0] == "{":
            self._at = found.start()
            self._skip_balanced_braces()
        else:
            self._at = found.start() + (found[0] in {",", '"'})

    def _parse_value(self) -> list[ValuePart]:
        parts: list[ValuePart] = []
        while (part := self._parse_value_part()) is not None:
            parts.append(part)
            self._skip_whitespace()
            if self._peek_char() != "#":
                break
            self._at += 1
            self._skip_whitespace()
        return parts

    def _skip_whitespace(self) -> None:
        found = _OPTIONAL_SPACE_PATTERN.match(self._text, self._at, self._end)
        self._at = found.end() if found else self._at

    def _parse_value_part(self) -> ValuePart | None:
        char = self._peek_char()
        if char == "{":
            start = self._at
            self._skip_balanced_braces()
            return ValuePart(text=self._text[start + 1 : self._at - 1])
        if char == '"':
            return self._parse_quoted_part()
        found = _BARE_VALUE_PATTERN.match(self._text, self._at, self._end)
        if found is None:
            return None
        self._at = found.end()
        return ValuePart(text=found[0], is_bare=True)

    def _skip_balanced_braces(self) -> None:
        """Moves past the brace that closes the current one; raises DamagedBlockError if there is none."""
        depth = 0
        for match in self._braces.finditer(self._text, self._at, self._end):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                self._at = match.end()
                return
        raise DamagedBlockError("A brace is opened and never closed.")

    def _parse_quoted_part(self) -> ValuePart:
        depth, start = 0, self._at + 1
        for match in _QUOTE_OR_BRACE_PATTERN.finditer(self._text, start, self._end):
            if match[0] != '"':
                depth += 1 if match[0] == "{" else -1
                if depth < 0:
                    break
            elif depth == 0:
                self._at = match.end()
                return ValuePart(text=self._text[start : match.start()])
        raise DamagedBlockError("A quotation mark is opened and never closed.")
