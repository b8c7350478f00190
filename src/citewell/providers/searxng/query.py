"""The words we send: a user's text with SearXNG's own commands made harmless.

SearXNG splits a query at white space and reads each piece by its first character: `!x` picks an
engine, `!!x` leaves for another site, `!!` jumps to the first result, `:xx` sets the language and
`<9` a time-out. Quotation marks do not shield a piece, so `"to !!g be"` acts as well.
"""

from __future__ import annotations

import re
import string

from citewell.errors import InvalidInput
from citewell.model.search import Query
from citewell.text.markup import visible
from citewell.text.operators import compose

_MARKS = "!:<"
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{4})?(?:[-_]([A-Za-z]{2}))?")
_SAFE = {"off": "0", "medium": "1", "high": "2"}
_NO_LANGUAGE = frozenset(string.punctuation + string.digits)


def text(query: Query, *, limit: int) -> str:
    return neutral(compose(query, limit=limit))


def neutral(words: str) -> str:
    """The same words, none of which SearXNG takes for a command.

    A piece that would act is put in quotes, which keeps every character of it; inside a quotation
    that would break the phrase, so there it loses its leading marks, which engines ignore anyway.
    """
    pieces: list[str] = []
    quoted = False
    for piece in visible(words).split():
        pieces.append(_harmless(piece, quoted=quoted))
        quoted ^= piece.count('"') % 2 == 1
    return " ".join(piece for piece in pieces if piece)


def acts(piece: str) -> bool:
    """Whether a piece may be a command on some instance: names of engines differ, so `!` + any."""
    first, rest = piece[:1], piece[1:]
    if first == "!":
        return bool(rest)
    if first == ":":
        return bool(rest) and rest[0] not in _NO_LANGUAGE
    return first == "<" and rest.isdigit()


def language(query: Query) -> str | None:
    """The language as SearXNG accepts it: two or three letters and a region, never a script."""
    if query.language is None:
        return None
    match = _LANGUAGE.fullmatch(query.language.strip())
    if match is None:
        message = f"{query.language!r} is not a language code; write one such as en, de or pt-BR."
        raise InvalidInput(message)
    region = match[2] or query.country
    return match[1].lower() + (f"-{region.upper()}" if region else "")


def params(query: Query, *, limit: int) -> dict[str, str]:
    """What every page of one search has in common."""
    found = {
        "q": text(query, limit=limit),
        "categories": query.category,
        "safesearch": _SAFE[query.safe],
    }
    if wanted := language(query):
        found["language"] = wanted
    if query.time_range:
        # An hour is refused with a 400, so the shortest range stands in for it.
        found["time_range"] = "day" if query.time_range == "hour" else query.time_range
    return found


def _harmless(piece: str, *, quoted: bool) -> str:
    if not acts(piece):
        return piece
    if quoted or '"' in piece:
        return piece.lstrip(_MARKS)
    return f'"{piece}"'
