"""Decodes the text of a draft without changing it, also where its parts have different encodings."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from citewell.errors import InvalidInput
from citewell.fetch.decoding.page_charset import decode_body

_MAX_ODD_SHARE = 0.5  # of the lines that are not ASCII; with more the whole has another encoding
_MAX_CONTROL_SHARE = 0.01  # of all bytes; text has hardly any but the ends of lines
_LOOK_BYTES = 200_000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins with one
_CONTROL_PATTERN = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_ODD_LINE_CHARSET = "cp1252"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedDraft:
    text: str
    notes: tuple[str, ...] = ()


def decode_draft_bytes(data: bytes) -> DecodedDraft:
    """The text with plain ends of lines; single lines in another encoding are decoded on their own.

    Raises InvalidInput for bytes that are no text.
    """
    if _is_binary(data):
        raise InvalidInput(
            "The file is not text but binary data. Give the draft as markdown, LaTeX, HTML, plain"
            " text, Word, OpenDocument or PDF."
        )
    try:
        return DecodedDraft(text=_unify_line_ends(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        pass
    mixed = None if b"\0" in data else _decode_mixed_lines(data)
    if mixed is not None:
        return mixed
    decoded = decode_body(data)
    note = f"The text is not UTF-8; it was read as {decoded.charset}."
    return DecodedDraft(text=_unify_line_ends(decoded.text.removeprefix("\ufeff")), notes=(note,))


def _is_binary(data: bytes) -> bool:
    """Whether the bytes at even and at odd places both hold control characters.

    In UTF-16 only one of the two bytes of most characters can be taken for one.
    """
    if data.startswith(_WIDE_MARKS):
        return False
    shares = (_measure_control_share(data[first:_LOOK_BYTES:2]) for first in (0, 1))
    return min(shares) > _MAX_CONTROL_SHARE


def _measure_control_share(data: bytes) -> float:
    return len(_CONTROL_PATTERN.findall(data)) / len(data) if data else 0.0


def _decode_mixed_lines(data: bytes) -> DecodedDraft | None:
    """The text, if most of its lines are UTF-8; None if another encoding is more likely."""
    lines: list[str] = []
    odd: list[int] = []
    foreign = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        foreign += not line.isascii()
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            odd.append(number)
            lines.append(line.decode(_ODD_LINE_CHARSET, "replace"))
    if len(odd) > foreign * _MAX_ODD_SHARE:
        return None
    note = f"The text has mixed encodings: {len(odd)} of its lines, the first is line {odd[0]}, are not UTF-8 and were read as Windows-1252."
    return DecodedDraft(
        text=_unify_line_ends("\n".join(lines).removeprefix("\ufeff")), notes=(note,)
    )


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
