r"""The commands of LaTeX that matter to a reader of drafts: headings, citations, what is not said."""

from __future__ import annotations

import re
from functools import cache

from citewell.text.data_tables import load_table

HEADING_LEVELS = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
    "subparagraph": 6,
}  # fmt: skip
QUOTE_ENVIRONMENTS = frozenset({"quote", "quotation", "displayquote", "displaycquote", "verse"})
NOTE_COMMANDS = frozenset({"footnote", "footnotetext", "endnote"})
_NAME_REGEX = r"(?:auto|paren|text|foot|smart|super|full|footfull|short|no|Auto|Paren|Text|Smart|Foot)?[cC]ite(?:s|p|t|alp|alt|author|year|yearpar|title|text|num|url|date|online)?"
CITE_PATTERN = re.compile(
    rf"\\(?P<name>(?P<nocite>nocite)|{_NAME_REGEX})\*?(?:\s{{0,3}}(?:\([^(){{}}\n]{{0,300}}\)|\[[^\[\]]{{0,300}}\]){{0,2}}\s{{0,3}}\{{[^{{}}]{{1,5000}}\}}){{1,12}}"
)
_KEYS_PATTERN = re.compile(r"\{([^{}]{1,5000})\}")
_TEXTUAL_PATTERN = re.compile(r"(?:Text|text)cites?|[cC]ite(?:t|alt|author|year|title)")
_MAX_GROUP_CHARS = 60_000


@cache
def load_hidden_environments() -> frozenset[str]:
    return frozenset(load_table(__package__, "latex_names")["hidden_environments"])


@cache
def load_argument_commands() -> frozenset[str]:
    """Commands whose arguments are no words of the text."""
    return frozenset(load_table(__package__, "latex_names")["argument_commands"])


def split_cite_keys(command: str) -> list[str]:
    r"""The keys of a citation in order; \cites has several groups of them."""
    return [
        key
        for match in _KEYS_PATTERN.finditer(command)
        for key in (" ".join(part.split()) for part in match[1].split(","))
        if key
    ]


def is_textual_command(name: str) -> bool:
    r"""Whether the command is a part of its sentence, as \textcite and \citet are."""
    return _TEXTUAL_PATTERN.fullmatch(name) is not None


def names_authors(name: str) -> bool:
    r"""Whether the command prints the names of authors, as \citeyear and \citetitle do not."""
    return not name.endswith(("year", "title"))


def find_group_end(text: str, start: int, end: int) -> int:
    """The offset after the brace that closes the group whose text begins at `start`."""
    depth = 1
    limit = min(end, start + _MAX_GROUP_CHARS)
    at = start
    while at < limit:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return limit
