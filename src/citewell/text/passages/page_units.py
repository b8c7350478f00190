"""The smallest parts of a page that can be quoted: sentences, list items, table rows and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citewell.text.language import sentences, word_forms
from citewell.text.passages.markdown_blocks import (
    BlockKind,
    TextBlock,
    find_markdown_blocks,
    render_plain_text,
)

MAX_UNIT_PAGE_CHARS = 200_000  # characters of a page that are looked at
_CELL_BORDER_PATTERN = re.compile(r"(?<!\\)\|")
_UNSPACED_ENDS = ("。", "！", "？", "．")
_KEPT_PAGES = 32  # the pages of a job or two, which are analysed in every round
_MAX_CODE_CHARS = 2000  # characters of a code block whose words count
_LEADING_BULLET_PATTERN = re.compile(r"(?:(?:[-–•▢☐✓✔►*]|#{1,6}+)\s++)++")
_MIN_PASSAGE_LETTERS = 2
_MAX_UNIT_CHARS = 1500  # a longer one is no sentence


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
