"""Groups lines in reading order into paragraphs, headings, list items, code and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from citewell.reading.documents.document_markdown import format_markdown_cell, render_markdown_table
from citewell.reading.documents.pdf.page_tables import PdfTable
from citewell.reading.documents.pdf.pdf_headings import (
    HeadingFound,
    HyphenHabits,
    PageClues,
    find_heading,
    get_tagged_level,
    is_bold_line,
    is_outline_title,
)
from citewell.reading.documents.pdf.text_lines import DOT_LEADER_PATTERN, PdfWord, TextLine
from citewell.reading.markdown.markdown_text import escape_markdown, resolve_link
from citewell.text.language.scripts import HAN_KANA_RANGES

_BULLET_PATTERN = re.compile(r"[•◦▪‣·○●■□▸►➢✓\uf0b7\uf0a7*–—-]")
_ITEM_NUMBER_PATTERN = re.compile(r"\(?(\d{1,3}|[a-zA-Z])[.)]")
_UNSPACED_SCRIPT_PATTERN = re.compile(f"[\u3001\u3002\u3005-\u3007\uff00-\uff65{HAN_KANA_RANGES}]")
_SENTENCE_END_PATTERN = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_SENTENCE_START_PATTERN = re.compile(r"[\"'“‘(\[]*[A-ZÀ-ÞА-Я0-9•]")


class PdfBlock(NamedTuple):
    kind: str  # paragraph, heading, item, code or table
    text: str  # markdown, except code, which is verbatim
    size: float = 0.0
    bold: bool = False
    depth: float = 0.0  # left edge of a list item, in points
    marker: str = ""
    heading: HeadingFound = HeadingFound()


def build_region_blocks(items: Sequence[TextLine | PdfTable], clues: PageClues) -> list[PdfBlock]:
    lines = [item for item in items if isinstance(item, TextLine)]
    right = max((line.x1 for line in lines), default=0.0)
    left = min((line.x0 for line in lines), default=0.0)
    region = (left, right, _measure_line_spacing(lines))
    runs: list[list[TextLine] | PdfTable] = []
    for item in items:
        last = runs[-1] if runs else None
        if isinstance(item, PdfTable):
            runs.append(item)
        elif isinstance(last, list) and not _is_block_start(last, item, region, clues):
            last.append(item)
        else:
            runs.append([item])
    return [
        build_table_block(run)
        if isinstance(run, PdfTable)
        else _build_block(run, clues, _measure_room(runs, place, region[2]))
        for place, run in enumerate(runs)
    ]


def _measure_room(
    runs: list[list[TextLine] | PdfTable], place: int, leading: float
) -> tuple[float, float]:
    """The space above and below a run of lines, in lines; a table or an edge counts as much."""
    run = runs[place]
    before = runs[place - 1] if place else None
    after = runs[place + 1] if place + 1 < len(runs) else None
    if not isinstance(run, list):
        return math.inf, math.inf
    step = leading or 1.2 * run[0].size
    above = run[0].y - before[-1].y if isinstance(before, list) else math.inf
    below = after[0].y - run[-1].y if isinstance(after, list) else math.inf
    return above / step, below / step


def build_table_block(found: PdfTable) -> PdfBlock:
    lettered = [
        line
        for row in found.rows
        for cell in row
        for line in cell
        if any(map(str.isalpha, line.text))
    ]
    # The first column of a table in right-to-left script is the right one.
    step = -1 if 2 * sum(line.rtl for line in lettered) > len(lettered) else 1
    rows = [
        [format_markdown_cell(join_text_lines(cell)) for cell in row[::step]] for row in found.rows
    ]
    return PdfBlock("table", render_markdown_table(rows))


def _measure_line_spacing(lines: list[TextLine]) -> float:
    """The median distance between baselines, or 0 if there are too few lines to tell."""
    steps = [
        line.y - above.y
        for above, line in pairwise(lines)
        if above.size == line.size and 0.5 * line.size < line.y - above.y < 3 * line.size
    ]
    return median(steps) if len(steps) > 1 else 0.0


def _is_block_start(
    run: list[TextLine], line: TextLine, region: tuple[float, float, float], clues: PageClues
) -> bool:
    """Whether this line begins a new block; `region` is (left edge, right edge, line spacing)."""
    left, right, leading = region
    last = run[-1]
    size = max(last.size, line.size)
    if get_tagged_level(last) != get_tagged_level(line) or is_outline_title(run, clues):
        return True
    if _is_monospaced(last) != _is_monospaced(line):
        return True
    if _is_monospaced(line):
        return not -0.5 * size < line.y - last.y < 2.6 * size
    if DOT_LEADER_PATTERN.search(last.text) or DOT_LEADER_PATTERN.search(line.text):
        return True
    if abs(last.size - line.size) > 0.08 * size or is_bold_line(last) != is_bold_line(line):
        return True
    step = line.y - last.y
    if step < -0.5 * size or step > (max(1.25 * leading, 1.4 * size) if leading else 1.75 * size):
        return True
    return _is_paragraph_start(run, line, left, right)


def _is_paragraph_start(run: list[TextLine], line: TextLine, left: float, right: float) -> bool:
    """Whether this line begins a paragraph or list item without extra space above it."""
    first, last, size = run[0], run[-1], line.size
    if marker := _find_item_marker(line):
        # A number inside running text, such as a year at a line's start, is no list item.
        return (
            not marker[0].isalnum()
            or bool(_find_item_marker(first))
            or bool(_SENTENCE_END_PATTERN.search(last.text))
        )
    if _find_item_marker(first):
        return line.x0 < first.x0 + 0.5 * size
    rtl = line.rtl
    indent, before = (right - line.x1, right - last.x1) if rtl else (line.x0 - left, last.x0 - left)
    if indent > 0.8 * size and before < indent - 0.8 * size and len(run) > 1:
        return True
    rest = last.x0 - left if rtl else right - last.x1
    if rest < 0.2 * (right - left):
        return False
    # A title and the text below it share neither an edge nor a centre.
    shifts = (line.x0 - last.x0, line.x1 - last.x1, (line.x0 + line.x1 - last.x0 - last.x1) / 2)
    return min(map(abs, shifts)) > line.size or bool(
        _SENTENCE_END_PATTERN.search(last.text) and _SENTENCE_START_PATTERN.match(line.text)
    )


def _find_item_marker(line: TextLine) -> str:
    """The bullet or number that a list item begins with; "" if the line is not one."""
    words = line.words
    if len(words) < 2:
        return ""
    first = words[0].text
    if _BULLET_PATTERN.fullmatch(first) or _ITEM_NUMBER_PATTERN.fullmatch(first):
        return first
    apart = words[1].x0 - words[0].x1 > 0.6 * line.size
    return first if apart and first.isascii() and first.isdigit() and len(first) < 3 else ""


def _is_monospaced(line: TextLine) -> bool:
    return all(word.style.mono for word in line.words)


def _build_block(run: list[TextLine], clues: PageClues, room: tuple[float, float]) -> PdfBlock:
    first = run[0]
    heading = find_heading(run, clues, room)
    if _is_monospaced(first) and heading is None:
        return PdfBlock("code", _join_code_lines(run), first.size)
    text = join_text_lines(run, clues.hyphens)
    bold = all(map(is_bold_line, run))
    if DOT_LEADER_PATTERN.search(" ".join(line.text for line in run)):
        return PdfBlock(
            "item", DOT_LEADER_PATTERN.sub(r" … \1", text), first.size, bold, first.x0, "-"
        )
    if heading is not None:
        return PdfBlock("heading", text, first.size, bold, heading=heading)
    if marker := _find_item_marker(first):
        return _build_list_item(run, marker, clues.hyphens)
    return PdfBlock("paragraph", text, first.size, bold)


def _build_list_item(run: list[TextLine], marker: str, hyphens: HyphenHabits) -> PdfBlock:
    first = run[0]
    number = _ITEM_NUMBER_PATTERN.fullmatch(marker)
    letter = number is not None and not number[1].isdigit()
    words = first.words if letter else first.words[1:]
    digits = "".join(filter(str.isdigit, marker))
    text = join_text_lines([first._replace(words=words), *run[1:]], hyphens)
    return PdfBlock("item", text, first.size, False, first.x0, f"{int(digits)}." if digits else "-")


def _join_code_lines(run: list[TextLine]) -> str:
    """Code lines as text; indentation follows each line's horizontal position."""
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


def join_text_lines(lines: Sequence[TextLine], hyphens: HyphenHabits | None = None) -> str:
    """The lines as running markdown: links kept, words hyphenated at line ends joined."""
    pieces: list[tuple[str, str]] = []  # text and where it links to
    for line in lines:
        for place, word in enumerate(line.words):
            _append_word(pieces, word, hyphens, at_start=place == 0)
    return "".join(_format_linked_text(text, link) for text, link in pieces).strip()


def _append_word(
    pieces: list[tuple[str, str]], word: PdfWord, hyphens: HyphenHabits | None, *, at_start: bool
) -> None:
    if not pieces:
        pieces.append((word.text, word.link))
        return
    text, link = pieces[-1]
    glue = " "
    is_broken = (
        len(text) > 2 and text[-1] in "-‐" and text[-2].islower() and word.text[:1].islower()
    )
    if at_start and is_broken:
        whole = text[text.rfind(" ") + 1 :] + word.text
        keep = hyphens is not None and hyphens.keeps_hyphen(whole)
        text, glue = (text if keep else text[:-1]), ""
    elif (
        at_start
        and _UNSPACED_SCRIPT_PATTERN.match(text[-1:])
        and _UNSPACED_SCRIPT_PATTERN.match(word.text)
    ):
        glue = ""
    if link == word.link:
        pieces[-1] = (text + glue + word.text, link)
    elif link:
        pieces[-1] = (text, link)
        pieces.append((glue + word.text, word.link))
    else:
        pieces[-1] = (text + glue, link)
        pieces.append((word.text, word.link))


def _format_linked_text(text: str, link: str) -> str:
    if not link:
        return escape_markdown(text)
    bare = text.strip()
    before = text[: len(text) - len(text.lstrip())]
    address = resolve_link("", link)
    if not bare or not address:
        return escape_markdown(text)
    return f"{before}[{escape_markdown(bare)}]({address})"
