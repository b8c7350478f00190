"""Finds tables on a PDF page by their ruled lines."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from citewell.reading.documents.pdf import PDFIUM_API
from citewell.reading.documents.pdf.text_lines import PdfWord, TextLine, split_into_lines

_MAX_RULE_POINTS = 2.5  # points; thicker is an area, not a line
_MIN_RULE_LENGTH_POINTS = 6.0
_MAX_PAGE_OBJECTS = 20_000  # objects; further ones on a page are ignored
_WHITE_FILL_LEVEL = 248


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
