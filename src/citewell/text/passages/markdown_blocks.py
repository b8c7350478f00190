"""Finds the blocks and headings of a markdown text: paragraphs, list items, table rows and code; and the units in them that can be quoted."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from citewell.text.language import sentences, word_forms

_HEADING_PATTERN = re.compile(r"^(#{1,6})[ \t]++(\S[^\n]*)$", re.MULTILINE)

_FENCE_PATTERN = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)

_TARGET_REGEX = r"\((?:[^()\n]++|\([^()\n]*+\))*+\)"
_IMAGE_PATTERN = re.compile(rf"!\[[^\[\]\n]*+\]{_TARGET_REGEX}")
_LINK_PATTERN = re.compile(rf"\[([^\[\]\n]*+)\]{_TARGET_REGEX}")
_FOOTNOTE_MARK_PATTERN = re.compile(
    r"\[\^?(?:\d{1,3}|[a-z]|note \d{1,4}|citation needed)\](?![(:])"
)
_EMPHASIS_PATTERN = re.compile(r"(?<!\\)(?:\*{2,3}|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*]))")
_UNDERLINE_PATTERN = re.compile(r"(?<!\w)(?<!\\)_{1,3}(?=\S)|(?<=[^\s_\\])_{1,3}(?!\w)")
_TAG_PATTERN = re.compile(r"</?[A-Za-z][^<>]{0,200}+>")
_ESCAPE_PATTERN = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_QUOTE_MARK_PATTERN = re.compile(r"^[ \t]*+>[> \t]*+", re.MULTILINE)
_LINK_REST_PATTERN = re.compile(r"\]\(\S{0,2000}+|!?\[(?=\S)(?![^\[\]\n]{0,200}+\])")
_DOUBLED_PARENTHESES_PATTERN = re.compile(r"\(\s*+\)|\[\s*+\]")
_LONE_MARK_PATTERN = re.compile(r"(?<!\S)(?!(?<=\d )\* \d)[*#_|]{1,3}(?!\S)")  # not that of 2 * 3
# UTF-8 that a site has decoded as Latin-1: marks of which only the first character is left.
_ENCODING_DAMAGE = (("â€™", "’"), ("â€œ", "“"), ("â€“", "–"), ("â€”", "—"), ("\ufffd", ""))
_LOST_SPACE_PATTERN = re.compile(r"Â(?=\s|\Z)")
_LOST_DASH_PATTERN = re.compile(r"(?<=\s)â(?=\s)")
_LOST_APOSTROPHE_PATTERN = re.compile(r"(?<=[A-Za-z])â(?=(?:s|t|re|ll|ve|d|m)\b)")

_HEADING_LINE_PATTERN = re.compile(r"(#{1,6})[ \t]++(\S.*)")
_ITEM_LINE_PATTERN = re.compile(r"[ \t]*+(?:\\?[-*+•]|\d{1,3}[.)])[ \t]++(?=\S)")
_ORDERED_LINE_PATTERN = re.compile(r"[ \t]*+\d{1,3}[.)][ \t]")
_FENCE_LINE_PATTERN = re.compile(r"[ \t]*+(?:```|~~~)")
_RULE_CHARACTERS = frozenset("|:- \t")
_MAX_LABEL_WORDS, _MAX_QUESTION_WORDS = 8, 20
_LABEL_LEVEL = 7  # below every real heading
_SENTENCE_ENDS = (".", "!", "…", ",", ";", "。", "！", "．", "।")
_QUESTION_ENDS = ("?", "？", "؟")
MAX_UNIT_PAGE_CHARS = 200_000  # characters of a page that are looked at
_CELL_BORDER_PATTERN = re.compile(r"(?<!\\)\|")
_UNSPACED_ENDS = ("。", "！", "？", "．")
_KEPT_PAGES = 32  # the pages of a job or two, which are analysed in every round
_MAX_CODE_CHARS = 2000  # characters of a code block whose words count
_LEADING_BULLET_PATTERN = re.compile(r"(?:(?:[-–•▢☐✓✔►*]|#{1,6}+)\s++)++")
_MIN_PASSAGE_LETTERS = 2
_MAX_UNIT_CHARS = 1500  # a longer one is no sentence


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
    start = 0
    for line in text.split("\n"):
        reader.read_line(start, line)
        start += len(line) + 1
    reader.finish_blocks()
    return tuple(reader.blocks)


# Markdown as a reader sees it: the words without links, emphasis, footnote marks and entities.


def render_plain_text(markdown: str) -> str:
    """The text on one line, without markup; a link leaves its words, an image nothing."""
    text = markdown
    if "[" in text or "](" in text:  # the rest of a cut link has no opening bracket
        text = _IMAGE_PATTERN.sub("", text)
        text = _LINK_PATTERN.sub(r"\1", _LINK_PATTERN.sub(r"\1", text))
        text = _FOOTNOTE_MARK_PATTERN.sub("", text)
        text = _LINK_REST_PATTERN.sub("", text)
        text = _DOUBLED_PARENTHESES_PATTERN.sub("", text)
    if "*" in text:
        text = _EMPHASIS_PATTERN.sub("", text)
    if "_" in text:
        text = _UNDERLINE_PATTERN.sub("", text)
    if "<" in text:
        text = _TAG_PATTERN.sub("", text)
    if ">" in text:
        text = _QUOTE_MARK_PATTERN.sub("", text)
    text = _LONE_MARK_PATTERN.sub("", text.replace("`", ""))
    if "\\" in text:
        text = _ESCAPE_PATTERN.sub(r"\1", text)
    if "&" in text:
        text = html.unescape(text)
    for damaged, meant in _ENCODING_DAMAGE:
        text = text.replace(damaged, meant)
    if "Â" in text or "â" in text:
        text = _LOST_SPACE_PATTERN.sub("", _LOST_APOSTROPHE_PATTERN.sub("’", text))
        text = _LOST_DASH_PATTERN.sub("–", text)
    return " ".join(text.split())


# Finds the headings of markdown text.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedHeading:
    """A heading with the headings above it, and where it begins."""

    start: int
    path: tuple[str, ...]  # from the outermost to this one


def find_first_heading(markdown: str, *, max_level: int = 1) -> str:
    """The text of the first heading of at most this level, without marks after it; empty if none."""
    for match in _HEADING_PATTERN.finditer(markdown):
        text = match[2].rstrip().rstrip("#").rstrip()
        if len(match[1]) <= max_level and text:
            return text
    return ""


def list_headings(markdown: str) -> tuple[PlacedHeading, ...]:
    """The headings of a text in order, without lines of code that begin with #."""
    fences = [match.start() for match in _FENCE_PATTERN.finditer(markdown)]
    found: list[PlacedHeading] = []
    above: list[tuple[int, str]] = []
    for match in _HEADING_PATTERN.finditer(markdown):
        text = match[2].rstrip().rstrip("#").rstrip()
        if not text or bisect_right(fences, match.start()) % 2:
            continue
        above = [(level, title) for level, title in above if level < len(match[1])]
        above.append((len(match[1]), text))
        path = tuple(title for _, title in above)
        found.append(PlacedHeading(start=match.start(), path=path))
    return tuple(found)


def find_heading_path(headings: tuple[PlacedHeading, ...], offset: int) -> tuple[str, ...]:
    """The headings above this offset, the outermost first; empty before the first heading."""
    place = bisect_right(headings, offset, key=lambda heading: heading.start)
    return headings[place - 1].path if place else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUnit:
    """A sentence, an item, a row or a block of code, with its offsets in the page's text."""

    kind: BlockKind
    start: int
    end: int
    block: int  # number of the paragraph, list or table that it belongs to
    headings: tuple[str, ...]
    text: str  # without markup; of a row, its cells
    stems: tuple[str, ...]
    words: int
    cells: tuple[str, ...] = ()
    table_header: tuple[str, ...] = ()
    is_ordered: bool = False


def list_passage_terms(text: str, *, language: str | None) -> list[str]:
    """The stems by which passages are compared; names such as Go, PC and Pi are among them."""
    return word_forms.list_terms(text, language=language, min_letters=_MIN_PASSAGE_LETTERS)


@lru_cache(maxsize=_KEPT_PAGES)
def split_page_units(text: str, *, language: str | None = None) -> tuple[PageUnit, ...]:
    """The units of a page in text order; images and empty parts are left out."""
    units: list[PageUnit] = []
    header: tuple[str, ...] = ()
    number, previous = 0, None
    blocks = find_markdown_blocks(text[:MAX_UNIT_PAGE_CHARS])
    for place, block in enumerate(blocks):
        if block.kind is BlockKind.RULE:
            continue
        following = blocks[place + 1].kind if place + 1 < len(blocks) else None
        if block.kind is not previous or block.kind in {BlockKind.PARAGRAPH, BlockKind.CODE}:
            number += 1
            header = ()
        previous = block.kind
        if block.kind is BlockKind.ROW and following is BlockKind.RULE:
            header = split_table_cells(text[block.start : block.end])
            continue
        units += _split_block(text, block, number, header, language)
    return tuple(units)


def _split_block(
    text: str, block: TextBlock, number: int, header: tuple[str, ...], language: str | None
) -> Iterator[PageUnit]:
    for start, end in _list_unit_spans(text, block):
        raw = text[start:end]
        cells = split_table_cells(raw) if block.kind is BlockKind.ROW else ()
        if block.kind is BlockKind.CODE:
            plain, counted = raw, raw[:_MAX_CODE_CHARS]
        else:
            plain = "; ".join(filter(None, cells)) if cells else render_plain_text(raw)
            counted = plain
        if plain and len(plain) <= (_MAX_UNIT_CHARS if not cells else 4 * _MAX_UNIT_CHARS):
            yield PageUnit(
                kind=block.kind,
                start=start,
                end=end,
                block=number,
                headings=block.headings,
                text=plain,
                stems=tuple(list_passage_terms(counted, language=language)),
                words=len(plain.split()) if plain.isascii() else word_forms.count_words(plain),
                cells=cells,
                table_header=header,
                is_ordered=block.is_ordered,
            )


def _list_unit_spans(text: str, block: TextBlock) -> Iterator[tuple[int, int]]:
    if block.kind is not BlockKind.PARAGRAPH:
        is_item = block.kind is BlockKind.ITEM
        yield _skip_bullets(text, block.start, block.end) if is_item else block.start, block.end
        return
    for start, end in sentences.find_sentence_spans(text[block.start : block.end]):
        yield _skip_bullets(text, block.start + start, block.start + end), block.start + end


def _skip_bullets(text: str, start: int, end: int) -> int:
    """Where the words of a sentence begin: some pages write their bullets as text."""
    match = _LEADING_BULLET_PATTERN.match(text, start, end)
    return match.end() if match else start


def join_unit_texts(units: Iterable[PageUnit]) -> str:
    """The units as running text; after a full stop of an unspaced script stands no space."""
    joined = ""
    for unit in units:
        space = "" if not joined or joined.endswith(_UNSPACED_ENDS) else " "
        joined += f"{space}{unit.text}"
    return joined


def split_table_cells(row: str) -> tuple[str, ...]:
    """The cells of a row of a markdown table, without markup."""
    inner = row.strip().removeprefix("|").removesuffix("|")
    return tuple(render_plain_text(cell) for cell in _CELL_BORDER_PATTERN.split(inner))
