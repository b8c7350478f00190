"""Finds opposite words that stand in the same place of two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from citewell.text.evidence.oppositions.compared_sentence import (
    ComparedSentence,
    SentenceWord,
    measure_overlap,
)
from citewell.text.evidence.oppositions.compared_sides import find_changed_sides
from citewell.text.evidence.oppositions.contrary_words import are_contrary
from citewell.text.evidence.oppositions.sentence_contrast import (
    ANTONYM,
    Certainty,
    SentenceContrast,
)
from citewell.text.evidence.oppositions.word_table import load_opposition_words

_MIN_STATED_SHARE, _MIN_SAID_SHARE = 0.7, 0.5
_MIN_WHOLE_SHARE, _MIN_WHOLE_SAID_SHARE = 0.9, 0.35
_MIN_ONE_SIDED_SHARE = 0.8  # if only the word before is the same
_MIN_CLAUSE_SHARE = 0.5  # of the words that both sentences have, in the clause of the word
_BOTH_SIDES = 2


def find_opposite_contrast(
    statement: ComparedSentence, said: ComparedSentence
) -> SentenceContrast | None:
    """Opposite words between the same neighbours; none may be there as the statement has it."""
    found = [
        (at, place)
        for at, one in enumerate(statement.words)
        for place, other in enumerate(said.words)
        if _stand_apart(one, other, statement, said)
        and _count_neighbours(statement, said, at, place)
    ]
    # "B has less than A" says the same as "A has more than B".
    if not found or find_changed_sides(statement, said) is not None:
        return None
    at, place = found[0]
    return SentenceContrast(
        kind=ANTONYM,
        stated=statement.words[at].text,
        said=said.words[place].text,
        certainty=_rate_opposites(statement, said, found),
    )


def _rate_opposites(
    statement: ComparedSentence, said: ComparedSentence, found: Sequence[tuple[int, int]]
) -> Certainty:
    is_sure = (
        _is_near(statement, said, found)
        and _is_in_clause(statement, said, *found[0])
        and not _has_same_word(statement, said, found)
        and not _has_other_opposites(statement, said, found)
        and _are_listed(statement, {at for at, _ in found})
        and len(statement.denials) == len(said.denials)
        and not _has_changed_subject(statement, said, *found[0])
    )
    return Certainty.SURE if is_sure else Certainty.UNSETTLED


def _stand_apart(
    one: SentenceWord, other: SentenceWord, statement: ComparedSentence, said: ComparedSentence
) -> bool:
    """Whether each of two opposite words occurs more often in its own sentence."""
    if one.text == other.text or not are_contrary(one.text, other.text, statement.code):
        return False
    first, second = one.stem or one.text, other.stem or other.text
    return (
        statement.stem_counts[first] > said.stem_counts[first]
        and said.stem_counts[second] > statement.stem_counts[second]
    )


def _count_neighbours(
    statement: ComparedSentence, said: ComparedSentence, at: int, place: int
) -> int:
    """How many of the content words beside a word stand beside the other too."""
    pairs = zip(statement.find_neighbour_stems(at), said.find_neighbour_stems(place), strict=True)
    return sum(bool(one) and one == other for one, other in pairs)


def _is_near(
    statement: ComparedSentence, said: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether the sentences are about the same apart from the opposite words."""
    used = frozenset(
        stem
        for at, place in found
        for stem in (statement.words[at].stem, said.words[place].stem)
        if stem
    )
    stated_share, said_share = measure_overlap(statement, said, used)
    if _count_neighbours(statement, said, *found[0]) == _BOTH_SIDES:
        return stated_share >= _MIN_STATED_SHARE
    if stated_share >= _MIN_WHOLE_SHARE:
        return said_share >= _MIN_WHOLE_SAID_SHARE
    at, place = found[0]
    next_word = statement.find_neighbour_stems(at)[1]
    is_before_same = bool(next_word) and next_word == said.find_neighbour_stems(place)[1]
    least = _MIN_STATED_SHARE if is_before_same else _MIN_ONE_SIDED_SHARE
    return stated_share >= least and said_share >= _MIN_SAID_SHARE


def _is_in_clause(statement: ComparedSentence, said: ComparedSentence, at: int, place: int) -> bool:
    """Whether the clauses of both words share most of what they could: "in the old ones" is about others."""
    shared = statement.list_clause_terms(statement.words[at].start) & said.terms
    held = said.list_clause_terms(said.words[place].start)
    return len(held & shared) >= _MIN_CLAUSE_SHARE * len(shared)


def _has_same_word(
    statement: ComparedSentence, said: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether the sentence has the very word of the statement in the same place too."""
    return any(
        statement.words[at].text == other.text and _count_neighbours(statement, said, at, place)
        for at in {at for at, _ in found}
        for place, other in enumerate(said.words)
    )


def _has_other_opposites(
    statement: ComparedSentence, said: ComparedSentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether opposites stand in other places too, which may undo each other."""
    taken = {at for at, _ in found}
    return any(
        are_contrary(one.text, other.text, statement.code)
        for at, one in enumerate(statement.words)
        if at not in taken and one.text not in said.word_texts
        for other in said.words
        if other.text not in statement.word_texts
    )


def _has_changed_subject(
    statement: ComparedSentence, said: ComparedSentence, at: int, place: int
) -> bool:
    """Whether all that acts in the statement stands behind the opposite: "A won it", "B lost it to A"."""
    acting = {one.stem for one in statement.words[:at] if one.stem}
    before = {one.stem for one in said.words[:place]}
    behind = {one.stem for one in said.words[place:]}
    return bool(acting) and acting <= behind and acting.isdisjoint(before)


def _are_listed(one: ComparedSentence, places: AbstractSet[int]) -> bool:
    """Whether the words at these places are joined: "short rest raises it" has two that undo each other."""
    joined = load_opposition_words(one.code).additions
    return all(
        "," in one.text[one.words[first].start : one.words[last].start]
        or any(word.text in joined for word in one.words[first:last])
        for first, last in pairwise(sorted(places))
    )
