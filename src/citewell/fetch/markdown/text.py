"""Turn plain text, code and addresses into markdown that reads back as the same characters."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_MATH = re.compile(
    # Bounded, because a page may open a formula a million times and never close one.
    r"(\$\$.{1,2000}?\$\$|\\\(.{1,300}?\\\)|\\\[.{1,2000}?\\\]"
    r"|\\begin\{(\w{1,20}\*?)\}.{1,2000}?\\end\{\2\}"
    r"|\$(?!\d[\d.,]*\s)(?=[^$\n]*[\\^_])[^\s$](?:[^$\n]{0,300}[^\s$])?\$(?!\d))",
    re.DOTALL,
)
_SPECIAL = re.compile(
    r"`"
    r"|\\(?=[!-/:-@\[-`{-~])"
    r"|(?<=\S)\*+|\*+(?=\S)"
    r"|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
    r"|~~"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,31};)"
    r"|\](?=[(\[:])"
)
# Most text has none of these; looking first costs a tenth of trying every alternative.
_MAYBE_SPECIAL = re.compile(r"[`\\*_~<&\]]")
_MARKED = frozenset("#>+-=0123456789")
_LINE_START = re.compile(
    r"(?m)^([ \t]*)(?:([#>+-]|#{2,6})(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|(={3,}|-{3,})$)"
)
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_TICKS = re.compile(r"`+")
_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*):")
_LINKED_SCHEMES = frozenset(("http", "https", "mailto", "tel", "ftp", "doi", "magnet"))
# Percent-encoding keeps a destination in one piece without angle brackets.
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})


def squeeze(text: str) -> str:
    """Runs of white space become one space; no-break spaces stay."""
    if "  " not in text and "\n" not in text and "\t" not in text:
        return text
    return _SPACE.sub(" ", text)


def escape(text: str) -> str:
    """Escape what markdown would take for markup; formulas between their delimiters stay."""
    if _MAYBE_SPECIAL.search(text) is None:
        return text
    if "\\" not in text and "$" not in text:
        return _SPECIAL.sub(_backslash, text)
    pieces: list[str] = []
    end = 0
    for found in _MATH.finditer(text):
        pieces.append(_SPECIAL.sub(_backslash, text[end : found.start()]))
        pieces.append(found.group())
        end = found.end()
    pieces.append(_SPECIAL.sub(_backslash, text[end:]))
    return "".join(pieces)


def _backslash(found: re.Match[str]) -> str:
    return "".join(f"\\{character}" for character in found.group())


def guard_line_starts(text: str) -> str:
    """Keep a paragraph, which is not empty, from turning into a heading, a list or a quotation."""
    if text[0] not in _MARKED and "\n" not in text:
        return text
    return _LINE_START.sub(_guard, text)


def _guard(found: re.Match[str]) -> str:
    space, mark, number, dot, rule = found.groups()
    if number:
        return f"{space}{number}\\{dot}"
    return f"{space}\\{mark or rule}"


def code_span(text: str) -> str:
    """Inline code, with enough backticks around it."""
    text = squeeze(text).strip()
    if not text:
        return ""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest and (text[0] == "`" or text[-1] == "`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(code: str, language: str) -> str:
    """A fenced block whose fence cannot be closed by the code itself."""
    longest = max(map(len, _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def absolute(base: str, address: str) -> str:
    """The address made absolute; empty when it leads nowhere a reader could go."""
    address = "".join(address.split("\n")).strip()
    scheme = _SCHEME.match(address)
    if scheme is not None and scheme.group(1).lower() not in _LINKED_SCHEMES:
        return ""
    if base and scheme is None:
        try:
            address = urljoin(base, address)
        except ValueError:
            return ""
    return address.translate(_IN_ADDRESS)
