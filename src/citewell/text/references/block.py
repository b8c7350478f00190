"""One BibTeX block read from its @ to its closing brace, forgiving what BibTeX itself would not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

START = re.compile(r"@[ \t]{0,4}([A-Za-z][\w-]*)\s{0,5}([{(])")
_NAME = re.compile(r"([^\s=,{}\"#()]{1,100})\s{0,20}=\s*")
_KEY = re.compile(r"[^,={}\"]*")
_BARE = re.compile(r"[^\s,{}\"#=()]+")
_SPACE = re.compile(r"\s*")
_GAP = re.compile(r"[\s,]*")
_NEXT = re.compile(r",|\n\s{0,20}[\w-]{1,40}\s{0,5}=|[{}\"]")
_STRICT = re.compile(r"[{}]")
_ESCAPING = re.compile(r"(?<!\\)[{}]")
_QUOTED = re.compile(r"[{}\"]")
_CLOSING = {"{": "}", "(": ")"}


class Damaged(Exception):
    """The block cannot be read on from here."""


class Part(NamedTuple):
    """A piece of a value; a macro or number stands without quotes or braces."""

    text: str
    bare: bool = False


@dataclass(slots=True, kw_only=True)
class Block:
    kind: str
    key: str = ""
    fields: dict[str, list[Part]] = field(default_factory=dict)
    end: int = 0
    closed: bool = True


class Cursor:
    """Reads inside `text` up to `end` and never beyond."""

    def __init__(self, text: str, at: int, end: int, *, escapes: bool) -> None:
        self._text, self._at, self._end = text, at, end
        self._braces = _ESCAPING if escapes else _STRICT

    def block(self, match: re.Match[str]) -> Block:
        """The block whose @ was matched; raises Damaged when a value has no end."""
        self._at = match.end()
        block = Block(kind=match[1].lower())
        closing = _CLOSING[match[2]]
        if block.kind == "preamble":
            self._at -= 1
            self._balanced()
        else:
            block.key = "" if block.kind == "string" else self._key(closing)
            self._fields(block, closing)
        block.end = self._at
        return block

    def skip(self, match: re.Match[str]) -> int:
        """The end of a block that nobody reads."""
        self._at = match.end() - 1
        self._balanced()
        return self._at

    def _peek(self) -> str:
        return self._text[self._at] if self._at < self._end else ""

    def _key(self, closing: str) -> str:
        found = _KEY.match(self._text, self._at, self._end)
        key = found[0] if found else ""
        if closing == ")" and closing in key and "," not in key:
            key = key.partition(")")[0]
        after = self._at + len(key)
        if self._text[after : after + 1] != "=":
            self._at = after
            return key.strip()
        # The comma or the key itself is missing: the last word is the first field's name.
        words = key.split()
        self._at = after - len(key) + key.rfind(words[-1]) if words else after + 1
        return " ".join(words[:-1])

    def _fields(self, block: Block, closing: str) -> None:
        while True:
            self._at = self._gap()
            char = self._peek()
            if not char:
                block.closed = False
                return
            if char == closing:
                self._at += 1
                return
            self._field(block)

    def _gap(self) -> int:
        found = _GAP.match(self._text, self._at, self._end)
        return found.end() if found else self._at

    def _field(self, block: Block) -> None:
        name = _NAME.match(self._text, self._at, self._end)
        if name is None:
            self._resume()
            return
        self._at = name.end()
        parts = self._value()
        if parts:
            block.fields.setdefault(name[1].lower(), parts)

    def _resume(self) -> None:
        """Past what is no field, to where the next could begin."""
        found = _NEXT.search(self._text, self._at + 1, self._end)
        if found is None:
            self._at = self._end
        elif found[0] == "{":
            self._at = found.start()
            self._balanced()
        else:
            self._at = found.start() + (found[0] in {",", '"'})

    def _value(self) -> list[Part]:
        parts: list[Part] = []
        while (part := self._part()) is not None:
            parts.append(part)
            self._space()
            if self._peek() != "#":
                break
            self._at += 1
            self._space()
        return parts

    def _space(self) -> None:
        found = _SPACE.match(self._text, self._at, self._end)
        self._at = found.end() if found else self._at

    def _part(self) -> Part | None:
        char = self._peek()
        if char == "{":
            start = self._at
            self._balanced()
            return Part(text=self._text[start + 1 : self._at - 1])
        if char == '"':
            return self._quoted()
        found = _BARE.match(self._text, self._at, self._end)
        if found is None:
            return None
        self._at = found.end()
        return Part(text=found[0], bare=True)

    def _balanced(self) -> None:
        """Past the brace that closes the one here."""
        depth = 0
        for match in self._braces.finditer(self._text, self._at, self._end):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                self._at = match.end()
                return
        raise Damaged("A brace is opened and never closed.")

    def _quoted(self) -> Part:
        depth, start = 0, self._at + 1
        for match in _QUOTED.finditer(self._text, start, self._end):
            if match[0] != '"':
                depth += 1 if match[0] == "{" else -1
                if depth < 0:
                    break
            elif depth == 0:
                self._at = match.end()
                return Part(text=self._text[start : match.start()])
        raise Damaged("A quotation mark is opened and never closed.")
