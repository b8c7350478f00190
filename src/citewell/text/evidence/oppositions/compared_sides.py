"""Finds comparisons whose sides have changed: "A more than B" and "B more than A"."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.text.evidence.oppositions.compared_sentence import ComparedSentence, measure_overlap
from citewell.text.evidence.oppositions.contrary_words import (
    are_contrary,
    blank_bound_phrases,
    compile_exceeding_pattern,
)
from citewell.text.evidence.oppositions.sentence_contrast import (
    ANTONYM,
    COMPARISON,
    Certainty,
    SentenceContrast,
)
from citewell.text.evidence.oppositions.word_table import load_opposition_words

_SIDE_WORDS = (6, 4)  # content words before and behind a word that compares
_MAX_COMPARATIVE_WORDS = 6  # between a comparative and "than"
_WAY_LETTERS = 6  # of a verb that compares, by which its forms are known
_MIN_STATED_SHARE, _MIN_SAID_SHARE = 0.7, 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSides:
    """Two stems that stand on each other's side, and whether the way of comparing is the same."""

    ahead: str
    behind: str
    is_same_way: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    ahead: frozenset[str]
    behind: frozenset[str]
    way: str


def find_side_contrast(
    statement: ComparedSentence, said: ComparedSentence
) -> SentenceContrast | None:
    """What stands before "than" in one stands behind it in the other, or the way is the opposite."""
    changed = find_changed_sides(statement, said)
    if changed is None:
        return _find_turned_way(statement, said)
    if not changed.is_same_way:
        return None
    stated_share, said_share = measure_overlap(statement, said)
    is_near = stated_share >= _MIN_STATED_SHARE and said_share >= _MIN_SAID_SHARE
    return SentenceContrast(
        kind=COMPARISON,
        stated=_show_sides(statement, changed.ahead, changed.behind),
        said=_show_sides(said, changed.behind, changed.ahead),
        certainty=Certainty.SURE if is_near else Certainty.UNSETTLED,
    )


def _find_turned_way(
    statement: ComparedSentence, said: ComparedSentence
) -> SentenceContrast | None:
    """Opposite comparatives before the same thing: "lower than B" and "higher than B"."""
    left, right = _split_sides(statement), _split_sides(said)
    if left is None or right is None or left.behind.isdisjoint(right.behind):
        return None
    if not are_contrary(left.way, right.way, statement.code):
        return None
    return SentenceContrast(
        kind=ANTONYM, stated=left.way, said=right.way, certainty=Certainty.LIKELY
    )


def find_changed_sides(statement: ComparedSentence, said: ComparedSentence) -> ChangedSides | None:
    """What has changed sides in a comparison that both sentences make."""
    left, right = _split_sides(statement), _split_sides(said)
    if left is None or right is None:
        return None
    ahead = (left.ahead - left.behind) & (right.behind - right.ahead)
    behind = (left.behind - left.ahead) & (right.ahead - right.behind)
    if not ahead or not behind:
        return None
    return ChangedSides(ahead=min(ahead), behind=min(behind), is_same_way=left.way == right.way)


def compares_things(one: ComparedSentence) -> bool:
    return _split_sides(one) is not None


def _split_sides(one: ComparedSentence) -> _Sides | None:
    """The content words just before and behind the word that compares."""
    verb = compile_exceeding_pattern(one.code).search(one.text)
    if verb is not None:
        at = sum(word.start < verb.end() for word in one.words) - 1
        return _build_sides(one, at, verb[0][:_WAY_LETTERS].lower())
    text = blank_bound_phrases(one.text)
    places = [
        at
        for at, word in enumerate(one.words)
        if word.text == load_opposition_words(one.code).than
        and text[word.start : word.start + 1].strip()
        # A number is no side: "more than 26 million" compares nothing.
        and not any(map(str.isdigit, "".join(each.text for each in one.words[at + 1 : at + 2])))
    ]
    if len(places) != 1:
        return None
    way = _find_comparative(one, places[0])
    return _build_sides(one, places[0], way) if way else None


def _build_sides(one: ComparedSentence, at: int, way: str) -> _Sides:
    before = [word.stem for word in one.words[:at] if word.stem]
    behind = [word.stem for word in one.words[at + 1 :] if word.stem]
    return _Sides(
        ahead=frozenset(before[-_SIDE_WORDS[0] :]),
        behind=frozenset(behind[: _SIDE_WORDS[1]]),
        way=way,
    )


def _find_comparative(one: ComparedSentence, at: int) -> str:
    """The word of more or less before "than"; empty if there is none."""
    known = load_opposition_words(one.code).comparatives
    for word in reversed(one.words[max(0, at - _MAX_COMPARATIVE_WORDS) : at]):
        if word.text in known or (one.code in {"en", "de"} and word.text.endswith("er")):
            return word.text
    return ""


def _show_sides(one: ComparedSentence, before: str, behind: str) -> str:
    """Two words in the order in which the sentence has them."""
    names = [
        next((word.text for word in one.words if word.stem == stem), stem)
        for stem in (before, behind)
    ]
    return " … ".join(names)
