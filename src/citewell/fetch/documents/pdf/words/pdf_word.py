"""One word on a PDF page: its text, place and style."""

from __future__ import annotations

from typing import NamedTuple


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
