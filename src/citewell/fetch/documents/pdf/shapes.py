"""What is drawn on a PDF page besides text: ruled lines, coloured grounds and large images."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.engine import C

_THIN = 2.5  # points; thicker is an area, not a line
_SHORTEST = 6.0
_MOST = 20_000  # objects; a drawing with more is no table
_WHITE = 248


class Box(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float

    def holds(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


class Shapes(NamedTuple):
    across: tuple[Box, ...]
    down: tuple[Box, ...]
    grounds: tuple[Box, ...]
    covered: bool  # an image takes most of the page: it is a scan
    images: int

    def behind(self, x: float, y: float) -> bool:
        """Whether something other than white paper lies under this point."""
        return any(box.holds(x, y) for box in self.grounds)


def read_shapes(page: Any) -> Shapes:
    left, bottom, right, top = page.get_cropbox()
    area = max((right - left) * (top - bottom), 1.0)
    across: list[Box] = []
    down: list[Box] = []
    grounds: list[Box] = []
    images, largest = 0, 0.0
    for index in range(min(C.FPDFPage_CountObjects(page.raw), _MOST)):
        item = C.FPDFPage_GetObject(page.raw, index)
        kind = C.FPDFPageObj_GetType(item)
        if kind == C.FPDF_PAGEOBJ_TEXT:
            continue
        box = _bounds(item, left, top)
        if kind == C.FPDF_PAGEOBJ_PATH:
            _path(item, box, (across, down, grounds))
            continue
        holds_image = kind == C.FPDF_PAGEOBJ_IMAGE or (
            kind == C.FPDF_PAGEOBJ_FORM and _pictures(item)
        )
        if holds_image:
            images += 1
            largest = max(largest, (box.x1 - box.x0) * (box.y1 - box.y0))
        if holds_image or kind == C.FPDF_PAGEOBJ_SHADING:
            grounds.append(box)
    return Shapes(tuple(across), tuple(down), tuple(grounds), largest > 0.5 * area, images)


def _pictures(form: Any) -> bool:
    """Whether a form paints anything but text; its own coordinates are not followed."""
    count = min(C.FPDFFormObj_CountObjects(form), 200)
    kinds = {C.FPDFPageObj_GetType(C.FPDFFormObj_GetObject(form, i)) for i in range(count)}
    return bool(kinds & {C.FPDF_PAGEOBJ_IMAGE, C.FPDF_PAGEOBJ_SHADING, C.FPDF_PAGEOBJ_PATH})


def _bounds(item: Any, left: float, top: float) -> Box:
    x0, y0, x1, y1 = (ctypes.c_float() for _ in range(4))
    C.FPDFPageObj_GetBounds(item, x0, y0, x1, y1)
    return Box(x0.value - left, top - y1.value, x1.value - left, top - y0.value)


def _path(item: Any, box: Box, into: tuple[list[Box], list[Box], list[Box]]) -> None:
    across, down, grounds = into
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if height <= _THIN and width >= _SHORTEST:
        across.append(box)
        return
    if width <= _THIN and height >= _SHORTEST:
        down.append(box)
        return
    if width < _SHORTEST or height < _SHORTEST:
        return
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    C.FPDFPath_GetDrawMode(item, filled, stroked)
    if filled.value and _coloured(item):
        grounds.append(box)
    if C.FPDFPath_CountSegments(item) <= 6:
        across += (Box(box.x0, box.y0, box.x1, box.y0), Box(box.x0, box.y1, box.x1, box.y1))
        down += (Box(box.x0, box.y0, box.x0, box.y1), Box(box.x1, box.y0, box.x1, box.y1))


def _coloured(item: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    C.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
    return alpha.value > 0 and min(red.value, green.value, blue.value) < _WHITE
