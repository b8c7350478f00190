"""Finds tables on a PDF page by their ruled lines, or by rows whose cells keep to the same columns."""

from __future__ import annotations

import ctypes
from statistics import median
from typing import Any, NamedTuple

from citewell.reading.documents.pdf import PDFIUM_API
from citewell.reading.documents.pdf.text_lines import (
    DOT_LEADER_PATTERN,
    DOTS_PATTERN,
    LIST_MARKER_PATTERN,
    PdfWord,
    Strips,
    TextLine,
    build_text_line,
    find_covered_strips,
    group_text_rows,
    is_running_text,
    split_into_lines,
)

_MAX_RULE_POINTS = 2.5  # points; thicker is an area, not a line
_MIN_RULE_LENGTH_POINTS = 6.0
_MAX_PAGE_OBJECTS = 20_000  # objects; further ones on a page are ignored
_WHITE_FILL_LEVEL = 248
_MIN_TABLE_ROWS = 3
_MIN_FIGURE_ROWS = 4  # rows from which figures in line are columns though they stand close
_MAX_SHORTER_RUNS = 4
_MAX_LONE_ROWS = 2  # rows of one cell between rows of several
_PROSE_LENGTH = 30  # characters; columns of such lines are running text
_MAX_CELL_LENGTH = 60  # characters; the usual cell of all columns but one is shorter


class PageBox(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float

    def contains_point(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


class PageShapes(NamedTuple):
    across: tuple[PageBox, ...]
    down: tuple[PageBox, ...]
    backgrounds: tuple[PageBox, ...]
    is_scan: bool  # an image covers more than half of the page
    images: int
    drawings: int = 0  # lines and shapes


def read_page_shapes(page: Any) -> PageShapes:
    left, bottom, right, top = page.get_cropbox()
    area = max((right - left) * (top - bottom), 1.0)
    across: list[PageBox] = []
    down: list[PageBox] = []
    grounds: list[PageBox] = []
    images, largest, drawings = 0, 0.0, 0
    for index in range(min(PDFIUM_API.FPDFPage_CountObjects(page.raw), _MAX_PAGE_OBJECTS)):
        item = PDFIUM_API.FPDFPage_GetObject(page.raw, index)
        kind = PDFIUM_API.FPDFPageObj_GetType(item)
        if kind == PDFIUM_API.FPDF_PAGEOBJ_TEXT:
            continue
        x0, y0, x1, y1 = (ctypes.c_float() for _ in range(4))
        PDFIUM_API.FPDFPageObj_GetBounds(item, x0, y0, x1, y1)
        box = PageBox(x0.value - left, top - y1.value, x1.value - left, top - y0.value)
        if kind == PDFIUM_API.FPDF_PAGEOBJ_PATH:
            _add_path_shapes(item, box, (across, down, grounds))
            drawings += 1
            continue
        holds_image = kind == PDFIUM_API.FPDF_PAGEOBJ_IMAGE or (
            kind == PDFIUM_API.FPDF_PAGEOBJ_FORM and _is_painted_form(item)
        )
        if holds_image:
            images += 1
            largest = max(largest, (box.x1 - box.x0) * (box.y1 - box.y0))
        if holds_image or kind == PDFIUM_API.FPDF_PAGEOBJ_SHADING:
            grounds.append(box)
    covered = largest > 0.5 * area
    return PageShapes(tuple(across), tuple(down), tuple(grounds), covered, images, drawings)


def _is_painted_form(form: Any) -> bool:
    """Whether a form object paints anything but text; its inner coordinates are ignored."""
    count = min(PDFIUM_API.FPDFFormObj_CountObjects(form), 200)
    kinds = {
        PDFIUM_API.FPDFPageObj_GetType(PDFIUM_API.FPDFFormObj_GetObject(form, i))
        for i in range(count)
    }
    painted = (
        PDFIUM_API.FPDF_PAGEOBJ_IMAGE,
        PDFIUM_API.FPDF_PAGEOBJ_SHADING,
        PDFIUM_API.FPDF_PAGEOBJ_PATH,
    )
    return not kinds.isdisjoint(painted)


def _add_path_shapes(
    item: Any, box: PageBox, into: tuple[list[PageBox], list[PageBox], list[PageBox]]
) -> None:
    across, down, grounds = into
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if height <= _MAX_RULE_POINTS and width >= _MIN_RULE_LENGTH_POINTS:
        across.append(box)
        return
    if width <= _MAX_RULE_POINTS and height >= _MIN_RULE_LENGTH_POINTS:
        down.append(box)
        return
    if width < _MIN_RULE_LENGTH_POINTS or height < _MIN_RULE_LENGTH_POINTS:
        return
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    PDFIUM_API.FPDFPath_GetDrawMode(item, filled, stroked)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    PDFIUM_API.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
    is_coloured = alpha.value > 0 and min(red.value, green.value, blue.value) < _WHITE_FILL_LEVEL
    if filled.value and is_coloured:
        grounds.append(box)
    if PDFIUM_API.FPDFPath_CountSegments(item) <= 6:
        across += (PageBox(box.x0, box.y0, box.x1, box.y0), PageBox(box.x0, box.y1, box.x1, box.y1))
        down += (PageBox(box.x0, box.y0, box.x0, box.y1), PageBox(box.x1, box.y0, box.x1, box.y1))


_RULE_TOLERANCE_POINTS = 2.0
_MAX_TABLE_RULES = 1500
_MIN_GROUPED_ROWS = 5  # lines in each of two cells that may be rows of their own
_MAX_GROUPED_LENGTH = 25  # characters of such a line


class PdfTable(NamedTuple):
    box: PageBox
    rows: tuple[tuple[tuple[TextLine, ...], ...], ...]  # each cell is the lines in it


def find_ruled_tables(
    words: list[PdfWord], shapes: PageShapes
) -> tuple[list[PdfTable], list[PdfWord]]:
    """Tables drawn with lines, and the words outside them."""
    if len(shapes.across) + len(shapes.down) > _MAX_TABLE_RULES:
        return [], words
    tables: list[PdfTable] = []
    for across, down in _group_touching_rules(shapes):
        ys = _merge_close_values([box.y0 for box in across])
        xs = _merge_close_values([box.x0 for box in down])
        if len(xs) < 3 or len(ys) < 3:
            continue
        box = PageBox(xs[0], ys[0], xs[-1], ys[-1])
        inside = [word for word in words if _is_word_inside(word, box)]
        table = _build_ruled_table(inside, xs, ys, box)
        if table is None:
            continue
        tables.append(table)
        words = [word for word in words if not _is_word_inside(word, box)]
    return tables, words


def _group_touching_rules(shapes: PageShapes) -> list[tuple[list[PageBox], list[PageBox]]]:
    """Groups of touching rules, each as (horizontal rules, vertical rules)."""
    rules = [(box, True) for box in shapes.across] + [(box, False) for box in shapes.down]
    groups: list[tuple[PageBox, list[tuple[PageBox, bool]]]] = []
    for box, flat in sorted(rules):
        touching = [group for group in groups if _is_touching(group[0], box)]
        members = [(box, flat), *(rule for group in touching for rule in group[1])]
        hull = _merge_boxes([box, *(group[0] for group in touching)])
        groups = [group for group in groups if group not in touching] + [(hull, members)]
    return [
        ([box for box, flat in members if flat], [box for box, flat in members if not flat])
        for _, members in groups
        if len(members) >= 6
    ]


def _is_touching(box: PageBox, other: PageBox) -> bool:
    t = _RULE_TOLERANCE_POINTS
    return (
        box.x0 - t <= other.x1
        and other.x0 - t <= box.x1
        and box.y0 - t <= other.y1
        and other.y0 - t <= box.y1
    )


def _merge_boxes(boxes: list[PageBox]) -> PageBox:
    return PageBox(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _merge_close_values(values: list[float]) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > 2 * _RULE_TOLERANCE_POINTS:
            kept.append(value)
    return kept


def _is_word_inside(word: PdfWord, box: PageBox) -> bool:
    return box.contains_point((word.x0 + word.x1) / 2, word.y - word.style.size / 4)


def _build_ruled_table(
    words: list[PdfWord], xs: list[float], ys: list[float], box: PageBox
) -> PdfTable | None:
    cells: dict[tuple[int, int], list[PdfWord]] = {}
    for word in words:
        column = _find_grid_index(xs, (word.x0 + word.x1) / 2)
        row = _find_grid_index(ys, word.y - word.style.size / 4)
        cells.setdefault((row, column), []).append(word)
    columns = {column for _, column in cells}
    rows = {row for row, _ in cells}
    if len(columns) < 2 or len(rows) < 2:
        return None
    made = tuple(
        tuple(tuple(split_into_lines(cells.get((row, column), []))) for column in sorted(columns))
        for row in sorted(rows)
    )
    # Rules around groups of rows only: the rows are found by their alignment instead.
    return None if any(map(_holds_many_rows, made)) else PdfTable(box, made)


def _holds_many_rows(row: tuple[tuple[TextLine, ...], ...]) -> bool:
    """Whether a row of the grid holds many rows of text, which stand level in two or more cells."""
    tall = [{round(line.y) for line in cell} for cell in row]
    tall = [levels for levels in tall if len(levels) >= _MIN_GROUPED_ROWS]
    if len(tall) < 2:
        return False
    short = [len(line.text) < _MAX_GROUPED_LENGTH for cell in row for line in cell]
    shared = set.intersection(*tall)
    return len(shared) >= 0.8 * max(map(len, tall)) and sum(short) >= 0.8 * len(short)


def _find_grid_index(edges: list[float], value: float) -> int:
    return max(sum(edge <= value for edge in edges) - 1, 0)


def replace_aligned_tables(lines: list[TextLine]) -> list[TextLine | PdfTable]:
    """The region's lines, with each run of rows in the same columns replaced by a table."""
    rows = group_text_rows(lines)
    result: list[TextLine | PdfTable] = []
    place = 0
    while place < len(rows):
        found, end = _read_longest_run(rows, place)
        if found is None:
            result += _join_spaced_pieces(rows[place])
            place += 1
        else:
            result += found
            place = end
    return result


def _read_longest_run(
    rows: list[list[TextLine]], start: int
) -> tuple[list[TextLine | PdfTable] | None, int]:
    """The table or columns that begin at this row, and where they end; shorter runs are tried too."""
    last = _find_table_end(rows, start)
    lone = [place for place in range(start + 1, last) if len(rows[place]) == 1]
    for end in (last, *lone[::-1][:_MAX_SHORTER_RUNS]):
        if end - start >= _MIN_TABLE_ROWS:
            found = _read_aligned_rows(rows[start:end])
            if found is not None:
                return found, end
    return None, start


def _join_spaced_pieces(row: list[TextLine]) -> list[TextLine]:
    """The row, with pieces joined that only wide spaces separate, as in justified text."""
    rtl = any(line.rtl for line in row)
    row = row[::-1] if rtl else row
    # Many short pieces on one line are a row of figures, which is read across.
    across = len(row) > 2 and all(len(line.text) < _PROSE_LENGTH for line in row[1:])
    across = across or _is_contents_row(row)
    kept = [row[0]]
    for line in row[1:]:
        gap = kept[-1].x0 - line.x1 if rtl else line.x0 - kept[-1].x1
        if (across or gap < 2.5 * line.size) and not line.words[0].style.mono:
            kept[-1] = build_text_line([*kept[-1].words, *line.words])
        else:
            kept.append(line)
    return kept


def _is_contents_row(row: list[TextLine]) -> bool:
    """Whether the row is an entry of a table of contents: dots that lead to one page number."""
    ordered = sorted(row, key=lambda line: -line.x1) if any(line.rtl for line in row) else row
    return bool(DOT_LEADER_PATTERN.search(" ".join(line.text for line in ordered)))


def _find_table_end(rows: list[list[TextLine]], start: int) -> int:
    """The end of the run of rows of two or more pieces; a few lone pieces may stand among them."""
    end = place = start
    while place < len(rows):
        row = rows[place]
        if place > start and row[0].y - rows[place - 1][0].y > 3 * row[0].size:
            break
        if _is_contents_row(row):
            break
        if len(row) >= 2:
            end = place + 1
        elif (
            place == start
            or place - end >= _MAX_LONE_ROWS
            or abs(row[0].size - rows[start][0].size) > 0.15 * row[0].size
        ):
            break
        place += 1
    return end


def _read_aligned_rows(rows: list[list[TextLine]]) -> list[TextLine | PdfTable] | None:
    """The rows as a table, or column by column if they are running text; None if neither."""
    full = [row for row in rows if len(row) >= 2]
    mono = all(word.style.mono for row in rows for line in row for word in line.words)
    columns = [] if mono or len(full) < _MIN_TABLE_ROWS else _find_columns(full)
    if len(columns) < 2 or not _is_aligned(full, columns):
        return None
    crossed = [
        sum(row[0].x0 < right and left < row[0].x1 for left, right in columns)
        for row in rows
        if len(row) == 1
    ]
    # Many lines across columns are paragraphs whose first lines begin with a number.
    if sum(count > 1 for count in crossed) > 0.2 * len(rows):
        return None
    if _is_running_text(full, columns):
        return _read_by_column(rows, columns) if len(full) >= 0.7 * len(rows) else None
    cells = [_assign_cells(row, columns) for row in rows]
    if not _is_table_like(cells):
        return None
    box = PageBox(columns[0][0], rows[0][0].y, columns[-1][1], rows[-1][0].y)
    return [PdfTable(box, tuple(cells))]


def _find_columns(rows: list[list[TextLine]]) -> Strips:
    """The strips that hold text; columns of figures may stand closer than other cells."""
    columns = find_covered_strips([[(line.x0, line.x1) for line in row] for row in rows])
    refined: Strips = []
    for left, right in columns:
        words = [
            [word for line in row for word in line.words if left <= word.x0 and word.x1 <= right]
            for row in rows
        ]
        spans = [[(word.x0, word.x1) for word in row] for row in words if row]
        figures = [any(map(str.isdigit, word.text)) for row in words for word in row]
        tight = len(spans) >= _MIN_FIGURE_ROWS and sum(figures) >= 0.8 * len(figures)
        refined += find_covered_strips(spans) if tight else [(left, right)]
    return refined


def _is_aligned(rows: list[list[TextLine]], columns: Strips) -> bool:
    """Whether most rows have each of their pieces in a column of its own."""
    good = 0
    for row in rows:
        places = [_find_nearest_column(line.x0, line.x1, columns) for line in row]
        good += len(set(places)) == len(places)
    return good >= 0.7 * len(rows)


def _is_running_text(rows: list[list[TextLine]], columns: Strips) -> bool:
    """Whether two or more columns are filled by long lines, as in a page of several columns."""
    prose = 0
    for lines in _group_by_column(rows, columns):
        lengths = [len(line.text) for line in lines]
        long = sum(length for length in lengths if length >= _PROSE_LENGTH)
        prose += is_running_text(lines) and long >= 0.6 * sum(lengths)
    return prose >= 2


def _group_by_column(rows: list[list[TextLine]], columns: Strips) -> list[list[TextLine]]:
    groups: list[list[TextLine]] = [[] for _ in columns]
    for row in rows:
        for line in row:
            groups[_find_nearest_column(line.x0, line.x1, columns)].append(line)
    return groups


def _read_by_column(rows: list[list[TextLine]], columns: Strips) -> list[TextLine | PdfTable]:
    groups = _group_by_column(rows, columns)
    if any(line.rtl for row in rows for line in row):
        groups.reverse()
    return [line for column in groups for line in column]


def _is_table_like(cells: list[tuple[tuple[TextLine, ...], ...]]) -> bool:
    """Whether the cells are short and many enough for a table, and the first column no bullets."""
    texts = [[" ".join(line.text for line in cell) for cell in row] for row in cells]
    columns = [[text for text in column if text] for column in zip(*texts, strict=True)]
    full = [row for row in texts if sum(map(bool, row)) >= 2]
    long = sum(median(map(len, column)) > _MAX_CELL_LENGTH for column in columns if column)
    marks = all(LIST_MARKER_PATTERN.fullmatch(text) for text in columns[0])
    filled = sum(bool(text) for row in full for text in row)
    return (
        len(full) >= _MIN_TABLE_ROWS
        and long <= 1
        and not marks
        and filled >= (0.5 if len(columns) == 2 else 0.6) * len(full) * len(columns)
    )


def _assign_cells(row: list[TextLine], columns: Strips) -> tuple[tuple[TextLine, ...], ...]:
    cells: list[list[PdfWord]] = [[] for _ in columns]
    for line in row:
        place = _find_nearest_column(line.x0, line.x1, columns)
        inside = line.x0 >= columns[place][0] - 1 and line.x1 <= columns[place][1] + 1
        if len(row) == 1 and not inside:  # a label or note across columns stays whole
            place, inside = _find_nearest_column(line.x0, line.x0 + 1, columns), True
        for word in line.words:
            cells[place if inside else _find_nearest_column(word.x0, word.x1, columns)].append(word)
    return tuple((build_text_line(_strip_dots(words)),) if words else () for words in cells)


def _strip_dots(words: list[PdfWord]) -> list[PdfWord]:
    """The words without the dots that lead from a name to its figures."""
    dots = [word for word in words if not word.text.strip(".…")]
    if len(dots) == len(words):
        return words
    kept = [word for word in words if word.text.strip(".…")] if len(dots) > 2 else words
    last = kept[-1]
    bare = last.text.rstrip(".…") if DOTS_PATTERN.search(last.text) or len(dots) > 2 else last.text
    return [*kept[:-1], last._replace(text=bare or last.text)]


def _find_nearest_column(x0: float, x1: float, columns: Strips) -> int:
    def distance(place: int) -> tuple[float, float]:
        left, right = columns[place]
        shared = min(x1, right) - max(x0, left)
        return -shared, abs((left + right) / 2 - (x0 + x1) / 2)

    return min(range(len(columns)), key=distance)
