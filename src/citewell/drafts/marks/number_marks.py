"""Citations by number ([1], [1, 3-5], superscripts) and by footnote ([^1])."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.drafts.draft import (
    CitationForm,
    CitationMark,
    TargetKind,
    TextSpan,
    build_mark,
    list_targets,
)

_DASH = r"[-–—‑−]"
_NUMBERS_REGEX = rf"\d{{1,4}}(?:\s{{0,2}}(?:[,;，、；]|{_DASH}|&|(?:and|und|et|y|e|en|och|i)\s)\s{{0,2}}\d{{1,4}}){{0,80}}"
_LOCATOR_REGEX = r"(?:\s?[,:;]\s?(?:pp?\.|pages?|sec\.|sect(?:ion|\.)|ch(?:ap)?\.|chapter|fig\.|table|tab\.|eq\.|thm\.?|theorem|prop\.|lemma|app\.|appendix|art\.|vol\.|§|¶|S\.|Kap\.|Abb\.|p[áa]gs?\.|art[íi]culo|第)[^\[\]\n]{0,60}|:\s?\d{1,5}(?:[-–]\d{1,5})?|†[^\[\]【】\n]{0,80})"
_BRACKETED_PATTERN = re.compile(
    rf"[\[［【]\s{{0,2}}(?:(?:[Rr]efs?\.?|see|cf\.|vgl\.|voir|e\.g\.,?|z\.\s?B\.)\s{{1,2}})?({_NUMBERS_REGEX}){_LOCATOR_REGEX}?\s{{0,2}}[\]］】](?![(:\[](?!\d)|\()"
)
_ANCHORED_PATTERN = re.compile(rf"\[\[?({_NUMBERS_REGEX})\]?\]\(#[^\s()]{{1,80}}\)")
_RANGE_GAP_PATTERN = re.compile(rf"\s?{_DASH}{{1,3}}\s?")
_WORDED_PATTERN = re.compile(
    rf"\b(?:[Rr]efs?\.|[Rr]eferences?)\s{{1,2}}({_NUMBERS_REGEX})(?![\w%]|\.\d)"
)
_PARENTHESES_PATTERN = re.compile(rf"(?<=[\w\"”’%)])\s?[(（]({_NUMBERS_REGEX})[)）]")
_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_PATTERN = re.compile(
    rf"(?<![{_RAISED_DIGITS}⁻⁺])[{_RAISED_DIGITS}]{{1,3}}(?:[,˒‚⁻–—-][ ]?[{_RAISED_DIGITS}]{{1,3}}){{0,30}}(?![{_RAISED_DIGITS}])"
)
_RAISED_TRANSLATION = str.maketrans(
    dict(zip(_RAISED_DIGITS, "0123456789", strict=True)) | {"⁻": "-", "˒": ",", "‚": ","}
)
_RAISED_MARKUP_PATTERN = re.compile(
    rf"(?:<sup[^<>]{{0,200}}>\s?|\\textsuperscript\s?\{{|\$\s?\{{?\}}?\^\s?\{{?|\^)\[?({_NUMBERS_REGEX})\]?(?:\s?</sup>|\}}?\s?\$|\}}|\^)"
)
_SPLIT_PATTERN = re.compile(r"\s{0,2}(?:[,;，、；&]|\b[a-z]{1,3}\s)\s{0,2}")
_INTERVAL_PATTERN = re.compile(
    r"(?:\bCI|\b[Ii]nterval[a-z]{0,2}|\b[Rr]ange|\bKI|\bIC|\bIQR|=|∈)\s{0,2}[:=,]?\s{0,2}\Z"
)
_UNIT_PATTERN = re.compile(
    r"(?:\A|[\W\d_])(?:[a-zA-Zµμα-ωΑ-Ω]|[cdkmµμn]m|[mµ]?mol|kg|mg|ft|in|yd|mi|ha|px|sec|min|km|Hz|mL|dL)\Z"
)
_LABEL_REGEX = r"[A-Z][A-Za-z]{0,14}\+?\d{2,4}[a-z]?"
_LABEL_PATTERN = re.compile(
    rf"\[((?:{_LABEL_REGEX})(?:\s?[,;]\s?{_LABEL_REGEX}){{0,20}})(?:,\s[^\[\]\n]{{1,60}})?\](?![(:\[])"
)
_LABEL_WORD_PATTERN = re.compile(_LABEL_REGEX)
# Superscripts that lost their format: behind a stop or a closing mark, or behind a word.
_FLAT_PATTERN = re.compile(
    rf"(?:(?<=[^\W\d_][.,;:!?])|(?<=[\"”’»)\]%][.,;:!?])|(?<=»\s[.,;:!?])|(?<=[.,!?][\"”’»)])|(?<=(?:1[89]|20)\d\d\.)|(?<=[a-zß-ÿ]{{3}}))"
    rf"(\d{{1,3}}(?:(?:,|{_DASH})\d{{1,3}}){{0,20}}(?:,\s\d{{1,3}}(?=,\s\d|\s+[^\W\d_a-z]|\s*\Z)){{0,20}})(?=\s|\Z|[.,;:)](?:\s|\Z))"
)
_MAX_RANGE = 200
_CONTEXT_CHARS = 24


def find_number_marks(spoken: str, *, has_parentheses: bool = False) -> Iterator[CitationMark]:
    """Marks in square brackets, and in parentheses where the draft is known to use them."""
    for start, end, numbers in _join_bracket_ranges(spoken):
        before = spoken[max(0, start - _CONTEXT_CHARS) : start]
        if _INTERVAL_PATTERN.search(before) is None:
            yield build_number_mark((start, end), numbers)
    for match in _ANCHORED_PATTERN.finditer(spoken):
        yield build_number_mark(match.span(), expand_numbers(match[1]))
    for match in _WORDED_PATTERN.finditer(spoken):
        yield build_number_mark(match.span(), expand_numbers(match[1]), is_optional=True)
    for match in _PARENTHESES_PATTERN.finditer(spoken) if has_parentheses else ():
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        yield build_number_mark((start, match.end()), expand_numbers(match[1]), is_optional=True)


def find_label_marks(spoken: str) -> Iterator[CitationMark]:
    """Labels such as [Knu98] and [ABC+01, Sec. 2], for lists that have them."""
    for match in _LABEL_PATTERN.finditer(spoken):
        labels = _LABEL_WORD_PATTERN.findall(match[1])
        yield build_mark(match.span(), CitationForm.NUMBER, list_targets(TargetKind.KEY, labels))


def find_raised_marks(text: str) -> Iterator[CitationMark]:
    """Superscripts, as characters or as markup; a power or the square of a unit is none."""
    for match in _RAISED_MARKUP_PATTERN.finditer(text):
        if not _is_power(text, match.start()):
            yield build_number_mark(match.span(), expand_numbers(match[1]))
    for match in _RAISED_PATTERN.finditer(text):
        if _is_power(text, match.start()):
            continue
        numbers = expand_numbers(match[0].translate(_RAISED_TRANSLATION))
        yield build_number_mark(match.span(), numbers, is_optional=match[0] in "²³")


def find_flat_marks(spoken: str) -> Iterator[CitationMark]:
    """Superscripts pasted as plain digits, as in "trials.1"; lists are cited in order of their numbers.

    A number that comes before its turn, as in "version2", is none.
    """
    highest = 0
    for match in _FLAT_PATTERN.finditer(spoken):
        numbers = expand_numbers(match[1])
        values = [int(number) for number in numbers]
        if all(0 < value <= highest + place for place, value in enumerate(sorted(values), 1)):
            highest = max(highest, *values)
            yield build_number_mark(match.span(), numbers, is_optional=True)


def build_number_mark(
    span: TextSpan, numbers: tuple[str, ...], *, is_optional: bool = False
) -> CitationMark:
    targets = list_targets(TargetKind.NUMBER, numbers, is_optional=is_optional)
    return build_mark(span, CitationForm.NUMBER, targets)


def expand_numbers(written: str) -> tuple[str, ...]:
    """The numbers of "1, 3-5": 1, 3, 4 and 5."""
    found: list[str] = []
    for part in _SPLIT_PATTERN.split(written):
        ends = [int(end) for end in re.findall(r"\d{1,4}", part)]
        if len(ends) >= 2 and 0 < ends[-1] - ends[0] <= _MAX_RANGE:
            found += map(str, range(ends[0], ends[-1] + 1))
        else:
            found += map(str, ends)
    return tuple(found)


def _join_bracket_ranges(spoken: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The bracketed groups; [1]–[3] is one group with all numbers between."""
    held: tuple[int, int, tuple[str, ...]] | None = None
    for match in _BRACKETED_PATTERN.finditer(spoken):
        numbers = expand_numbers(match[1])
        if held is not None and _RANGE_GAP_PATTERN.fullmatch(spoken, held[1], match.start()):
            first, last = int(held[2][-1]), int(numbers[0])
            between = map(str, range(first + 1, last)) if last - first <= _MAX_RANGE else ()
            held = (held[0], match.end(), (*held[2], *between, *numbers))
            continue
        if held is not None:
            yield held
        held = (match.start(), match.end(), numbers)
    if held is not None:
        yield held


def _is_power(text: str, at: int) -> bool:
    """Whether what stands before makes a raised number a power: a single letter, a unit, a digit."""
    before = text[max(0, at - _CONTEXT_CHARS) : at].rstrip("*_")
    if not before or before[-1].isspace():
        return not before.strip()
    if before[-1].isdigit():  # after a year it is a citation
        digits = len(before) - len(before.rstrip("0123456789"))
        return digits != 4
    return _UNIT_PATTERN.search(before) is not None


def build_note_mark(start: int, end: int, label: str) -> CitationMark:
    return build_mark((start, end), CitationForm.NOTE, list_targets(TargetKind.NOTE, [label]))
