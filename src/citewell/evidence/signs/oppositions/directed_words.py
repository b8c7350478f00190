"""Finds the words of a clause that say which way things go, and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from citewell.evidence.signs.oppositions.contrary_words import (
    AMOUNT_WORDS,
    CHANGE,
    LINK,
    WordPolarity,
    find_word_polarities,
)
from citewell.text.data_tables import load_table, load_words

_BEING_WORDS = frozenset(["is", "are", "was", "were", "be", "been", "being", "remains", "remained", "remain", "becomes", "became"])  # fmt: skip
COMPARING_WORDS = frozenset(("than", "compared", "versus", "vs", "relative"))
_DENIAL_REACH_WORDS = 4
_MAX_TARGETS_BEHIND, _MAX_TARGETS_BEFORE, _MAX_AMOUNT_TARGETS = 4, 3, 2  # content words


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectedWord:
    """A word such as "reduces" with the stems it is about; `is_denied` after "not", "no", "never"."""

    word: str
    place: int  # among the words of the clause
    axis: str
    sign: int
    is_denied: bool
    targets: frozenset[str]


def find_word_ways(words: Sequence[str], place: int) -> tuple[WordPolarity, ...]:
    """What the word at this place says on each axis."""
    following = words[place + 1] if place + 1 < len(words) else ""
    if words[place] in AMOUNT_WORDS and (following.endswith("ly") or following == "than"):
        return ()  # "more recently", "more than a third"
    return find_word_polarities(words[place])


def find_directed_words(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    breaks: frozenset[int],
    *,
    is_denied_whole: bool,
) -> tuple[DirectedWord, ...]:
    """The words of direction in a clause; `breaks` are the places of words after a comma.

    `stems` and `ways` have one item for each word: its stem, or None for stop-words, and its ways.
    """
    found: list[DirectedWord] = []
    for place in range(len(words)):
        if ways[place]:
            lost = (
                is_denied_whole
                or _is_denied_at(words, ways, place, breaks)
                or _inherits_denial(words, found, place)
            )
            found += _describe_directed(words, stems, ways, place, is_denied=lost)
    return tuple(found)


def _describe_directed(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
    *,
    is_denied: bool,
) -> list[DirectedWord]:
    targets = frozenset(_list_targets(words, stems, ways, place))
    every = frozenset(stem for stem, way in zip(stems, ways, strict=True) if stem and not way)
    found = []
    outer = _find_outer_sign(words, stems, ways, place)
    for way in ways[place]:
        link = way.axis == LINK
        lost = is_denied != (link and way.sign < 0)
        found.append(
            DirectedWord(
                word=words[place],
                place=place,
                axis=way.axis,
                sign=1 if link else way.sign * (outer if way.axis == CHANGE else 1),
                is_denied=lost,
                # "No association between A and B" denies it of all that is named.
                targets=every if link and lost else targets,
            )
        )
    return found


def _inherits_denial(words: Sequence[str], earlier: Sequence[DirectedWord], place: int) -> bool:
    """Whether a denial goes on: "not associated with gain or lower risk", "did not help or reduce"."""
    if not earlier or not earlier[-1].is_denied:
        return False
    last = earlier[-1]
    return last.axis == LINK or not {"or", "nor"}.isdisjoint(words[last.place : place])


def _find_outer_sign(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
) -> int:
    """The sign of a directing word just before: a "decreased activation" is a decrease."""
    for at in range(place - 1, max(-1, place - 4), -1):
        if words[at] in AMOUNT_WORDS or words[at].endswith(_load_noun_endings()):
            return 1
        for way in ways[at]:
            if way.axis == CHANGE:
                return way.sign
        if stems[at] and not words[at].endswith("ly"):
            return 1
    return 1


def _is_denied_at(
    words: Sequence[str],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
    breaks: frozenset[int],
) -> bool:
    denied = False
    denying = load_words(__package__, "directed_words", "denying_words")
    reach = 1 if words[place] in AMOUNT_WORDS else _DENIAL_REACH_WORDS
    for at in range(place - 1, max(-1, place - 1 - reach), -1):
        # A denial does not reach over a comma, or over another word of direction.
        if at + 1 in breaks or _is_directing(ways[at]):
            break
        denied ^= words[at] in denying or words[at].endswith(("n't", "n’t"))
    return denied


def _is_directing(ways: tuple[WordPolarity, ...]) -> bool:
    return any(way.axis != LINK for way in ways)


def _list_targets(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
) -> list[str]:
    """The content words that a directed word is about: its object, or its subject in the passive."""
    behind = _collect_targets(words, stems, ways, range(place + 1, len(words)))
    before = _collect_targets(words, stems, ways, range(place - 1, -1, -1))[:_MAX_TARGETS_BEFORE]
    following = words[place + 1] if place + 1 < len(words) else ""
    if any(way.is_state for way in ways[place]) and following not in {"of", "in", "from"}:
        if place and stems[place - 1]:
            return before[:2]
        return before[:2] + behind
    if words[place] in AMOUNT_WORDS:
        return behind[:_MAX_AMOUNT_TARGETS] or before
    passive = words[place].endswith("ed") and _BEING_WORDS.intersection(
        words[max(0, place - 3) : place]
    )
    if passive or not behind:
        return before + behind[:1]
    if _is_intransitive(words, place):
        return before + behind[:2]
    return behind


def _is_intransitive(words: Sequence[str], place: int) -> bool:
    """Whether a verb such as "fell" or "is declining" has no object: a preposition follows."""
    following = next((word for word in words[place + 1 :] if not word.endswith("ly")), "")
    verbal = words[place].endswith(("ed", "ing")) or words[place] in load_words(
        __package__, "directed_words", "past_verbs"
    )
    return verbal and following in load_words(__package__, "directed_words", "prepositions")


def _collect_targets(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    places: range,
) -> list[str]:
    found: list[str] = []
    for at in places:
        if len(found) >= _MAX_TARGETS_BEHIND or words[at] in COMPARING_WORDS:
            break
        stem = stems[at]
        if _is_directing(ways[at]):
            # "The rise is accelerating" is about the rise.
            return found or [stem for stem in (stem,) if stem]
        if stem and not ways[at]:
            found.append(stem)
    return found


@cache
def _load_noun_endings() -> tuple[str, ...]:
    return tuple(load_table(__package__, "directed_words")["noun_endings"])
