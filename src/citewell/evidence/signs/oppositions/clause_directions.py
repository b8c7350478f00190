"""Compares the words of direction in the clauses of English sentences: "reduces", "increased", "not associated".

A clause opposes a claim if it says that the same things go the other way, or denies that they do.
Clauses that agree with the claim speak against an opposition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.evidence.signs.oppositions import contrary_words
from citewell.evidence.signs.oppositions.compared_sentence import (
    ANTONYM,
    NEGATION,
    ComparedSentence,
)
from citewell.evidence.signs.oppositions.opposite_contrasts import find_changed_sides
from citewell.evidence.signs.oppositions.statement_clauses import DirectedWord, StatementClause

_MIN_COMPARED_COVERAGE = 0.25  # share of the claim's words in a clause, to be compared at all
_MIN_AGREED_COVERAGE = 0.4
# For an opposition that is likely enough to be called a contradiction.
_MIN_DIRECTED_COVERAGE, _MIN_TARGET_SHARE = 0.55, 0.3
# How much the words in other clauses of the sentence count beside those in the clause itself.
_SENTENCE_WEIGHT = 0.8
_SAME_WORD_BONUS, _SAME_WORD_LETTERS = 2.0, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class OpposedDirection:
    """What shows that the sentence at a place opposes the claim."""

    place: int
    ground: str  # "negation: reduces/reduce", "antonym: increases/lower"
    is_likely: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClauseComparison:
    """How one clause stands to the claim: `parity` is -1 if opposed, 1 if agreeing, 0 if unclear."""

    parity: int
    ground: str
    coverage: float
    is_certain: bool


def find_opposed_direction(
    claim: ComparedSentence, sentences: Sequence[ComparedSentence]
) -> OpposedDirection | None:
    """The opposition of the sentences to a claim, if more of it opposes than agrees."""
    found = [
        (place, row)
        for place, sentence in enumerate(sentences)
        for mine in claim.clauses
        for row in _compare_sentence(mine, sentence, claim)
    ]
    against = [(place, row) for place, row in found if row.parity < 0]
    if not against:
        return None
    agreed = max((row.coverage for _, row in found if row.parity > 0), default=0.0)
    certain = [each for each in against if each[1].is_certain]
    is_likely = bool(certain) and agreed < _MIN_AGREED_COVERAGE
    place, best = max(certain if is_likely else against, key=lambda each: each[1].coverage)
    if not is_likely and best.coverage <= agreed:
        return None
    return OpposedDirection(place=place, ground=best.ground, is_likely=is_likely)


def _compare_sentence(
    claim: StatementClause, sentence: ComparedSentence, whole_claim: ComparedSentence
) -> Iterator[_ClauseComparison]:
    """Compares each clause; what the claim is about may stand in another clause of the sentence."""
    if not claim.plain_terms or not claim.directed:
        return
    every = frozenset().union(*(clause.terms for clause in sentence.clauses))
    whole = len(claim.plain_terms & every) / len(claim.plain_terms)
    for clause in sentence.clauses:
        shared = len(claim.plain_terms & clause.terms) / len(claim.plain_terms)
        if clause.directed and shared >= _MIN_COMPARED_COVERAGE:
            coverage = shared + _SENTENCE_WEIGHT * (whole - shared)
            is_changed = find_changed_sides(whole_claim.plain, sentence.plain) is not None
            found = _compare_directed(claim, clause, coverage, is_side_changed=is_changed)
            if found is not None and not _is_undone(found, claim, clause):
                yield found


def _is_undone(found: _ClauseComparison, claim: StatementClause, clause: StatementClause) -> bool:
    """Whether other words of the clauses turn what was found round, or leave it open."""
    if found.parity > 0:  # a claim that denies something is not confirmed by what denies nothing
        return bool(claim.denied) and not clause.denied
    used = {directed.word for directed in (*claim.directed, *clause.directed)}
    theirs = frozenset(clause.words).difference(claim.words, used)
    return any(  # "short rest raises it", "long rest lowers it"
        not contrary_words.list_opposite_words(word, "en").isdisjoint(theirs)
        for word in claim.words
        if word not in used and word not in clause.words
    )


def _compare_directed(
    claim: StatementClause, clause: StatementClause, coverage: float, *, is_side_changed: bool
) -> _ClauseComparison | None:
    """Compares the words of direction that are about the same things."""
    pairs = list(_pair_directed_words(claim, clause))
    if not pairs:
        return None
    parity, share, ground = 1, 0.0, ""
    is_denied = False
    for mine, other, targets in pairs:
        verdict = _compare_directions(mine, other)
        share = max(share, targets)
        if mine.is_denied != other.is_denied:
            is_denied = True  # "not associated with an increased risk" is one denial, not two
        else:
            parity *= verdict
        if verdict < 0:
            kind = NEGATION if mine.is_denied != other.is_denied else ANTONYM
            ground = f"{kind}: {mine.word}/{other.word}"
    parity *= -1 if is_denied else 1
    unpaired, is_clear = _multiply_unpaired(
        claim, clause, [(mine, other) for mine, other, _ in pairs]
    )
    parity *= unpaired
    if is_side_changed:
        parity = -parity
    return _ClauseComparison(
        parity=parity if is_clear else 0,
        ground=ground or ANTONYM,
        coverage=coverage,
        is_certain=bool(ground)
        and coverage >= _MIN_DIRECTED_COVERAGE
        and share >= _MIN_TARGET_SHARE,
    )


def _pair_directed_words(
    claim: StatementClause, clause: StatementClause
) -> Iterator[tuple[DirectedWord, DirectedWord, float]]:
    """Each word of direction with the nearest one in the other clause, and their common targets."""
    found = []
    for own in claim.directed:
        for other in clause.directed:
            common = len(own.targets & other.targets)
            if common and _compare_directions(own, other):
                alike = own.word[:_SAME_WORD_LETTERS] == other.word[:_SAME_WORD_LETTERS]
                worth = common + alike * _SAME_WORD_BONUS + (own.axis == other.axis)
                share = common / min(len(own.targets), len(other.targets))
                found.append((worth, own, other, share))
    mine: set[int] = set()
    theirs: set[int] = set()
    for _, own, other, share in sorted(found, key=lambda row: -row[0]):
        if own.place not in mine and other.place not in theirs:
            mine.add(own.place)
            theirs.add(other.place)
            yield own, other, share


def _compare_directions(mine: DirectedWord, other: DirectedWord) -> int:
    """1 if two words of direction agree, -1 if they exclude each other, 0 if neither is known."""
    same = mine.is_denied == other.is_denied
    if mine.axis == other.axis and mine.axis != contrary_words.LINK:
        if same:
            return 1 if mine.sign == other.sign else 0 if mine.is_denied else -1
        return -1 if mine.sign == other.sign else 0
    if contrary_words.LINK not in {mine.axis, other.axis}:
        return 0
    if same:
        return 1 if mine.is_denied else 0
    directed = other if mine.axis == contrary_words.LINK else mine
    return 0 if directed.word in contrary_words.AMOUNT_WORDS else -1


def _multiply_unpaired(
    claim: StatementClause, clause: StatementClause, pairs: list[tuple[DirectedWord, DirectedWord]]
) -> tuple[int, bool]:
    """The sign of the words without a partner ("lack of A slows B": "A promotes B"), if clear."""
    sign, is_clear = 1, True
    for mine in _list_unpaired(claim, {mine.place for mine, _ in pairs}):
        if mine.targets & clause.terms:
            sign *= mine.sign
        elif mine.sign < 0:
            is_clear = False
    theirs = {other.place for _, other in pairs}
    # "A loss of trust and of culture" is paired with both of "a loss of trust, less culture".
    theirs |= {
        directed.place
        for directed in clause.directed
        if any(directed.sign == mine.sign and directed.targets & mine.targets for mine, _ in pairs)
    }
    for mine in _list_unpaired(clause, theirs):
        if mine.targets and 2 * len(mine.targets & claim.terms) >= len(mine.targets):
            sign *= mine.sign
    return sign, is_clear


def _list_unpaired(clause: StatementClause, paired: set[int]) -> Iterator[DirectedWord]:
    seen = set(paired)
    for directed in clause.directed:
        if directed.axis == contrary_words.CHANGE and directed.place not in seen:
            seen.add(directed.place)
            yield directed
