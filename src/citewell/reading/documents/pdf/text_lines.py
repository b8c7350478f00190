"""Groups words into lines, and lines into reading order, column by column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

LIST_MARKER_PATTERN = re.compile(r"(?:[•◦▪‣·○●■□▸►–—*-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])")
# The dots between an entry of a table of contents and its page number.
DOT_LEADER_PATTERN = re.compile(r"(?:(?<!\s)\s++)?(?<!\.)(?<!\.\s)(?:\.\s?){4,}+\s*+(\w{1,6})$")
DOTS_PATTERN = re.compile(r"(?:\.\s?){4,}")
_SAME_LINE_TOLERANCE = 0.35  # of the font size: how far baselines of one line may differ
_MAX_WORD_GAP = 1.0  # of the font size: a wider gap separates two pieces, which may be table cells
_MIN_PROSE_LINES = 3
_MIN_PROSE_LENGTH = 18  # characters of a line of running text in a narrow column
_MAX_COLUMN_DEPTH = 6
_MAX_COLUMN_LINES = 2000  # a drawing or a hostile page; looking for columns takes the square of it
_MIN_BAND_SPACE = 0.6  # of the font size: the space across a page at which its layout may change
_MAX_BAND_SPACES = 8

Strips = list[tuple[float, float]]  # left and right edges


class TextStyle(NamedTuple):
    size: float
    bold: bool
    mono: bool
    angle: int  # degrees, counter-clockwise
    painted: bool
    white: bool
    italic: bool = False
    tagged_level: int = 0  # of the heading that the PDF's own tags put this text in


class PdfWord(NamedTuple):
    text: str
    x0: float
    x1: float
    y: float  # baseline, downwards from the top of the page
    style: TextStyle
    link: str = ""
    rtl: bool = False  # stands in a right-to-left line, and comes in reading order


class TextLine(NamedTuple):
    words: tuple[PdfWord, ...]
    x0: float
    x1: float
    y: float
    size: float

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def rtl(self) -> bool:
        return any(word.rtl for word in self.words)


def build_text_line(words: list[PdfWord]) -> TextLine:
    sizes = Counter[float]()
    for word in words:
        sizes[word.style.size] += len(word.text)
    size = sizes.most_common(1)[0][0]
    main = [word.y for word in words if word.style.size == size]
    # Words of right-to-left lines come in reading order already.
    is_ordered = any(word.rtl for word in words)
    return TextLine(
        words=tuple(words if is_ordered else sorted(words, key=lambda word: word.x0)),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=main[0],
        size=size,
    )


def split_into_lines(words: list[PdfWord]) -> list[TextLine]:
    """Lines, or pieces of lines: words on one baseline with no wide gap between them."""
    pieces: list[list[PdfWord]] = []
    for word in words:
        if pieces and _is_line_continuation(pieces[-1][-1], word):
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return _join_line_pieces([build_text_line(piece) for piece in pieces])


def _is_line_continuation(last: PdfWord, word: PdfWord) -> bool:
    large, small = max(last.style.size, word.style.size), min(last.style.size, word.style.size)
    gap = max(word.x0 - last.x1, last.x0 - word.x1)
    # A large heading must not reach across the gutter to the small text of the next column.
    return abs(word.y - last.y) <= _SAME_LINE_TOLERANCE * large and gap <= _MAX_WORD_GAP * small


def _join_line_pieces(lines: list[TextLine]) -> list[TextLine]:
    """Lines, with pieces joined that stand side by side but are apart in the file."""
    by_place = sorted(lines, key=lambda line: (round(line.y), line.x0))
    rows: list[list[TextLine]] = []
    for line in by_place:
        for row in rows[-3:]:
            last = row[-1]
            if abs(last.y - line.y) <= _SAME_LINE_TOLERANCE * max(last.size, line.size):
                row.append(line)
                break
        else:
            rows.append([line])
    return [line for row in rows for line in _join_row_pieces(row)]


def _join_row_pieces(row: list[TextLine]) -> list[TextLine]:
    """The row's pieces from left to right, or from right to left, joined where no wide gap is."""
    rtl = any(line.rtl for line in row)
    row = sorted(row, key=lambda line: -line.x1 if rtl else line.x0)
    kept = [row[0]]
    for line in row[1:]:
        last = kept[-1]
        size = min(last.size, line.size)
        # A bare number may begin a list item; before a short text it may be a table cell.
        is_number = last.text.isascii() and last.text.isdigit()
        is_item = len(row) == 2 and is_number and len(last.text) < 3 < len(line.words)
        marked = is_item or LIST_MARKER_PATTERN.fullmatch(last.text)
        room = 3.5 * size if marked else _MAX_WORD_GAP * size
        if (last.x0 - line.x1 if rtl else line.x0 - last.x1) <= room:
            kept[-1] = build_text_line([*last.words, *line.words])
        else:
            kept.append(line)
    return kept


def order_line_regions(lines: list[TextLine], *, depth: int = 0) -> list[list[TextLine]]:
    """Regions of lines in reading order; each region is one column wide."""
    if len(lines) < 6 or len(lines) > _MAX_COLUMN_LINES or depth > _MAX_COLUMN_DEPTH:
        return [sorted(lines, key=lambda line: (line.y, line.x0))] if lines else []
    gutter = _find_column_gutter(lines)
    if gutter is None:
        for upper, lower in _split_at_spaces(lines) if depth < _MAX_COLUMN_DEPTH else ():
            if _is_set_in_columns(upper) or _is_set_in_columns(lower):
                return order_line_regions(upper, depth=depth + 1) + order_line_regions(
                    lower, depth=depth + 1
                )
        return [sorted(lines, key=lambda line: (line.y, line.x0))]
    regions: list[list[TextLine]] = [[]]
    band: list[TextLine] = []
    # Where the page as a whole is set in columns, a band with a figure or a few lines is too.
    sure = _has_prose_columns(*_split_at_gutter(lines, gutter))
    for line in sorted(lines, key=lambda line: line.y):
        if line.x0 < gutter < line.x1:
            _add_band_regions(band, gutter, regions, depth, sure=sure)
            band = []
            regions[-1].append(line)
        else:
            band.append(line)
    _add_band_regions(band, gutter, regions, depth, sure=sure)
    return [region for region in regions if region]


def _split_at_spaces(
    lines: list[TextLine],
) -> Iterator[tuple[list[TextLine], list[TextLine]]]:
    """The lines above and below each wide space that goes across them, the widest space first."""
    ordered = sorted(lines, key=lambda line: line.y)
    spaces: list[tuple[float, int]] = []
    for place, line in enumerate(ordered[1:], 1):
        space = line.y - line.size - ordered[place - 1].y
        if space > _MIN_BAND_SPACE * line.size:
            spaces.append((space, place))
    for _, place in sorted(spaces, reverse=True)[:_MAX_BAND_SPACES]:
        yield ordered[:place], ordered[place:]


def _is_set_in_columns(lines: list[TextLine]) -> bool:
    gutter = _find_column_gutter(lines) if len(lines) >= 2 * _MIN_PROSE_LINES else None
    return gutter is not None and _has_prose_columns(*_split_at_gutter(lines, gutter))


def _split_at_gutter(lines: list[TextLine], gutter: float) -> tuple[list[TextLine], list[TextLine]]:
    return [line for line in lines if line.x1 <= gutter], [
        line for line in lines if line.x0 >= gutter
    ]


def _add_band_regions(
    band: list[TextLine], gutter: float, regions: list[list[TextLine]], depth: int, *, sure: bool
) -> None:
    """Add the band's columns as new regions, or its lines to the last region if it has none."""
    columns = _split_columns(band, gutter, depth, sure=sure) if band else []
    if columns:
        regions += [*columns, []]
    else:
        regions[-1] += sorted(band, key=lambda line: (line.y, line.x0))


def _split_columns(
    band: list[TextLine], gutter: float, depth: int, *, sure: bool
) -> list[list[TextLine]]:
    left, right = _split_at_gutter(band, gutter)
    if sure and left and right:
        if _is_table_across(left, right):
            return []
    elif not _has_prose_columns(left, right):
        return []
    sides = [left, right]
    if 2 * sum(line.rtl for line in band) > len(band):
        sides.reverse()
    return [region for side in sides for region in order_line_regions(side, depth=depth + 1)]


def _is_table_across(left: list[TextLine], right: list[TextLine]) -> bool:
    """Whether both sides are short cells that stand on the same baselines, as in a wide table."""
    tops = [line.y for line in right]
    level = sum(any(abs(line.y - y) <= 0.3 * line.size for y in tops) for line in left)
    short = all(median(len(line.text) for line in side) < 18 for side in (left, right))
    return short and min(len(left), len(right)) >= 2 and level >= 0.8 * len(left)


def _has_prose_columns(left: list[TextLine], right: list[TextLine]) -> bool:
    return is_running_text(left) and is_running_text(right)


def is_running_text(lines: list[TextLine]) -> bool:
    """Whether most letters of a column stand in rows that fill it; those of a table do not."""
    rows = group_text_rows(lines)
    if len(rows) < _MIN_PROSE_LINES:
        return False
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    parted = [row for row in rows if len(row) > 1]
    # Wide spaces of justified text stand anywhere, gaps of a table below one another.
    edges = [[(line.x0, line.x1) for line in row] for row in parted]
    spaced = len(parted) > 2 and len(find_covered_strips(edges)) == 1
    long = 0
    count = 0
    for row in rows:
        wide = row[-1].x1 - row[0].x0 if spaced else max(line.x1 - line.x0 for line in row)
        length = sum(len(line.text) for line in row)
        if any(DOTS_PATTERN.search(line.text) for line in row):
            continue  # dots that lead to a figure fill the line, but are no text
        if wide >= 0.6 * (right - left) and length >= _MIN_PROSE_LENGTH:
            long += length
            count += 1
    return count >= _MIN_PROSE_LINES and long >= 0.6 * sum(len(line.text) for line in lines)


def group_text_rows(lines: list[TextLine]) -> list[list[TextLine]]:
    """Lines on one baseline together, from left to right; rows from top to bottom."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) <= 0.4 * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def find_covered_strips(rows: list[list[tuple[float, float]]]) -> Strips:
    """The strips that hold something, parted by strips that nearly all rows leave empty."""
    left = int(min(x0 for row in rows for x0, _ in row))
    right = int(max(x1 for row in rows for _, x1 in row)) + 1
    covered = [0] * (right - left + 1)
    for row in rows:
        for x0, x1 in row:
            for x in range(int(x0) - left, min(int(x1) - left + 1, len(covered))):
                covered[x] += 1
    few = len(rows) // 10  # a heading across columns is no reason to join them
    strips: Strips = []
    start: int | None = None
    for x, count in enumerate([*covered, 0]):
        if count > few and start is None:
            start = x
        elif count <= few and start is not None:
            strips.append((left + start, left + x))
            start = None
    return strips


def _find_column_gutter(lines: list[TextLine]) -> float | None:
    """The centre of the strip between two columns, which few or no lines cross; None if absent."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    size = median(line.size for line in lines)
    edges = sorted(
        {line.x1 for line in lines if left + 0.15 * (right - left) < line.x1 < right - size}
    )
    best: tuple[int, float, float] | None = None
    stray = max(1, len(lines) // 20)  # lines such as a page number that may stand in the gutter
    for edge in edges:
        starts = sorted(line.x0 for line in lines if line.x0 > edge)
        before = sum(line.x1 <= edge for line in lines)
        for inside, start in enumerate(starts[: stray + 1]):
            crossing = len(lines) - len(starts) - before + inside
            if len(starts) - inside < 3 or before < 3 or crossing > 0.25 * len(lines):
                break
            room = start - edge
            if room >= 0.7 * size:
                found = (crossing, -room, edge + room / 2)
                best = min(best, found) if best else found
                break
    return best[2] if best else None
