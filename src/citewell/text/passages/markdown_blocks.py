"""Finds the blocks and headings of a markdown text: paragraphs, list items, table rows and code; splits what a model wrote."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

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
# For text that a model wrote.
_WRITTEN_FENCE_PATTERN = re.compile(r"\s{0,40}+(?:```|~~~)")
_WRITTEN_HEADING_PATTERN = re.compile(r"(\s{0,3}+(?:#{1,6}+)\s{1,9}+)(.*)")
_WRITTEN_ITEM_PATTERN = re.compile(
    r"(\s{0,40}+(?:[-*+•]|\d{1,3}+[.)])\s{1,9}+(?:\[[ xX]\]\s)?)(.*)"
)
_WRITTEN_RULE_PATTERN = re.compile(r"(?:[-*_]\s{0,3}+){3,}+")
_WRITTEN_QUOTE_PATTERN = re.compile(r"(\s{0,9}+(?:>\s?){1,9}+)(.*)")


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


class WrittenKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBlock:
    kind: WrittenKind
    text: str  # without its prefix; of a table or code, its lines
    prefix: str = ""  # such as "- ", "2. " or "## "
    gap: bool = True  # an empty line stands before it

    @property
    def level(self) -> int:
        """Of a heading, how many # it has."""
        return self.prefix.count("#")


def split_written_blocks(text: str) -> list[WrittenBlock]:
    """The blocks in text order; the lines of a paragraph or item are joined into one."""
    blocks: list[WrittenBlock] = []
    gap = True
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            gap, place = True, place + 1
            continue
        block, taken = _read_block(lines, place, gap=gap)
        joined = _join_to_previous(blocks, block)
        if not joined:
            blocks.append(block)
        gap, place = False, place + taken
    return blocks


def _read_block(lines: list[str], place: int, *, gap: bool) -> tuple[WrittenBlock, int]:
    line = lines[place]
    if _WRITTEN_FENCE_PATTERN.match(line):
        end = next(
            (at for at in range(place + 1, len(lines)) if _WRITTEN_FENCE_PATTERN.match(lines[at])),
            len(lines) - 1,
        )
        text = "\n".join(lines[place : end + 1])
        return WrittenBlock(kind=WrittenKind.CODE, text=text, gap=gap), end + 1 - place
    if _is_row(line):
        rows = [row.strip() for row in takewhile(_is_row, lines[place:])]
        return WrittenBlock(kind=WrittenKind.TABLE, text="\n".join(rows), gap=gap), len(rows)
    if _WRITTEN_RULE_PATTERN.fullmatch(line.strip()):
        return WrittenBlock(kind=WrittenKind.RULE, text=line.strip(), gap=gap), 1
    for pattern, kind in (
        (_WRITTEN_HEADING_PATTERN, WrittenKind.HEADING),
        (_WRITTEN_ITEM_PATTERN, WrittenKind.ITEM),
        (_WRITTEN_QUOTE_PATTERN, WrittenKind.PARAGRAPH),
    ):
        match = pattern.match(line)
        if match:
            words = match.group(match.lastindex or 0).strip()
            return WrittenBlock(kind=kind, text=words, prefix=match[1], gap=gap), 1
    return WrittenBlock(kind=WrittenKind.PARAGRAPH, text=line.strip(), gap=gap), 1


def _is_row(line: str) -> bool:
    plain = line.strip()
    return len(plain) > 1 and plain[0] == plain[-1] == "|"


def _join_to_previous(blocks: list[WrittenBlock], block: WrittenBlock) -> bool:
    """Join a line to the paragraph or item that it continues."""
    if block.gap or not blocks or block.kind is not WrittenKind.PARAGRAPH:
        return False
    last = blocks[-1]
    same_quote = block.prefix.strip() == (last.prefix.strip() if ">" in last.prefix else "")
    if last.kind not in {WrittenKind.PARAGRAPH, WrittenKind.ITEM} or not same_quote:
        return False
    blocks[-1] = WrittenBlock(
        kind=last.kind, text=f"{last.text} {block.text}", prefix=last.prefix, gap=last.gap
    )
    return True


def join_written_blocks(blocks: list[WrittenBlock]) -> str:
    """The markdown of these blocks; items of one list stay together."""
    text = ""
    for place, block in enumerate(blocks):
        tight = not block.gap and place and blocks[place - 1].kind is block.kind
        text += "" if not place else "\n" if tight else "\n\n"
        text += block.prefix + block.text
    return text


def drop_empty_sections(blocks: list[WrittenBlock]) -> list[WrittenBlock]:
    """The blocks without headings and lead-ins below which nothing is left."""
    kept: list[WrittenBlock] = []
    for block in reversed(blocks):
        after = kept[-1] if kept else None
        if block.kind is WrittenKind.HEADING and (
            after is None or (after.kind is WrittenKind.HEADING and after.level <= block.level)
        ):
            continue
        leads = block.kind is WrittenKind.PARAGRAPH and block.text.rstrip("*_ ").endswith(
            (":", "：")
        )
        if leads and (after is None or after.kind is WrittenKind.HEADING):
            continue
        kept.append(block)
    return kept[::-1]
