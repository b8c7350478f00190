"""Draws a page of a PDF as a picture in shades of grey, for text recognition."""

from __future__ import annotations

import math
import zlib
from base64 import b64encode

from citewell.fetch.documents.pdf.pdf_opening import open_pdf
from citewell.fetch.documents.recognition.page_picture import PagePicture

_WANTED_DOTS_PER_INCH = 300  # what recognition works best with
_MAX_DOTS = 12_000_000
_POINTS_PER_INCH = 72


def render_page_image(body: bytes, number: int) -> PagePicture:
    """The picture of one page, `number` from 0; a very large page gets a coarser one."""
    document = open_pdf(body)
    try:
        page = document[number]
        area = max(page.get_width() * page.get_height(), 1.0)
        scale = min(_WANTED_DOTS_PER_INCH / _POINTS_PER_INCH, math.sqrt(_MAX_DOTS / area))
        bitmap = page.render(scale=scale, grayscale=True)
        raw = bytes(bitmap.buffer)
        rows = b"".join(
            raw[row * bitmap.stride : row * bitmap.stride + bitmap.width]
            for row in range(bitmap.height)
        )
        dots = max(round(scale * _POINTS_PER_INCH), _POINTS_PER_INCH)
        packed = b64encode(zlib.compress(rows, 1)).decode("ascii")
        return PagePicture(bitmap.width, bitmap.height, dots, packed)
    finally:
        document.close()
