"""Unpacks the compressed RTF in which Outlook stores the text of a message."""

from __future__ import annotations

import struct

from citewell.fetch.documents.document_text import Broken

_HEADER_BYTES = 16
_PACKED_MARK, _PLAIN_MARK = 0x75465A4C, 0x414C454D
_WINDOW_BYTES = 4096
_MAX_RTF_BYTES = 64 * 2**20
_FIRST_WINDOW = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def unpack_rtf(body: bytes) -> bytes:
    """The RTF; raises Broken if the header is not that of compressed RTF."""
    if len(body) < _HEADER_BYTES:
        raise Broken("The message's compressed text is cut off.")
    _, size, mark, _ = struct.unpack_from("<4I", body)
    if mark == _PLAIN_MARK:
        return body[_HEADER_BYTES : _HEADER_BYTES + size]
    if mark != _PACKED_MARK:
        raise Broken("The message's compressed text is damaged.")
    return _unpack_window(body, min(size, _MAX_RTF_BYTES))


def _unpack_window(body: bytes, size: int) -> bytes:
    window = bytearray(_FIRST_WINDOW.ljust(_WINDOW_BYTES, b"\x00"))
    write = len(_FIRST_WINDOW)
    out = bytearray()
    place = _HEADER_BYTES
    while place < len(body) and len(out) < size:
        control = body[place]
        place += 1
        for bit in range(8):
            if place >= len(body) or len(out) >= size:
                break
            if not control >> bit & 1:
                piece = body[place : place + 1]
                place += 1
            else:
                reference = int.from_bytes(body[place : place + 2], "big")
                place += 2
                start = reference >> 4
                if start == write:  # marks the end
                    return bytes(out)
                piece = _copy_window(window, start, (reference & 15) + 2, write)
            for byte in piece:
                window[write] = byte
                write = (write + 1) % _WINDOW_BYTES
            out += piece
    return bytes(out)


def _copy_window(window: bytearray, start: int, count: int, write: int) -> bytes:
    """Bytes from the window; those that this very copy writes may be part of it."""
    made = bytearray()
    for step in range(count):
        place = (start + step) % _WINDOW_BYTES
        ahead = (place - write) % _WINDOW_BYTES
        made.append(made[ahead] if ahead < step else window[place])
    return bytes(made)
