"""The picture of a scanned page on its way from a worker to text recognition."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PagePicture:
    width: int
    height: int
    dots_per_inch: int
    pixels: str  # one byte each, row by row, compressed by zlib, in base64
