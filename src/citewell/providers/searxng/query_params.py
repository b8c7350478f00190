"""The parameters of a search, with SearXNG's commands in the user's text neutralized.

SearXNG splits a query at white space and checks the first characters of each piece: `!x` picks an
engine, `!!x` redirects to another site, `!!` jumps to the first result, `:xx` sets the language and
`<9` a time-out. Quotation marks do not prevent this: `"to !!g be"` contains a command as well.
"""

from __future__ import annotations

import re
import string

from citewell.errors import InvalidInput
from citewell.model.search_queries import SearchQuery
from citewell.text.safety.markup_cleaning import extract_visible_text
from citewell.text.web.search_operators import build_operator_query

_COMMAND_MARKS = "!:<"
_LANGUAGE_PATTERN = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{4})?(?:[-_]([A-Za-z]{2}))?")
_SAFE_SEARCH_LEVELS = {"off": "0", "medium": "1", "high": "2"}
_NON_LANGUAGE_CHARS = frozenset(string.punctuation + string.digits)


def build_searxng_text(query: SearchQuery, *, limit: int) -> str:
    return neutralize_commands(build_operator_query(query, max_chars=limit))


def neutralize_commands(words: str) -> str:
    """The same words, changed so that SearXNG takes none of them for a command.

    A command is put in quotes, which keeps all its characters. Inside a quotation that would break
    the phrase, so there it loses its leading marks, which engines ignore anyway.
    """
    pieces: list[str] = []
    quoted = False
    for piece in extract_visible_text(words).split():
        pieces.append(_neutralize_piece(piece, quoted=quoted))
        quoted ^= piece.count('"') % 2 == 1
    return " ".join(piece for piece in pieces if piece)


def is_command(piece: str) -> bool:
    """Whether some instance may take the piece for a command; engine names differ, so any `!x` counts."""
    first, rest = piece[:1], piece[1:]
    if first == "!":
        return bool(rest)
    if first == ":":
        return bool(rest) and rest[0] not in _NON_LANGUAGE_CHARS
    return first == "<" and rest.isdigit()


def convert_searxng_language(query: SearchQuery) -> str | None:
    """The language in SearXNG's form: two or three letters and a region, without a script.

    None if the query has no language. Raises InvalidInput if it is not a language code.
    """
    if query.language is None:
        return None
    match = _LANGUAGE_PATTERN.fullmatch(query.language.strip())
    if match is None:
        message = f"{query.language!r} is not a language code. Use one such as en, de or pt-BR."
        raise InvalidInput(message)
    region = match[2] or query.country
    return match[1].lower() + (f"-{region.upper()}" if region else "")


def build_searxng_params(query: SearchQuery, *, limit: int) -> dict[str, str]:
    """The parameters that all pages of one search share."""
    found = {
        "q": build_searxng_text(query, limit=limit),
        "categories": query.category,
        "safesearch": _SAFE_SEARCH_LEVELS[query.safe],
    }
    if wanted := convert_searxng_language(query):
        found["language"] = wanted
    if query.time_range:
        # SearXNG answers 400 to an hour, so a day, its shortest range, is used.
        found["time_range"] = "day" if query.time_range == "hour" else query.time_range
    return found


def _neutralize_piece(piece: str, *, quoted: bool) -> str:
    if not is_command(piece):
        return piece
    if quoted or '"' in piece:
        return piece.lstrip(_COMMAND_MARKS)
    return f'"{piece}"'
