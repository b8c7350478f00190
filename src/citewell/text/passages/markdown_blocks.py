"""Finds the blocks of a markdown text: paragraphs, list items, table rows and code, under their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from citewell.text.passages.plain_markdown import render_plain_text

_HEADING_LINE_PATTERN = re.compile(r"(#{1,6})[ \t]++(\S.*)")
_ITEM_LINE_PATTERN = re.compile(r"[ \t]*+(?:\\?[-*+•]|\d{1,3}[.)])[ \t]++(?=\S)")
_ORDERED_LINE_PATTERN = re.compile(r"[ \t]*+\d{1,3}[.)][ \t]")
_FENCE_LINE_PATTERN = re.compile(r"[ \t]*+(?:```|~~~)")
_RULE_CHARACTERS = frozenset("|:- \t")
_MAX_LABEL_WORDS, _MAX_QUESTION_WORDS = 8, 20
_LABEL_LEVEL = 7  # below every real heading
_SENTENCE_ENDS = (".", "!", "…", ",", ";", "。", "！", "．", "।")
_QUESTION_ENDS = ("?", "？", "؟")


class BlockKind(StrEnum):
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    RULE = "rule"  # the line between the header of a table and its rows
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    kind: BlockKind
    start: int  # for an item, after its bullet
    end: int
    headings: tuple[str, ...]  # from the page's title down to the nearest
    is_ordered: bool = False  # an item with a number


class _BlockReader:
    """Collects blocks line by line, with the headings above each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headings: list[tuple[int, str]] = []
        self._open: tuple[BlockKind, int, bool] | None = None  # kind, start, is_ordered
        self._end = 0
        self._label: tuple[int, int, str] | None = None  # a paragraph that may be a heading
        self.blocks: list[TextBlock] = []

    def read_line(self, start: int, line: str) -> None:
        end = start + len(line)
        if self._open is not None and self._open[0] is BlockKind.CODE:
            self._end = end
            if _FENCE_LINE_PATTERN.match(line):
                self.close_block()
            return
        if _FENCE_LINE_PATTERN.match(line):
            self._open_block(BlockKind.CODE, start, end)
        elif not line.strip():
            self.close_block()
        elif match := _HEADING_LINE_PATTERN.match(line):
            self.finish_blocks()
            self._add_heading(len(match[1]), render_plain_text(match[2].rstrip(" #")))
        elif match := _ITEM_LINE_PATTERN.match(line):
            ordered = _ORDERED_LINE_PATTERN.match(line) is not None
            self._open_block(BlockKind.ITEM, start + match.end(), end, is_ordered=ordered)
        elif line.lstrip().startswith("|"):
            kind = BlockKind.RULE if _RULE_CHARACTERS.issuperset(line) else BlockKind.ROW
            self._open_block(kind, start, end)
            self.close_block()
        elif self._open is None:
            self._open_block(BlockKind.PARAGRAPH, start, end)
        else:
            self._end = end

    def _open_block(
        self, kind: BlockKind, start: int, end: int, *, is_ordered: bool = False
    ) -> None:
        self.close_block()
        self._open, self._end = (kind, start, is_ordered), end

    def close_block(self) -> None:
        if self._open is None:
            return
        kind, start, ordered = self._open
        self._open = None
        if kind is BlockKind.PARAGRAPH and (label := self._read_label(start, self._end)):
            self._keep_label_text()
            self._label = (start, self._end, label)
            return
        if self._label is not None:
            self._add_heading(_LABEL_LEVEL, self._label[2])
            self._label = None
        self._add_block(kind, start, self._end, is_ordered=ordered)

    def finish_blocks(self) -> None:
        self.close_block()
        self._keep_label_text()

    def _keep_label_text(self) -> None:
        """A label with no text below it is text itself, such as a line of a specification."""
        if self._label is not None:
            start, end, _ = self._label
            self._label = None
            self._add_block(BlockKind.PARAGRAPH, start, end)

    def _add_block(
        self, kind: BlockKind, start: int, end: int, *, is_ordered: bool = False
    ) -> None:
        above = tuple(heading for _, heading in self._headings)
        self.blocks.append(
            TextBlock(kind=kind, start=start, end=end, headings=above, is_ordered=is_ordered)
        )

    def _read_label(self, start: int, end: int) -> str:
        """The words of a paragraph that serves as a heading: a short label, or a lone question."""
        raw = self._text[start:end].strip()
        if "\n" in raw:
            return ""
        plain = render_plain_text(raw)
        count = len(plain.split())
        if plain.endswith(_QUESTION_ENDS):
            return plain if count <= _MAX_QUESTION_WORDS else ""
        is_short = 0 < count <= _MAX_LABEL_WORDS and plain.isascii()
        is_bare = not plain.endswith((*_SENTENCE_ENDS, ":")) and ":" not in plain
        return plain if is_short and is_bare and plain[:1].isupper() else ""

    def _add_heading(self, level: int, heading: str) -> None:
        if not heading:  # only an image: what follows still belongs to the heading above
            return
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, heading))


def find_markdown_blocks(text: str) -> tuple[TextBlock, ...]:
    """The blocks in text order; short labels and lone questions above text count as headings."""
    reader = _BlockReader(text)
    for start, line in _iterate_lines(text):
        reader.read_line(start, line)
    reader.finish_blocks()
    return tuple(reader.blocks)


def _iterate_lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1
