"""Shared by the styles: final marks, dates, editions and lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.styles.quotation_marks import nest_quotation_marks

_LONG_MONTH_LIST = (
    "January February March April May June July August September October November December"
)
_SHORT_MONTH_LIST = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec."
LONG_MONTHS, SHORT_MONTHS = tuple(_LONG_MONTH_LIST.split()), tuple(_SHORT_MONTH_LIST.split())
_SENTENCE_ENDS = frozenset(".?!…。？！")
_CLOSING_QUOTES = "”’"
# Between two initials, and not before a small word.
_INITIAL_SPACE_PATTERN = re.compile(r"\. (?=[^\W\d_]\.)")


def add_final_mark(text: str, mark: str = ".", *, british: bool = False) -> str:
    """The text with a mark at its end, inside a closing quotation mark; no stop after another end.

    British styles put the mark outside.
    """
    text = text.strip()
    bare = text.rstrip(_CLOSING_QUOTES)
    quotes = text[len(bare) :]
    if not bare or (mark == "." and bare[-1] in _SENTENCE_ENDS) or bare.endswith(mark):
        return text
    is_quoted = "”" in quotes or (quotes and "‘" in bare)  # and no apostrophe
    return f"{bare}{mark}{quotes}" if is_quoted and not british else f"{text}{mark}"


def join_nonempty(parts: Iterable[str], separator: str = " ") -> str:
    return separator.join(part for part in parts if part)


def join_marked(parts: Iterable[str], mark: str = ".", *, british: bool = False) -> str:
    """The parts with a mark and a space between them, placed as `add_final_mark` does."""
    *heads, last = [part for part in parts if part] or [""]
    return " ".join((*(add_final_mark(head, mark, british=british) for head in heads), last))


def quote_title(title: str) -> str:
    """The title in double quotation marks; those inside become single ones."""
    return f"“{nest_quotation_marks(title)}”" if title else ""


def join_names(names: Sequence[str], *, last_separator: str, separator: str = ", ") -> str:
    """The names joined by `separator`, with `last_separator` before the last one."""
    if len(names) < 2:
        return "".join(names)
    return f"{separator.join(names[:-1])}{last_separator}{names[-1]}"


def format_spoken_name(author: AuthorName) -> str:
    """Given names first, with a full stop after every initial."""
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.punctuated_given, author.family, author.suffix))


def format_short_name(author: AuthorName) -> str:
    """Initials first."""
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.initials, author.family, author.suffix))


def format_sorted_name(author: AuthorName) -> str:
    """Family name first, with a full stop after every initial."""
    if author.is_indivisible:
        return author.name
    return join_nonempty((author.family, author.punctuated_given, author.suffix), ", ")


def choose_last_separator(people: Sequence[AuthorName], separator: str) -> str:
    """The separator before the last name, without its comma between two organisations."""
    if len(people) == 2 and all(one.is_indivisible for one in people):
        return separator.removeprefix(",")
    return separator


def close_initials(author: AuthorName) -> str:
    """The initials without spaces between them; a small word keeps its spaces: V. de O."""
    return _INITIAL_SPACE_PATTERN.sub(".", author.initials)


def is_same_name(first: str, second: str) -> bool:
    return first.casefold().strip(". ") == second.casefold().strip(". ")


def format_long_day(day: date) -> str:
    return f"{LONG_MONTHS[day.month - 1]} {day.day}, {day.year}"


def format_short_day(day: date) -> str:
    return f"{day.day} {SHORT_MONTHS[day.month - 1]} {day.year}"


def format_edition(edition: str) -> str:
    """3 as 3rd ed.; anything but a plain number is returned unchanged."""
    ordinal = format_ordinal(edition)
    return ordinal if ordinal == edition else f"{ordinal} ed."


def format_ordinal(edition: str) -> str:
    """3 as 3rd; anything but a plain number is returned unchanged."""
    if not edition.isascii() or not edition.isdigit():
        return edition
    number = int(edition[-2:])
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{edition}{ending}"


def format_volume(volume: str, word: str = "vol.") -> str:
    """A plain number or range with its label; a volume that has words of its own as it is."""
    return format_numbered(word, volume) if volume[:1].isdigit() else volume


def format_numbered(word: str, number: str) -> str:
    """The number after a label, which is plural before a range: no. 3, nos. 3–4."""
    if not number:
        return ""
    return f"{word.replace('.', 's.')} {number}" if "–" in number else f"{word} {number}"
