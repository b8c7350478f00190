"""Escapes text, code and addresses so that markdown shows the same characters."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_MATH_SPAN = re.compile(
    # Bounded, because a page may open a million formulas and close none.
    r"(\$\$.{1,2000}?\$\$|\\\(.{1,300}?\\\)|\\\[.{1,2000}?\\\]"
    r"|\\begin\{(\w{1,20}\*?)\}.{1,2000}?\\end\{\2\}"
    r"|\$(?!\d[\d.,]*\s)(?=[^$\n]*[\\^_])[^\s$](?:[^$\n]{0,300}[^\s$])?\$(?!\d))",
    re.DOTALL,
)
_MARKDOWN_SPECIAL = re.compile(
    r"`"
    r"|\\(?=[!-/:-@\[-`{-~])"
    r"|(?<=\S)\*+|\*+(?=\S)"
    r"|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
    r"|~~"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,31};)"
    r"|\](?=[(\[:])"
)
# Most text has none of these; this check takes a tenth of the time of the full pattern.
_MAYBE_SPECIAL_CHAR = re.compile(r"[`\\*_~<&\]]")
_LINE_MARK_CHARS = frozenset("#>+-=0123456789")
_LINE_MARK = re.compile(
    r"(?m)^([ \t]*)(?:([#>+-]|#{2,6})(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|(={3,}|-{3,})$)"
)
_WHITE_SPACE_RUN = re.compile(r"[ \t\n\r\f\v]+")
_BACKTICK_RUN = re.compile(r"`+")
_URL_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*):")
_LINKED_SCHEMES = frozenset(("http", "https", "mailto", "tel", "ftp", "doi", "magnet"))
# With these characters encoded, an address needs no angle brackets in markdown.
_ADDRESS_ESCAPES = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})


def squeeze_spaces(text: str) -> str:
    """Replace each run of white space by one space; no-break spaces stay."""
    if "  " not in text and "\n" not in text and "\t" not in text:
        return text
    return _WHITE_SPACE_RUN.sub(" ", text)


def escape_markdown(text: str) -> str:
    """Escape what markdown would take for markup, except inside formulas."""
    if _MAYBE_SPECIAL_CHAR.search(text) is None:
        return text
    if "\\" not in text and "$" not in text:
        return _MARKDOWN_SPECIAL.sub(_add_backslashes, text)
    pieces: list[str] = []
    end = 0
    for found in _MATH_SPAN.finditer(text):
        pieces.append(_MARKDOWN_SPECIAL.sub(_add_backslashes, text[end : found.start()]))
        pieces.append(found.group())
        end = found.end()
    pieces.append(_MARKDOWN_SPECIAL.sub(_add_backslashes, text[end:]))
    return "".join(pieces)


def _add_backslashes(found: re.Match[str]) -> str:
    return "".join(f"\\{character}" for character in found.group())


def escape_line_starts(text: str) -> str:
    """Escape line starts of a non-empty paragraph that would make a heading, list or quotation."""
    if text[0] not in _LINE_MARK_CHARS and "\n" not in text:
        return text
    return _LINE_MARK.sub(_escape_line_mark, text)


def _escape_line_mark(found: re.Match[str]) -> str:
    space, mark, number, dot, rule = found.groups()
    if number:
        return f"{space}{number}\\{dot}"
    return f"{space}\\{mark or rule}"


def format_code_span(text: str) -> str:
    """The text as inline code, with more backticks around it than it contains in a row."""
    text = squeeze_spaces(text).strip()
    if not text:
        return ""
    longest = max(map(len, _BACKTICK_RUN.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest and (text[0] == "`" or text[-1] == "`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def format_fenced_code(code: str, language: str) -> str:
    """The code as a fenced block whose fence is longer than any backticks in the code."""
    longest = max(map(len, _BACKTICK_RUN.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def resolve_link(base: str, address: str) -> str:
    """The absolute address; empty if it is invalid or has a scheme such as `javascript`."""
    address = "".join(address.split("\n")).strip()
    scheme = _URL_SCHEME.match(address)
    if scheme is not None and scheme.group(1).lower() not in _LINKED_SCHEMES:
        return ""
    if base and scheme is None:
        try:
            address = urljoin(base, address)
        except ValueError:
            return ""
    return address.translate(_ADDRESS_ESCAPES)
