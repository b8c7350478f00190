"""Writes the content of documents as markdown: formatted text, list items, tables, numbers as shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from citewell.reading.markdown import markdown_text

DAYS_FROM_1900 = datetime(1899, 12, 30)  # noqa: DTZ001 - sheet dates have no zone
DAYS_FROM_1904 = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
# Built-in formats by number; those that are not listed show a number as it is.
BUILTIN_FORMATS = {9: "0%", 10: "0.00%", 46: "[h]:mm:ss"} | dict.fromkeys(
    (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "yyyy-mm-dd hh:mm:ss"
)
_MAX_WHOLE_NUMBER = 1e18
_MAX_FORMAT_CHARS = 255  # the most that Excel allows
_FORMAT_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_FORMAT_BRACKET = re.compile(r"\[[^\]]*\]")
_DURATION_CODE = re.compile(r"\[(?:h{1,4}|m{1,4}|s{1,4})\]", re.IGNORECASE)
_DATE_CODE = re.compile(r"[ymdhs]|AM/PM|A/P", re.IGNORECASE)
_PERCENT_DECIMALS = re.compile(r"\.([0#?]{1,15})")

_WHITESPACE_PATTERN = re.compile(r"\s+")
_SIMPLE_CELL_PATTERN = re.compile(r"[A-Za-z0-9.,:%/+-]{0,40}")
_UNESCAPED_BAR_PATTERN = re.compile(r"(?<!\\)\|")

_PLAIN_NUMBER_LABEL = re.compile(r"\d{1,9}[.)]?")
_ROMAN_DIGITS = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
                 (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip

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
    before, text, after = _split_outer_space(markdown_text.squeeze_spaces(piece.text))
    if not text:
        return before + after
    if piece.code:
        return f"{before}{markdown_text.format_code_span(text)}{after}"
    mark = "*" * (2 * piece.bold + piece.italic)
    shown = f"{mark}{markdown_text.escape_markdown(text)}{mark}"
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
    text = markdown_text.squeeze_spaces(description).strip()
    if not text or _FILE_NAME.search(text):
        return []
    return [f"![{markdown_text.escape_markdown(text).replace('[', '(').replace(']', ')')}]()"]


def resolve_web_link(target: str) -> str:
    """The address of a link to the web or to a mailbox; "" for links inside the document."""
    return markdown_text.resolve_link("", target) if target.startswith(("http", "mailto:")) else ""


# Formats the numbers of list items, and the markdown that begins an item.


def format_list_number(number: int, number_format: str) -> str:
    """A number as digits, letters or Roman numerals, by the name that Word has for its format."""
    match number_format:
        case "lowerLetter" | "upperLetter":
            letter = chr(97 + (number - 1) % 26) * ((number - 1) // 26 % 8 + 1)
            return letter if number_format == "lowerLetter" else letter.upper()
        case "lowerRoman" | "upperRoman":
            roman = _format_roman_number(number)
            return roman if number_format == "lowerRoman" else roman.upper()
        case "decimalZero":
            return f"{number:02}"
        case "none" | "bullet":
            return ""
        case _:
            return str(number)


def _format_roman_number(number: int) -> str:
    made: list[str] = []
    for value, digits in _ROMAN_DIGITS:
        made.append(digits * (number // value))
        number %= value
    return "".join(made)


def format_list_marker(label: str) -> str:
    """The markdown that begins a list item; a label that markdown has no list for is kept as text."""
    if not label:
        return "- "
    if _PLAIN_NUMBER_LABEL.fullmatch(label):
        return f"{label.rstrip('.)')}. "
    return f"- {label} "


# Formats rows of cells as a GFM table, or as plain lines if there is only one column.


def format_plain_cell(text: str) -> str:
    """Plain text as the content of a table cell: on one line, with markdown escaped."""
    if _SIMPLE_CELL_PATTERN.fullmatch(text):
        return text
    return _UNESCAPED_BAR_PATTERN.sub(
        r"\\|", markdown_text.escape_markdown(_WHITESPACE_PATTERN.sub(" ", text).strip())
    )


def format_markdown_cell(markdown: str) -> str:
    """Markdown as the content of a table cell: on one line, with bars escaped."""
    return _UNESCAPED_BAR_PATTERN.sub(r"\\|", _WHITESPACE_PATTERN.sub(" ", markdown).strip())


def render_markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """A table whose first row is the header; empty rows and columns are left out."""
    filled = [list(row) for row in rows if any(row)]
    width = max((len(row) for row in filled), default=0)
    squared = [row + [""] * (width - len(row)) for row in filled]
    used = [place for place in range(width) if any(row[place] for row in squared)]
    kept = [[row[place] for place in used] for row in squared]
    if len(used) < 2:
        return "\n".join(f"{row[0]}  " for row in kept if row).rstrip()
    lines = [
        _format_table_row(kept[0]),
        _format_table_row(["---"] * len(used)),
        *map(_format_table_row, kept[1:]),
    ]
    return "\n".join(lines)


def _format_table_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


# Formats stored numbers as a spreadsheet shows them: dates, times, durations and percentages.


def format_stored_number(raw: str, code: str, *, days_from: datetime = DAYS_FROM_1900) -> str:
    """A number as text; `code` is its number format. What is no number is returned unchanged."""
    try:
        value = float(raw)
        kind = _detect_format_kind(code[:_MAX_FORMAT_CHARS])
        if kind == "date":
            return _format_sheet_time(days_from + timedelta(days=value), whole=0 <= value < 1)
        if kind == "duration":
            seconds = round(abs(value) * 86_400)
            sign = "-" if value < 0 and seconds else ""
            return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        if kind == "percent":
            return _format_percentage(value, code)
    except (ValueError, OverflowError):
        return raw
    if value.is_integer() and abs(value) < _MAX_WHOLE_NUMBER:
        return str(int(value))
    short = f"{value:.15g}"
    return short if "e" not in short else raw


@lru_cache(maxsize=512)
def _detect_format_kind(code: str) -> str:
    """Whether a format shows a "date", "duration" or "percent"; "" for other numbers and text."""
    shown = _FORMAT_LITERAL.sub("", code)
    if _DURATION_CODE.search(shown):
        return "duration"
    shown = _FORMAT_BRACKET.sub("", shown)
    if shown.lower() != "general" and _DATE_CODE.search(shown):
        return "date"
    return "percent" if "%" in shown else ""


def _format_percentage(value: float, code: str) -> str:
    found = _PERCENT_DECIMALS.search(code)
    shown = f"{value * 100:.{len(found[1]) if found else 0}f}"
    exact = f"{value * 100:.12g}"
    # Where the format would round, five digits of the stored value are kept.
    return f"{shown if float(shown) == float(exact) else f'{value * 100:.5g}'}%"


def _format_sheet_time(moment: datetime, *, whole: bool) -> str:
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if whole:
        return moment.time().isoformat()
    if moment.hour == moment.minute == moment.second == 0:
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")
