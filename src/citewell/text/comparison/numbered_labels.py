"""Finds numbers that name a part of a text, or a version, where the source has another one in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from citewell.text.comparison.like_values import UnstatedValue, list_placed_sentences
from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.stated_quantities import StatedQuantity, build_exact_quantity

_LABEL_PATTERN = re.compile(
    r"(?<!\w)(?P<word>chapter|part|week|step|lesson|module|phase|level|stage|form|season|episode|kapitel|teil|woche|schritt|chapitre|partie|étape|capítulo|parte|paso)s?"
    r"\s(?P<first>\d{1,4})(?:\s?(?:[-–—]|to|through|bis|à|a)\s?(?P<last>\d{1,4}))?(?P<open>\+)?(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_VERSION_PATTERN = re.compile(
    r"(?<![\w.])(?:[vV])?(?P<number>\d{1,4}(?:\.\d{1,4}){2,3})(?!\w|\.\d)"
)
_MIN_PLACED_TERMS = 3  # of the statement's words at another label
_MAX_OPEN_LABELS = 1000  # of "chapters 14+"


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeldLabel:
    """A label of the source, with the words of its sentence and of the next one."""

    word: str
    numbers: range
    value: StatedQuantity
    terms: frozenset[str]
    start: int
    end: int


def find_other_labels(asked: SentenceFeatures, source: SourceText) -> Iterator[UnstatedValue]:
    """Labels of the statement whose words stand at another label of the source, or that it has nowhere."""
    if _LABEL_PATTERN.search(asked.text):
        held = source.derive(_collect_labels)
        for match in _LABEL_PATTERN.finditer(asked.text):
            rivals = [one for one in held if one.word == match["word"].lower()]
            found = _find_rival(match, rivals, asked, source)
            if found is not None:
                mine = build_exact_quantity(Decimal(match["first"]), "", asked.text, match.span())
                yield UnstatedValue(draft=mine, like=found.value, start=found.start, end=found.end)
    yield from _find_other_versions(asked, source)


def _collect_labels(source: SourceText) -> tuple[_HeldLabel, ...]:
    return tuple(_list_labels(source))


def _list_labels(source: SourceText) -> Iterator[_HeldLabel]:
    every = source.sentence_features
    for at, (said, (start, end)) in enumerate(list_placed_sentences(source)):
        for match in _LABEL_PATTERN.finditer(said.text):
            first = int(match["first"])
            last = first + _MAX_OPEN_LABELS if match["open"] else int(match["last"] or first)
            behind = every[at + 1].terms if at + 1 < len(every) else frozenset()
            is_next_labelled = at + 1 < len(every) and _LABEL_PATTERN.search(every[at + 1].text)
            yield _HeldLabel(
                word=match["word"].lower(),
                numbers=range(first, last + 1),
                value=build_exact_quantity(Decimal(first), "", said.text, match.span()),
                terms=said.terms if is_next_labelled else said.terms | behind,
                start=start,
                end=end,
            )


def _find_rival(
    match: re.Match[str], held: list[_HeldLabel], asked: SentenceFeatures, source: SourceText
) -> _HeldLabel | None:
    """The label at which the statement's words stand, if they hardly stand at its own."""
    number = int(match["first"])
    others = [one for one in held if number not in one.numbers]
    if not others:
        return None
    words = list_word_terms(asked) - {match["word"].lower()}
    best = max(others, key=lambda one: len(words & one.terms))
    if len(others) == len(held) and match["first"] not in source.figures:
        return best
    own = max((len(words & one.terms) for one in held if number in one.numbers), default=0)
    shared = len(words & best.terms)
    return best if shared >= _MIN_PLACED_TERMS and shared > 2 * own else None


def _find_other_versions(asked: SentenceFeatures, source: SourceText) -> Iterator[UnstatedValue]:
    """Numbers of versions, "20.0.2", in a source that names others only."""
    for match in _VERSION_PATTERN.finditer(asked.text):
        known = {one["number"] for one in _VERSION_PATTERN.finditer(source.text)}
        if not known or match["number"] in known:
            continue
        for said, (start, end) in list_placed_sentences(source):
            other = _VERSION_PATTERN.search(said.text)
            if other is not None and _have_like_parts(match["number"], other["number"]):
                mine, theirs = (
                    build_exact_quantity(Decimal(each["number"].partition(".")[0]), "", text, each.span())
                    for each, text in ((match, asked.text), (other, said.text))
                )  # fmt: skip
                yield UnstatedValue(draft=mine, like=theirs, start=start, end=end)
                break


def _have_like_parts(one: str, other: str) -> bool:
    """Whether two versions have most parts in common, or the same digits in another order."""
    mine, theirs = one.split("."), other.split(".")
    differing = sum(first != second for first, second in zip(mine, theirs, strict=False))
    return len(mine) == len(theirs) and (differing == 1 or sorted(mine) == sorted(theirs))
