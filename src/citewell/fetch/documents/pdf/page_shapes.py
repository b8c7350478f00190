"""Finds what a PDF page draws besides text: ruled lines, coloured backgrounds and images."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.pdfium import PDFIUM_API

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

    def has_background(self, x: float, y: float) -> bool:
        """Whether a coloured background or an image lies under this point."""
        return any(box.contains_point(x, y) for box in self.backgrounds)


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
        box = _measure_object_bounds(item, left, top)
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
    return bool(
        kinds
        & {
            PDFIUM_API.FPDF_PAGEOBJ_IMAGE,
            PDFIUM_API.FPDF_PAGEOBJ_SHADING,
            PDFIUM_API.FPDF_PAGEOBJ_PATH,
        }
    )


def _measure_object_bounds(item: Any, left: float, top: float) -> PageBox:
    x0, y0, x1, y1 = (ctypes.c_float() for _ in range(4))
    PDFIUM_API.FPDFPageObj_GetBounds(item, x0, y0, x1, y1)
    return PageBox(x0.value - left, top - y1.value, x1.value - left, top - y0.value)


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
    if filled.value and _is_coloured_fill(item):
        grounds.append(box)
    if PDFIUM_API.FPDFPath_CountSegments(item) <= 6:
        across += (PageBox(box.x0, box.y0, box.x1, box.y0), PageBox(box.x0, box.y1, box.x1, box.y1))
        down += (PageBox(box.x0, box.y0, box.x0, box.y1), PageBox(box.x1, box.y0, box.x1, box.y1))


def _is_coloured_fill(item: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    PDFIUM_API.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
    return alpha.value > 0 and min(red.value, green.value, blue.value) < _WHITE_FILL_LEVEL
