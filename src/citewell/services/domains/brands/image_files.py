"""Tells the format and size of an image by its first bytes; an HTML page is none."""

from __future__ import annotations

import struct
from dataclasses import dataclass

IMAGE_HEAD_BYTES = 4096
_PNG_SIZE_PLACE = slice(16, 24)
_GIF_SIZE_PLACE = slice(6, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    format: str  # png, jpeg, gif, webp, ico, avif or svg
    width: int | None = None
    height: int | None = None


def read_image_facts(head: bytes) -> ImageFacts | None:
    """The image that begins with these bytes; None if they begin no image that we know.

    An SVG is only recognised, never parsed or shown: it may carry scripts.
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= _PNG_SIZE_PLACE.stop:
        width, height = struct.unpack(">II", head[_PNG_SIZE_PLACE])
        return ImageFacts(format="png", width=width or None, height=height or None)
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= _GIF_SIZE_PLACE.stop:
        width, height = struct.unpack("<HH", head[_GIF_SIZE_PLACE])
        return ImageFacts(format="gif", width=width or None, height=height or None)
    return _recognise_format(head)


def _recognise_format(head: bytes) -> ImageFacts | None:
    if head.startswith(b"\xff\xd8\xff"):
        return ImageFacts(format="jpeg")
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return ImageFacts(format="webp")
    if head.startswith(b"\x00\x00\x01\x00"):
        return ImageFacts(format="ico")
    if head[4:12] in {b"ftypavif", b"ftypavis"}:
        return ImageFacts(format="avif")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"<svg") or (
        start.startswith((b"<?xml", b"<!doctype svg", b"<!--"))
        and b"<svg" in start
        and b"<html" not in start
    ):
        return ImageFacts(format="svg")
    return None
