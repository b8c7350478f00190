r"""Converts LaTeX in bibliographies to plain text: {\"u}, \'e, \v{c}, \ss, \emph{…}, $\alpha$."""

from __future__ import annotations

import re
import unicodedata

from citewell.text.data_tables import load_table

# These stand for literal { } \ $ during conversion.
_OPEN_BRACE_PLACEHOLDER, _CLOSE_BRACE_PLACEHOLDER = "\ue001", "\ue002"
_BACKSLASH_PLACEHOLDER, _DOLLAR_PLACEHOLDER = "\ue003", "\ue004"
_ACCENT_COMBINING_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323",
    "b": "\u0331", "k": "\u0328", "r": "\u030a", "t": "\u0361",
}  # fmt: skip
_LATEX_SPECIAL_PATTERN = re.compile(r"[\\{}~$`]|--|''")
_LATEX_ACCENT_PATTERN = re.compile(
    r"\\(?:(?P<sign>[\"'`^~=.])\s{0,3}|(?P<word>[uvHcdbkrt])(?:\s{1,3}|(?=[{\\])))"
    r"(?:\{\s{0,3}\\?(?P<held>[^\W\d_]{1,2})\s{0,3}\}|\\(?P<dotless>[ij])(?![a-zA-Z])\s{0,3}|(?P<bare>[^\W\d_]))"
)
_LATEX_COMMAND_PATTERN = re.compile(r"\\(?P<word>[a-zA-Z]+)\*?(?:[ \t\n]{1,4}|(?=[^a-zA-Z])|$)")
_LATEX_ESCAPED_CHAR_PATTERN = re.compile(r"\\([^a-zA-Z])", re.DOTALL)
_LATEX_HREF_PATTERN = re.compile(r"\\href\s{0,3}\{[^{}]{0,2000}\}\s{0,3}")
_LATEX_HREF_WORDS_PATTERN = re.compile(r"\\href\s{0,3}\{([^{}]{1,2000})\}\s{0,3}\{([^{}]{0,500})\}")
_URL_COMMAND_PATTERN = re.compile(r"\\(?:url|path|nolinkurl)\b|[{}]")
# Sub- and superscript marks; the digits after them stay.
_SUB_SUPERSCRIPT_PATTERN = re.compile(r"[_^](?=\{?[\w+-])")
_TILDE_PLACEHOLDER = "\ue000"  # stands for a literal tilde while the others become spaces
_PLACEHOLDERS = str.maketrans({
    "~": _TILDE_PLACEHOLDER, "{": _OPEN_BRACE_PLACEHOLDER, "}": _CLOSE_BRACE_PLACEHOLDER, "\\": _BACKSLASH_PLACEHOLDER,
})  # fmt: skip


def convert_latex_text(text: str) -> str:
    """The text as it would appear on the typeset page."""
    if not _LATEX_SPECIAL_PATTERN.search(text):
        return text
    text = text.replace(r"\{", _OPEN_BRACE_PLACEHOLDER).replace(r"\}", _CLOSE_BRACE_PLACEHOLDER)
    if "\\" in text:
        text = _LATEX_ACCENT_PATTERN.sub(_compose_accented_letter, text)
        text = _LATEX_HREF_PATTERN.sub("", text)
        text = _LATEX_COMMAND_PATTERN.sub(_convert_latex_command, text)
        text = _LATEX_ESCAPED_CHAR_PATTERN.sub(_convert_escaped_char, text)
    if "$" in text:
        text = _SUB_SUPERSCRIPT_PATTERN.sub("", text)
    text = text.replace("~", " ").replace(_TILDE_PLACEHOLDER, "~")
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = text.replace("{", "").replace("}", "").replace(r"$", "")
    return (
        text.replace(_OPEN_BRACE_PLACEHOLDER, "{")
        .replace(_CLOSE_BRACE_PLACEHOLDER, "}")
        .replace(_BACKSLASH_PLACEHOLDER, "\\")
        .replace(_DOLLAR_PLACEHOLDER, "$")
    )


def convert_latex_address(text: str) -> str:
    """A URL or identifier; unlike in text, a tilde stays a tilde."""
    text = _LATEX_ESCAPED_CHAR_PATTERN.sub(r"\1", text.replace(r"\textasciitilde", "~"))
    return _URL_COMMAND_PATTERN.sub("", text).strip()


def _compose_accented_letter(match: re.Match[str]) -> str:
    letters = match["held"] or match["dotless"] or match["bare"]
    mark = _ACCENT_COMBINING_MARKS[match["sign"] or match["word"]]
    return unicodedata.normalize("NFC", letters[0] + mark) + letters[1:]


def _convert_latex_command(match: re.Match[str]) -> str:
    """The character that a command stands for; empty for formatting commands."""
    found: str = load_table(__package__, "latex_characters").get(match["word"], "")
    return found.translate(_PLACEHOLDERS)


def _convert_escaped_char(match: re.Match[str]) -> str:
    char = match[1]
    if char == "$":
        return _DOLLAR_PLACEHOLDER
    if char in "&%#_":
        return char
    return " " if char in " \n\\," else _TILDE_PLACEHOLDER if char == "~" else ""


def unwrap_link_commands(text: str) -> str:
    r"""The text with \href{address}{words} as both, so that an address is not lost with its command."""
    return _LATEX_HREF_WORDS_PATTERN.sub(r"\2 \1", text)
