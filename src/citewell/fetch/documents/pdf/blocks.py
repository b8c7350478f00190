"""Lines in reading order to paragraphs, headings, list items, code and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from citewell.fetch.documents.grid import marked_cell, table
from citewell.fetch.documents.pdf.glyphs import Word
from citewell.fetch.documents.pdf.lines import LEADER, Line, is_rtl
from citewell.fetch.documents.pdf.tables import Table
from citewell.fetch.markdown.text import absolute, escape

_BULLET = re.compile(r"[•◦▪‣·○●■□▸►➢✓\uf0b7\uf0a7*–—-]")
_NUMBER = re.compile(r"\(?(\d{1,3}|[a-zA-Z])[.)]")
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3001\u3002\uff00-\uff65\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
_ENDED = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_OPENS = re.compile(r"[\"'“‘(\[]*[A-ZÀ-ÞА-Я0-9•]")


class Block(NamedTuple):
    kind: str  # paragraph, heading, item, code or table
    text: str  # markdown, except code, which is verbatim
    size: float = 0.0
    bold: bool = False
    depth: float = 0.0  # where a list item begins on the page
    marker: str = ""


def region_blocks(items: Sequence[Line | Table], *, body: float) -> list[Block]:
    blocks: list[Block] = []
    run: list[Line] = []
    right = max((item.x1 for item in items if isinstance(item, Line)), default=0.0)
    left = min((item.x0 for item in items if isinstance(item, Line)), default=0.0)
    leading = _leading([item for item in items if isinstance(item, Line)])
    for item in items:
        if isinstance(item, Table):
            blocks += _block(run, body)
            run = []
            blocks.append(table_block(item))
        elif run and _breaks(run, item, (left, right, leading)):
            blocks += _block(run, body)
            run = [item]
        else:
            run.append(item)
    return blocks + _block(run, body)


def table_block(found: Table) -> Block:
    rows = [[marked_cell(join_lines(cell)) for cell in row] for row in found.rows]
    return Block("table", table(rows))


def _leading(lines: list[Line]) -> float:
    """The usual distance from one line to the next, or 0 where there is none."""
    steps = [
        other.y - one.y
        for one, other in pairwise(lines)
        if one.size == other.size and 0.5 * one.size < other.y - one.y < 3 * one.size
    ]
    return median(steps) if len(steps) > 1 else 0.0


def _breaks(run: list[Line], line: Line, region: tuple[float, float, float]) -> bool:
    """Whether a new block begins with this line; the region is its edges and its leading."""
    left, right, leading = region
    last = run[-1]
    size = max(last.size, line.size)
    if _mono(last) != _mono(line):
        return True
    if _mono(line):
        return not -0.5 * size < line.y - last.y < 2.6 * size
    if LEADER.search(last.text) or LEADER.search(line.text):
        return True
    if abs(last.size - line.size) > 0.08 * size or _bold(last) != _bold(line):
        return True
    step = line.y - last.y
    if step < -0.5 * size or step > (max(1.25 * leading, 1.4 * size) if leading else 1.75 * size):
        return True
    return _begins(run, line, left, right)


def _begins(run: list[Line], line: Line, left: float, right: float) -> bool:
    """A paragraph or list item that starts without extra space above it."""
    first, last, size = run[0], run[-1], line.size
    if marker := _marker(line):
        # A number inside running text, such as a year at a line's start, is no list item.
        return not marker[0].isalnum() or bool(_marker(first)) or bool(_ENDED.search(last.text))
    if _marker(first):
        return line.x0 < first.x0 + 0.5 * size
    rtl = is_rtl(line.text)
    indent, before = (right - line.x1, right - last.x1) if rtl else (line.x0 - left, last.x0 - left)
    if indent > 0.8 * size and before < indent - 0.8 * size and len(run) > 1:
        return True
    rest = last.x0 - left if rtl else right - last.x1
    if rest < 0.2 * (right - left):
        return False
    return _moved(last, line) or bool(_ENDED.search(last.text) and _OPENS.match(line.text))


def _moved(last: Line, line: Line) -> bool:
    """Whether two short lines share neither an edge nor their middle, as a title and what follows."""
    shifts = (line.x0 - last.x0, line.x1 - last.x1, (line.x0 + line.x1 - last.x0 - last.x1) / 2)
    return min(map(abs, shifts)) > line.size


def _marker(line: Line) -> str:
    """The bullet or number a list item begins with, or nothing."""
    words = line.words
    if len(words) < 2:
        return ""
    first = words[0].text
    if _BULLET.fullmatch(first) or _NUMBER.fullmatch(first):
        return first
    apart = words[1].x0 - words[0].x1 > 0.6 * line.size
    return first if apart and first.isascii() and first.isdigit() and len(first) < 3 else ""


def _mono(line: Line) -> bool:
    return all(word.style.mono for word in line.words)


def _bold(line: Line) -> bool:
    return all(word.style.bold for word in line.words)


def _block(run: list[Line], body: float) -> list[Block]:
    if not run:
        return []
    first = run[0]
    if _mono(first):
        return [Block("code", _code(run), first.size)]
    text = join_lines(run)
    plain = " ".join(line.text for line in run)
    bold = all(map(_bold, run))
    if LEADER.search(plain):
        return [Block("item", LEADER.sub(r" … \1", text), first.size, bold, first.x0, "-")]
    if _is_heading(run, plain, body, bold=bold):
        return [Block("heading", text, first.size, bold)]
    if marker := _marker(first):
        return [_item(run, marker)]
    return [Block("paragraph", text, first.size, bold)]


def _item(run: list[Line], marker: str) -> Block:
    first = run[0]
    number = _NUMBER.fullmatch(marker)
    letter = number is not None and not number[1].isdigit()
    words = first.words if letter else first.words[1:]
    digits = "".join(filter(str.isdigit, marker))
    text = join_lines([first._replace(words=words), *run[1:]])
    return Block("item", text, first.size, False, first.x0, f"{int(digits)}." if digits else "-")


def _is_heading(run: list[Line], text: str, body: float, *, bold: bool) -> bool:
    size = run[0].size
    if len(text) > 200 or len(run) > 3 or not re.search(r"\w", text) or _BULLET.match(text):
        return False
    if size >= 1.12 * body:
        return len(text) > 1 or text.isupper()
    if not bold or size < 0.95 * body or len(run) > 2:
        return False
    return len(text) <= 100 and not re.search(r"[.,;]$", text)


def _code(run: list[Line]) -> str:
    """Lines as set: pieces on one baseline joined, and indentation by how far in they begin."""
    left = min(line.x0 for line in run)
    width = max(0.6 * run[0].size, 1.0)
    made: list[str] = []
    level: float | None = None
    for line in run:
        column = round((line.x0 - left) / width)
        if level is not None and abs(line.y - level) < 0.4 * line.size:
            made[-1] = made[-1].ljust(column) + ("" if column > len(made[-1]) else " ") + line.text
        else:
            blank = level is not None and line.y - level > 1.9 * line.size
            made += [""] * blank + [" " * min(column, 120) + line.text]
        level = line.y
    return "\n".join(made)


def join_lines(lines: Sequence[Line]) -> str:
    """Running text as markdown: links kept, words broken at line ends made whole."""
    pieces: list[tuple[str, str]] = []  # text and where it links to
    for line in lines:
        for place, word in enumerate(line.words):
            _append(pieces, word, at_start=place == 0)
    return "".join(_linked(text, link) for text, link in pieces).strip()


def _append(pieces: list[tuple[str, str]], word: Word, *, at_start: bool) -> None:
    if not pieces:
        pieces.append((word.text, word.link))
        return
    text, link = pieces[-1]
    glue = " "
    if at_start and _hyphenated(text, word.text):
        text, glue = text[:-1], ""
    elif at_start and _UNSPACED.match(text[-1:]) and _UNSPACED.match(word.text):
        glue = ""
    if link == word.link:
        pieces[-1] = (text + glue + word.text, link)
    elif link:
        pieces[-1] = (text, link)
        pieces.append((glue + word.text, word.link))
    else:
        pieces[-1] = (text + glue, link)
        pieces.append((word.text, word.link))


def _hyphenated(text: str, following: str) -> bool:
    return len(text) > 2 and text[-1] in "-‐" and text[-2].islower() and following[:1].islower()


def _linked(text: str, link: str) -> str:
    if not link:
        return escape(text)
    bare = text.strip()
    before = text[: len(text) - len(text.lstrip())]
    address = absolute("", link)
    if not bare or not address:
        return escape(text)
    return f"{before}[{escape(bare)}]({address})"
