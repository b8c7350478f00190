"""Parses one BibTeX block from its @ to its closing brace, more leniently than BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

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
            self._at = self._find_gap_end()
            char = self._peek_char()
            if not char:
                block.is_closed = False
                return
            if char == closing:
                self._at += 1
                return
            self._parse_field(block)

    def _find_gap_end(self) -> int:
        found = _FIELD_GAP_PATTERN.match(self._text, self._at, self._end)
        return found.end() if found else self._at

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
