"""The markdown that document readers write of Word, OpenDocument and PDF files, as a page shows it.

The readers escape every character of the document that markdown would take for a mark. So each mark
that is not escaped is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.drafts.draft import TextSpan

_MARK_PATTERN = re.compile(
    r"(?P<formula>\$\$[^$]{1,2000}\$\$|\$(?=[^$\n]{0,300}[\\^_])[^\s$][^$\n]{0,300}\$)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<tick>`{1,9}+)(?!`)(?P<code>[^\n]{1,500}?)(?<!`)(?P=tick)(?!`)"
    r"|(?P<stars>\*{1,3}+(?=\S)|(?<=\S)\*{1,3}+)"
    r"|(?P<struck>~~)"
    r"|\[\^(?P<note>\d{1,6})\]"
    r"|(?P<link>!?\[(?=(?:\\.|[^\[\]\\\n]|\[[^\[\]\n]{0,200}+\]){0,1000}+\]\([^\s()]{0,2000}\))|\]\([^\s()]{0,2000}\))"
    r"|(?P<quote>(?<=\n)[ \t]{0,3}(?:>[ \t]?)+)"
    r"|\^(?P<power>[+\-−]?\d+(?:[.,]\d+)*|\([^()\s]{1,40}\))"
)
# Of the groups above those that are words, with the HTML element of their style.
_WORD_STYLES = {"formula": "", "escaped": "", "code": "code", "note": "sup", "power": "sup"}
_TOGGLED_STYLES = {"*": {"em"}, "**": {"strong"}, "***": {"em", "strong"}, "~~": {"s"}}
_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPiece:
    """A part of the text: words with their styles, or a mark that a page does not show."""

    start: int
    end: int
    styles: frozenset[str] = frozenset()  # names of HTML elements: strong, em, s, code, sup
    is_mark: bool = False


def iterate_printed_pieces(text: str, start: int, end: int) -> Iterator[PrintedPiece]:
    """The parts of `text[start:end]`, a block; together they are all of it."""
    styles: frozenset[str] = frozenset()
    done = start
    for match in _MARK_PATTERN.finditer(text, start, end):
        kind = match.lastgroup or ""
        first, last = match.span(kind) if kind in _WORD_STYLES else (match.end(), match.end())
        own = {_WORD_STYLES[kind]} - {""} if kind in _WORD_STYLES else set()
        pieces = (
            PrintedPiece(start=done, end=match.start(), styles=styles),
            PrintedPiece(start=match.start(), end=first, is_mark=True),
            PrintedPiece(start=first, end=last, styles=styles | own),
            PrintedPiece(start=last, end=match.end(), is_mark=True),
        )
        yield from (piece for piece in pieces if piece.end > piece.start)
        styles ^= _TOGGLED_STYLES.get(match[0], set())
        done = match.end()
    if end > done:
        yield PrintedPiece(start=done, end=end, styles=styles)


def list_mark_spans(text: str) -> tuple[TextSpan, ...]:
    """The marks of the whole text; the sign of a power stays, because 10^6 is not 106."""
    return tuple(
        (piece.start, piece.end)
        for piece in iterate_printed_pieces(text, 0, len(text))
        if piece.is_mark and text[piece.start : piece.end] != "^"
    )


def print_document_text(text: str) -> str:
    """The text as a reader of the document sees it, on one line."""
    words = (
        text[piece.start : piece.end].translate(_RAISED_DIGITS)
        if "sup" in piece.styles
        else text[piece.start : piece.end]
        for piece in iterate_printed_pieces(text, 0, len(text))
        if not piece.is_mark
    )
    return " ".join("".join(words).split())
