"""Words to lines, and lines to the order in which a reader takes them, column by column."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median
from typing import NamedTuple

from citewell.fetch.documents.pdf.glyphs import Word

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LTR = re.compile("[A-Za-z\u00c0-\u058f]")
_MARKER = re.compile(r"(?:[•◦▪‣·○●■□▸►–—*-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])")
# From an entry of a table of contents to its page.
LEADER = re.compile(r"\s*(?:\.\s?){4,}\s*(\w{1,6})$")
_SAME_LINE = 0.35  # of the size: how far baselines of one line may differ
_GAP = 1.0  # of the size: wider holds two pieces apart, at least until they prove no table
_DEEPEST = 6


class Line(NamedTuple):
    words: tuple[Word, ...]
    x0: float
    x1: float
    y: float
    size: float

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def make_line(words: list[Word]) -> Line:
    sizes = Counter[float]()
    for word in words:
        sizes[word.style.size] += len(word.text)
    size = sizes.most_common(1)[0][0]
    main = [word.y for word in words if word.style.size == size]
    return Line(
        words=tuple(_reading_order(words)),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=main[0],
        size=size,
    )


def is_rtl(text: str) -> bool:
    return len(_RTL.findall(text)) > len(_LTR.findall(text))


def _reading_order(words: list[Word]) -> list[Word]:
    """By place on the line; right to left where the script is, with Latin runs turned back."""
    if not is_rtl("".join(word.text for word in words)):
        return sorted(words, key=lambda word: word.x0)
    ordered = sorted(words, key=lambda word: -word.x1)
    result: list[Word] = []
    run: list[Word] = []
    for word in ordered:
        if _LTR.search(word.text) and not _RTL.search(word.text):
            run.insert(0, word)
            continue
        result += [*run, word]
        run = []
    return result + run


def split_lines(words: list[Word]) -> list[Line]:
    """Pieces of lines: words on one baseline with no wide gap between them."""
    pieces: list[list[Word]] = []
    for word in words:
        if pieces and _continues(pieces[-1][-1], word):
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return _joined([make_line(piece) for piece in pieces])


def _continues(last: Word, word: Word) -> bool:
    size = max(last.style.size, word.style.size)
    gap = max(word.x0 - last.x1, last.x0 - word.x1)
    return abs(word.y - last.y) <= _SAME_LINE * size and gap <= _GAP * size


def _joined(lines: list[Line]) -> list[Line]:
    """Pieces that the file wrote apart but that stand side by side on one line."""
    by_place = sorted(lines, key=lambda line: (round(line.y), line.x0))
    rows: list[list[Line]] = []
    for line in by_place:
        row = next((row for row in rows[-3:] if _level(row[-1], line)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [line for row in rows for line in _join_row(sorted(row, key=lambda line: line.x0))]


def _level(one: Line, other: Line) -> bool:
    return abs(one.y - other.y) <= _SAME_LINE * max(one.size, other.size)


def _numbered(number: Line, line: Line) -> bool:
    """A bare number before a sentence is a list's; before a short text it may be a table's."""
    return (
        number.text.isascii() and number.text.isdigit() and len(number.text) < 3 < len(line.words)
    )


def _join_row(row: list[Line]) -> list[Line]:
    kept = [row[0]]
    for line in row[1:]:
        last = kept[-1]
        size = max(last.size, line.size)
        marked = _MARKER.fullmatch(last.text) or (len(row) == 2 and _numbered(last, line))
        room = 3.5 * size if marked else _GAP * size
        if line.x0 - last.x1 <= room:
            kept[-1] = make_line([*last.words, *line.words])
        else:
            kept.append(line)
    return kept


def reading_order(lines: list[Line], *, depth: int = 0) -> list[list[Line]]:
    """Regions of lines in the order they are read; each region is one column wide."""
    if len(lines) < 6 or depth > _DEEPEST:
        return [sorted(lines, key=lambda line: (line.y, line.x0))] if lines else []
    gutter = _gutter(lines)
    if gutter is None:
        return [sorted(lines, key=lambda line: (line.y, line.x0))]
    regions: list[list[Line]] = [[]]
    band: list[Line] = []
    for line in sorted(lines, key=lambda line: line.y):
        if line.x0 < gutter < line.x1:
            _place_band(band, gutter, regions, depth)
            band = []
            regions[-1].append(line)
        else:
            band.append(line)
    _place_band(band, gutter, regions, depth)
    return [region for region in regions if region]


def _place_band(band: list[Line], gutter: float, regions: list[list[Line]], depth: int) -> None:
    """Columns become regions of their own; anything else belongs to the text above and below it."""
    columns = _columns(band, gutter, depth) if band else []
    if columns:
        regions += [*columns, []]
    else:
        regions[-1] += sorted(band, key=lambda line: (line.y, line.x0))


def _columns(band: list[Line], gutter: float, depth: int) -> list[list[Line]]:
    left = [line for line in band if line.x1 <= gutter]
    right = [line for line in band if line.x0 >= gutter]
    if not _is_prose(left, right):
        return []
    sides = [left, right]
    if is_rtl("".join(line.text for line in band)):
        sides.reverse()
    return [region for side in sides for region in reading_order(side, depth=depth + 1)]


def _is_prose(left: list[Line], right: list[Line]) -> bool:
    """Columns of running text fill their width; the cells of a table do not."""
    if min(len(left), len(right)) < 3:
        return False
    for side in (left, right):
        width = max(line.x1 for line in side) - min(line.x0 for line in side)
        usual = median(line.x1 - line.x0 for line in side)
        words = median(len(line.text) for line in side)
        if usual < 0.6 * width or words < 18:
            return False
    return True


def _gutter(lines: list[Line]) -> float | None:
    """The middle of the widest strip that almost no line crosses and that has lines on both sides."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    size = median(line.size for line in lines)
    edges = sorted(
        {line.x1 for line in lines if left + 0.15 * (right - left) < line.x1 < right - size}
    )
    best: tuple[int, float, float] | None = None
    for edge in edges:
        beyond = [line for line in lines if line.x0 > edge]
        before = [line for line in lines if line.x1 <= edge]
        crossing = len(lines) - len(beyond) - len(before)
        if len(beyond) < 3 or len(before) < 3 or crossing > 0.25 * len(lines):
            continue
        room = min(line.x0 for line in beyond) - edge
        if room >= 0.7 * size and (best is None or (crossing, -room) < best[:2]):
            best = (crossing, -room, edge + room / 2)
    return best[2] if best else None
