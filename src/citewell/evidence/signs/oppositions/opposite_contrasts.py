"""Finds opposite words in the same place of two sentences, and comparisons whose sides have changed."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from citewell.evidence.signs.oppositions import contrary_words
from citewell.evidence.signs.oppositions.compared_sentence import (
    ANTONYM,
    COMPARISON,
    Certainty,
    ComparedSentence,
    SentenceContrast,
    SentenceWord,
    measure_overlap,
)

_SIDE_WORDS = (6, 4)  # content words before and behind a word that compares
_MAX_COMPARATIVE_WORDS = 6  # between a comparative and "than"
_WAY_LETTERS = 6  # of a verb that compares, by which its forms are known
_MIN_SIDES_STATED_SHARE, _MIN_SIDES_SAID_SHARE = 0.7, 0.35

_MIN_STATED_SHARE, _MIN_SAID_SHARE = 0.7, 0.5
_MIN_WHOLE_SHARE, _MIN_WHOLE_SAID_SHARE = 0.9, 0.35
_MIN_ONE_SIDED_SHARE = 0.8  # if only the word before is the same
_MIN_CLAUSE_SHARE = 0.5  # of the words that both sentences have, in the clause of the word
_BOTH_SIDES = 2


def find_opposite_contrast(
    statement: ComparedSentence, sentence: ComparedSentence
) -> SentenceContrast | None:
    """Opposite words between the same neighbours; none may be there as the statement has it."""
    found = [
        (at, place)
        for at, mine in enumerate(statement.words)
        for place, other in enumerate(sentence.words)
        if _stand_apart(mine, other, statement, sentence)
        and _count_neighbours(statement, sentence, at, place)
    ]
    # "B has less than A" says the same as "A has more than B".
    if not found or find_changed_sides(statement, sentence) is not None:
        return None
    at, place = found[0]
    return SentenceContrast(
        kind=ANTONYM,
        stated=statement.words[at].text,
        given=sentence.words[place].text,
        certainty=_rate_opposites(statement, sentence, found),
    )


def _rate_opposites(
    statement: ComparedSentence, sentence: ComparedSentence, found: Sequence[tuple[int, int]]
) -> Certainty:
    is_sure = (
        _is_near(statement, sentence, found)
        and _is_in_clause(statement, sentence, *found[0])
        and not _has_same_word(statement, sentence, found)
        and not _has_other_opposites(statement, sentence, found)
        and _are_listed(statement, {at for at, _ in found})
        and len(statement.denials) == len(sentence.denials)
        and not _has_changed_subject(statement, sentence, *found[0])
    )
    return Certainty.SURE if is_sure else Certainty.UNSETTLED


def _stand_apart(
    mine: SentenceWord, other: SentenceWord, statement: ComparedSentence, sentence: ComparedSentence
) -> bool:
    """Whether each of two opposite words occurs more often in its own sentence."""
    if mine.text == other.text or not contrary_words.are_contrary(
        mine.text, other.text, statement.code
    ):
        return False
    first, second = mine.stem or mine.text, other.stem or other.text
    return (
        statement.stem_counts[first] > sentence.stem_counts[first]
        and sentence.stem_counts[second] > statement.stem_counts[second]
    )


def _count_neighbours(
    statement: ComparedSentence, sentence: ComparedSentence, at: int, place: int
) -> int:
    """How many of the content words beside a word stand beside the other too."""
    pairs = zip(
        statement.find_neighbour_stems(at), sentence.find_neighbour_stems(place), strict=True
    )
    return sum(bool(mine) and mine == other for mine, other in pairs)


def _is_near(
    statement: ComparedSentence, sentence: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether the sentences are about the same apart from the opposite words."""
    used = frozenset(
        stem
        for at, place in found
        for stem in (statement.words[at].stem, sentence.words[place].stem)
        if stem
    )
    stated_share, given_share = measure_overlap(statement, sentence, used)
    if _count_neighbours(statement, sentence, *found[0]) == _BOTH_SIDES:
        return stated_share >= _MIN_STATED_SHARE
    if stated_share >= _MIN_WHOLE_SHARE:
        return given_share >= _MIN_WHOLE_SAID_SHARE
    at, place = found[0]
    next_word = statement.find_neighbour_stems(at)[1]
    is_before_same = bool(next_word) and next_word == sentence.find_neighbour_stems(place)[1]
    least = _MIN_STATED_SHARE if is_before_same else _MIN_ONE_SIDED_SHARE
    return stated_share >= least and given_share >= _MIN_SAID_SHARE


def _is_in_clause(
    statement: ComparedSentence, sentence: ComparedSentence, at: int, place: int
) -> bool:
    """Whether the clauses of both words share most of what they could: "in the old ones" is about others."""
    shared = statement.list_clause_terms(statement.words[at].start) & sentence.terms
    held = sentence.list_clause_terms(sentence.words[place].start)
    return len(held & shared) >= _MIN_CLAUSE_SHARE * len(shared)


def _has_same_word(
    statement: ComparedSentence, sentence: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether the sentence has the very word of the statement in the same place too."""
    return any(
        statement.words[at].text == other.text and _count_neighbours(statement, sentence, at, place)
        for at in {at for at, _ in found}
        for place, other in enumerate(sentence.words)
    )


def _has_other_opposites(
    statement: ComparedSentence, sentence: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether opposites stand in other places too, which may undo each other."""
    taken = {at for at, _ in found}
    return any(
        contrary_words.are_contrary(mine.text, other.text, statement.code)
        for at, mine in enumerate(statement.words)
        if at not in taken and mine.text not in sentence.word_texts
        for other in sentence.words
        if other.text not in statement.word_texts
    )


def _has_changed_subject(
    statement: ComparedSentence, sentence: ComparedSentence, at: int, place: int
) -> bool:
    """Whether all that acts in the statement stands behind the opposite: "A won it", "B lost it to A"."""
    acting = {word.stem for word in statement.words[:at] if word.stem}
    before = {word.stem for word in sentence.words[:place]}
    behind = {word.stem for word in sentence.words[place:]}
    return bool(acting) and acting <= behind and acting.isdisjoint(before)


def _are_listed(sentence: ComparedSentence, places: AbstractSet[int]) -> bool:
    """Whether the words at these places are joined: "short rest raises it" has two that undo each other."""
    joined = contrary_words.load_opposition_words(sentence.code).additions
    return all(
        "," in sentence.text[sentence.words[first].start : sentence.words[last].start]
        or any(word.text in joined for word in sentence.words[first:last])
        for first, last in pairwise(sorted(places))
    )


# Finds comparisons whose sides have changed: "A more than B" and "B more than A".


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
    statement: ComparedSentence, sentence: ComparedSentence
) -> SentenceContrast | None:
    """What stands before "than" in one stands behind it in the other, or the way is the opposite."""
    changed = find_changed_sides(statement, sentence)
    if changed is None:
        return _find_turned_way(statement, sentence)
    if not changed.is_same_way:
        return None
    stated_share, given_share = measure_overlap(statement, sentence)
    is_near = stated_share >= _MIN_SIDES_STATED_SHARE and given_share >= _MIN_SIDES_SAID_SHARE
    return SentenceContrast(
        kind=COMPARISON,
        stated=_show_sides(statement, changed.ahead, changed.behind),
        given=_show_sides(sentence, changed.behind, changed.ahead),
        certainty=Certainty.SURE if is_near else Certainty.UNSETTLED,
    )


def _find_turned_way(
    statement: ComparedSentence, sentence: ComparedSentence
) -> SentenceContrast | None:
    """Opposite comparatives before the same thing: "lower than B" and "higher than B"."""
    left, right = split_sides(statement), split_sides(sentence)
    if left is None or right is None or left.behind.isdisjoint(right.behind):
        return None
    if not contrary_words.are_contrary(left.way, right.way, statement.code):
        return None
    return SentenceContrast(
        kind=ANTONYM, stated=left.way, given=right.way, certainty=Certainty.LIKELY
    )


def find_changed_sides(
    statement: ComparedSentence, sentence: ComparedSentence
) -> ChangedSides | None:
    """What has changed sides in a comparison that both sentences make."""
    left, right = split_sides(statement), split_sides(sentence)
    if left is None or right is None:
        return None
    ahead = (left.ahead - left.behind) & (right.behind - right.ahead)
    behind = (left.behind - left.ahead) & (right.ahead - right.behind)
    if not ahead or not behind:
        return None
    return ChangedSides(ahead=min(ahead), behind=min(behind), is_same_way=left.way == right.way)


def split_sides(sentence: ComparedSentence) -> _Sides | None:
    """The content words just before and behind the word that compares."""
    verb = contrary_words.compile_exceeding_pattern(sentence.code).search(sentence.text)
    if verb is not None:
        at = sum(word.start < verb.end() for word in sentence.words) - 1
        return _build_sides(sentence, at, verb[0][:_WAY_LETTERS].lower())
    text = contrary_words.blank_bound_phrases(sentence.text)
    places = [
        at
        for at, word in enumerate(sentence.words)
        if word.text == contrary_words.load_opposition_words(sentence.code).than
        and text[word.start : word.start + 1].strip()
        # A number is no side: "more than 26 million" compares nothing.
        and not any(
            map(str.isdigit, "".join(each.text for each in sentence.words[at + 1 : at + 2]))
        )
    ]
    if len(places) != 1:
        return None
    way = _find_comparative(sentence, places[0])
    return _build_sides(sentence, places[0], way) if way else None


def _build_sides(sentence: ComparedSentence, at: int, way: str) -> _Sides:
    before = [word.stem for word in sentence.words[:at] if word.stem]
    behind = [word.stem for word in sentence.words[at + 1 :] if word.stem]
    return _Sides(
        ahead=frozenset(before[-_SIDE_WORDS[0] :]),
        behind=frozenset(behind[: _SIDE_WORDS[1]]),
        way=way,
    )


def _find_comparative(sentence: ComparedSentence, at: int) -> str:
    """The word of more or less before "than"; empty if there is none."""
    known = contrary_words.load_opposition_words(sentence.code).comparatives
    for word in reversed(sentence.words[max(0, at - _MAX_COMPARATIVE_WORDS) : at]):
        if word.text in known or (sentence.code in {"en", "de"} and word.text.endswith("er")):
            return word.text
    return ""


def _show_sides(sentence: ComparedSentence, before: str, behind: str) -> str:
    """Two words in the order in which the sentence has them."""
    names = [
        next((word.text for word in sentence.words if word.stem == stem), stem)
        for stem in (before, behind)
    ]
    return " … ".join(names)
