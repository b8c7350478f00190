"""Joins formatted pieces of a paragraph as markdown: bold, italic, struck, code and linked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from citewell.fetch.markdown.markdown_text import (
    escape_markdown,
    format_code_span,
    resolve_link,
    squeeze_spaces,
)

_EXPONENT = re.compile(r"[+\-−]?\d[\d.,]*")
_ORDINAL_MARK = re.compile(r"[A-Za-zªº°®™.\s]{2,}|[ªº°®™*†‡]")
_FILE_NAME = re.compile(r"\.(?:jpe?g|png|gif|bmp|tiff?|[we]mf|svg|webp)$", re.IGNORECASE)


class TextPiece(NamedTuple):
    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    link: str = ""
    ready: bool = False  # already markdown: a formula, a footnote's mark or a line break


def join_text_pieces(pieces: Iterable[TextPiece], *, plain: bool = False) -> str:
    """The pieces as one line of markdown; `plain` leaves out bold and italic, as in headings."""
    made: list[str] = []
    for link, linked in groupby(pieces, key=lambda piece: piece.link):
        text = "".join(_format_linked_pieces(list(linked), plain=plain))
        if link and text.strip():
            before, inner, after = _split_outer_space(text)
            text = f"{before}[{inner}]({link}){after}"
        made.append(text)
    return "".join(made)


def _format_linked_pieces(pieces: list[TextPiece], *, plain: bool) -> Iterable[str]:
    shaped = [
        piece._replace(bold=False, italic=False) if plain or not piece.text.strip() else piece
        for piece in _join_spaces(pieces)
    ]
    forms = [
        form._replace(text="".join(piece.text for piece in same))
        for form, same in groupby(shaped, key=lambda piece: piece._replace(text=""))
    ]
    for before, piece, after in zip([None, *forms], forms, [*forms[1:], None], strict=False):
        inside = _is_inside_word(before, piece) or _is_inside_word(piece, after)
        yield _format_text_piece(piece._replace(bold=False, italic=False) if inside else piece)


def _is_inside_word(left: TextPiece | None, right: TextPiece | None) -> bool:
    """Whether the border of two pieces cuts a word, where marks would make it unreadable."""
    if left is None or right is None or left.ready or right.ready:
        return False
    return left.text[-1:].isalnum() and right.text[:1].isalnum()


def _join_spaces(pieces: list[TextPiece]) -> list[TextPiece]:
    """White space between two pieces of one form takes their form, so that they are joined."""
    made = list(pieces)
    for place in range(1, len(made) - 1):
        before, here, after = made[place - 1 : place + 2]
        if (
            not here.text.strip()
            and before[1:] == after[1:]
            and not here.ready
            and not before.ready
        ):
            made[place] = before._replace(text=here.text)
    return made


def _format_text_piece(piece: TextPiece) -> str:
    if piece.ready:
        return piece.text
    before, text, after = _split_outer_space(squeeze_spaces(piece.text))
    if not text:
        return before + after
    if piece.code:
        return f"{before}{format_code_span(text)}{after}"
    mark = "*" * (2 * piece.bold + piece.italic)
    shown = f"{mark}{escape_markdown(text)}{mark}"
    return f"{before}{f'~~{shown}~~' if piece.struck else shown}{after}"


def _split_outer_space(text: str) -> tuple[str, str, str]:
    inner = text.strip()
    start = len(text) - len(text.lstrip())
    return text[:start], inner, text[start + len(inner) :]


def format_superscript(text: str) -> str:
    """Raised text as it reads on one line: 10^6, x^(n+1), 1st."""
    short = text.strip()
    if not short or _ORDINAL_MARK.fullmatch(short):
        return text
    if _EXPONENT.fullmatch(short) or short.isalpha():
        return text.replace(short, f"^{short}", 1)
    return text.replace(short, f"^({short})", 1) if re.search(r"[+\-−*/=]", short) else text


def render_picture_text(description: str) -> list[str]:
    """A picture as the description its author gave; nothing for a mere file name."""
    text = squeeze_spaces(description).strip()
    if not text or _FILE_NAME.search(text):
        return []
    return [f"![{escape_markdown(text).replace('[', '(').replace(']', ')')}]()"]


def resolve_web_link(target: str) -> str:
    """The address of a link to the web or to a mailbox; "" for links inside the document."""
    return resolve_link("", target) if target.startswith(("http", "mailto:")) else ""
