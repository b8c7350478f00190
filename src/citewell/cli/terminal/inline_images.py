"""Shows small images in terminals that can; the bytes are passed on to the terminal as they are."""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping
from enum import StrEnum

_ROWS = 6  # lines of the terminal that an image takes
_KITTY_CHUNK_CHARS = 4096  # the most that one sequence may carry
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KITTY_TERMS = frozenset({"xterm-kitty", "xterm-ghostty"})
_ITERM_PROGRAMS = frozenset({"iTerm.app", "WezTerm"})


class ImageProtocol(StrEnum):
    KITTY = "kitty"  # takes PNG only
    ITERM = "iterm"


def detect_image_protocol(environ: Mapping[str, str], *, is_terminal: bool) -> ImageProtocol | None:
    """How this terminal shows images, by what it says of itself; None in a pipe and if it says nothing."""
    if not is_terminal or environ.get("TMUX") or environ.get("TERM", "").startswith("screen"):
        return None  # a multiplexer swallows the images, or prints them as text
    if environ.get("TERM") in _KITTY_TERMS or environ.get("KITTY_WINDOW_ID"):
        return ImageProtocol.KITTY
    program = environ.get("TERM_PROGRAM", "")
    if program in _ITERM_PROGRAMS or environ.get("LC_TERMINAL") == "iTerm2":
        return ImageProtocol.ITERM
    return None


def encode_inline_image(image: bytes, protocol: ImageProtocol) -> str:
    """The sequence that shows an image; empty if the terminal does not take its format."""
    data = base64.standard_b64encode(image).decode("ascii")
    if protocol is ImageProtocol.ITERM:
        size = f"size={len(image)};height={_ROWS};preserveAspectRatio=1"
        return f"\x1b]1337;File=inline=1;{size}:{data}\a\n"
    if not image.startswith(_PNG_SIGNATURE):
        return ""
    chunks = [data[at : at + _KITTY_CHUNK_CHARS] for at in range(0, len(data), _KITTY_CHUNK_CHARS)]
    pieces = []
    for place, chunk in enumerate(chunks):
        first = f"a=T,f=100,r={_ROWS}," if place == 0 else ""
        pieces.append(f"\x1b_G{first}m={int(place + 1 < len(chunks))};{chunk}\x1b\\")
    return f"{''.join(pieces)}\n"


def print_inline_image(image: bytes, protocol: ImageProtocol) -> None:
    sys.stdout.write(encode_inline_image(image, protocol))
    sys.stdout.flush()
