"""Splits a sentence with several citations into the clauses that each of them stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.text.drafts.citation_linking import LinkedMark
from citewell.text.language.tokens import count_words

_CONTRAST_REGEX = (
    r"but|while|whereas|although|though|however|yet|aber|während|wohingegen|doch|obwohl|hingegen|jedoch"
    r"|mais|tandis que|alors que|bien que|pero|mientras(?: que)?|aunque"
)
_STRONG_PATTERN = re.compile(rf"\s{{0,40}}(?:[;；]|[,，]?\s{{0,40}}(?:{_CONTRAST_REGEX})\b|[,，]\s{{0,40}}(?:and|und|et|y|e)\b|，?(?:但|而|一方))", re.IGNORECASE)  # fmt: skip
_SEPARATOR_PATTERN = re.compile(
    rf"[;；,，:](?=\s)|[；，]|\s(?:{_CONTRAST_REGEX}|and|und|et|y)\s", re.IGNORECASE
)
MIN_CLAUSE_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementClause:
    """A part of a sentence; what it says begins at `text_start`, if it needs the part before it."""

    start: int
    end: int
    text_start: int
    marks: tuple[LinkedMark, ...]


def split_clauses(
    said: str, start: int, end: int, marks: Sequence[LinkedMark]
) -> Iterator[StatementClause]:
    """The clauses of a sentence in order; `said` is the text with its marks blanked out."""
    cuts = list(_iterate_cuts(said, start, end, marks))
    begin = text_start = start
    at = 0
    for cut, is_clean in [*cuts, (end, True)]:
        held: list[LinkedMark] = []
        while at < len(marks) and (marks[at].mark.start < cut or cut == end):
            held.append(marks[at])
            at += 1
        yield StatementClause(start=begin, end=cut, text_start=text_start, marks=tuple(held))
        begin = cut
        text_start = cut if is_clean else text_start


def _iterate_cuts(
    said: str, start: int, end: int, marks: Sequence[LinkedMark]
) -> Iterator[tuple[int, bool]]:
    """Where clauses end, and whether the next one can be understood without the one before."""
    last = start
    for place, one in enumerate(marks):
        mark = one.mark
        following = marks[place + 1].mark if place + 1 < len(marks) else None
        if mark.is_textual:
            cut = _find_separator_before(said, last, min(mark.start, end))
            if place and cut is not None:
                yield cut, True
                last = cut
            continue
        if mark.end >= end or count_words(said[last : mark.start]) < MIN_CLAUSE_WORDS:
            continue
        is_clean = _STRONG_PATTERN.match(said, mark.end, end) is not None
        stop = following.start if following is not None else end
        if following is None and not is_clean:
            continue
        if following is not None and following.is_textual:
            continue
        if count_words(said[mark.end : min(stop, end)]) >= MIN_CLAUSE_WORDS:
            yield mark.end, is_clean
            last = mark.end


def _find_separator_before(said: str, start: int, end: int) -> int | None:
    """The last separator before a name, if there is a whole clause in front of it."""
    found = None
    for match in _SEPARATOR_PATTERN.finditer(said, start, end):
        if count_words(said[start : match.start()]) >= MIN_CLAUSE_WORDS:
            found = match.start()
    return found
