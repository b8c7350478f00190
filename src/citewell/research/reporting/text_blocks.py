"""The blocks of a markdown text that a model wrote: headings, paragraphs, items, rows and code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

_FENCE_PATTERN = re.compile(r"\s{0,40}+(?:```|~~~)")
_HEADING_PATTERN = re.compile(r"(\s{0,3}+(?:#{1,6}+)\s{1,9}+)(.*)")
_ITEM_PATTERN = re.compile(r"(\s{0,40}+(?:[-*+•]|\d{1,3}+[.)])\s{1,9}+(?:\[[ xX]\]\s)?)(.*)")
_RULE_PATTERN = re.compile(r"(?:[-*_]\s{0,3}+){3,}+")
_QUOTE_PATTERN = re.compile(r"(\s{0,9}+(?:>\s?){1,9}+)(.*)")


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
    if _FENCE_PATTERN.match(line):
        end = next(
            (at for at in range(place + 1, len(lines)) if _FENCE_PATTERN.match(lines[at])),
            len(lines) - 1,
        )
        text = "\n".join(lines[place : end + 1])
        return WrittenBlock(kind=WrittenKind.CODE, text=text, gap=gap), end + 1 - place
    if _is_row(line):
        rows = [row.strip() for row in takewhile(_is_row, lines[place:])]
        return WrittenBlock(kind=WrittenKind.TABLE, text="\n".join(rows), gap=gap), len(rows)
    if _RULE_PATTERN.fullmatch(line.strip()):
        return WrittenBlock(kind=WrittenKind.RULE, text=line.strip(), gap=gap), 1
    for pattern, kind in (
        (_HEADING_PATTERN, WrittenKind.HEADING),
        (_ITEM_PATTERN, WrittenKind.ITEM),
        (_QUOTE_PATTERN, WrittenKind.PARAGRAPH),
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
