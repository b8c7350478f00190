"""Finds where a source says the opposite of a claim, and names what shows it; English only.

A clause opposes a claim if it denies what the claim says ("did not reduce"), says that the same
things go the other way ("increased" for "reduces"), or has an opposite word in the same place.
Clauses that agree with the claim speak against an opposition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell.text.evidence.oppositions.directed_words import DirectedWord
from citewell.text.evidence.oppositions.polarity_words import (
    AMOUNT_WORDS,
    CHANGE,
    LINK,
    list_opposite_words,
)
from citewell.text.evidence.oppositions.statement_clauses import StatementClause

NEGATION, ANTONYM, COMPARISON = "negation", "antonym", "comparison"
_MIN_COMPARED_COVERAGE = 0.25  # share of the claim's words in a clause, to be compared at all
_MIN_AGREED_COVERAGE = 0.4
# For an opposition that is certain enough to be called a contradiction.
_MIN_DIRECTED_COVERAGE, _MIN_TARGET_SHARE = 0.55, 0.3
_MIN_PAIR_COVERAGE = 0.5
_MIN_DENIED_COVERAGE, _MIN_DENIED_DENSITY = 0.6, 0.6
_WHOLE_COVERAGE, _MIN_WHOLE_DENSITY = 0.9, 0.3
# How much the words in other clauses of the sentence count beside those in the clause itself.
_SENTENCE_WEIGHT = 0.8
_SAME_WORD_BONUS, _SAME_WORD_LETTERS = 2.0, 5
_NEIGHBOUR_WORDS = 2  # content words on each side of an opposite word


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposition:
    """What shows that a source opposes a claim; `is_certain` if it can be called a contradiction."""

    ground: str  # "negation: reduces/reduce", "antonym: increases/lower"
    is_certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClauseComparison:
    """How one clause stands to the claim: `parity` is -1 if opposed, 1 if agreeing, 0 if unclear."""

    parity: int
    ground: str
    coverage: float
    is_certain: bool


def find_opposition(
    claim: Sequence[StatementClause], said: Iterable[Sequence[StatementClause]]
) -> Opposition | None:
    """The opposition of the sentences said to a claim, if more of it opposes than agrees.

    Both are given as clauses, `said` as those of each sentence.
    """
    found = [
        row for sentence in said for mine in claim for row in _compare_sentence(mine, sentence)
    ]
    against = [row for row in found if row.parity < 0]
    if not against:
        return None
    agreed = max((row.coverage for row in found if row.parity > 0), default=0.0)
    certain = [row for row in against if row.is_certain]
    if certain and agreed < _MIN_AGREED_COVERAGE:
        best = max(certain, key=lambda row: row.coverage)
        return Opposition(ground=best.ground, is_certain=True)
    best = max(against, key=lambda row: row.coverage)
    if best.coverage <= agreed:
        return None
    return Opposition(ground=best.ground, is_certain=False)


def _compare_sentence(
    claim: StatementClause, sentence: Sequence[StatementClause]
) -> Iterator[_ClauseComparison]:
    """Compares each clause; what the claim is about may stand in another clause of the sentence."""
    if not claim.plain_terms:
        return
    whole = len(claim.plain_terms & frozenset().union(*(one.terms for one in sentence)))
    # "It is not in orbit around the Earth; it orbits the Sun" does not deny that it orbits.
    affirmed = frozenset().union(*(one.terms for one in sentence if not one.denied))
    for said in sentence:
        shared = len(claim.plain_terms & said.terms) / len(claim.plain_terms)
        if shared >= _MIN_COMPARED_COVERAGE:
            coverage = shared + _SENTENCE_WEIGHT * (whole / len(claim.plain_terms) - shared)
            if (found := _compare_clauses(claim, said, affirmed, coverage)) is not None:
                yield found


def _compare_clauses(
    claim: StatementClause, said: StatementClause, affirmed: frozenset[str], coverage: float
) -> _ClauseComparison | None:
    found = _compare_directed(claim, said, coverage)
    used = {one.word for one in (*claim.directed, *said.directed)} if found else set()
    opposite = _compare_opposites(claim, said, used, coverage)
    if found is None or found.parity > 0:
        found = opposite or found
    elif opposite is not None:  # "short rest raises it", "long rest lowers it"
        return None
    if found is None or found.parity > 0:
        denied = _compare_denials(claim, said, affirmed, coverage)
        if denied is not None and (found is None or (denied.parity < 0 and denied.is_certain)):
            found = denied
    if found is not None and found.parity > 0 and claim.denied and not said.denied:
        return None  # a claim that denies something is not confirmed by what denies nothing
    return found


def _compare_directed(
    claim: StatementClause, said: StatementClause, coverage: float
) -> _ClauseComparison | None:
    """Compares the words of direction that are about the same things."""
    pairs = list(_pair_directed_words(claim, said))
    if not pairs:
        return None
    parity, share, ground = 1, 0.0, ""
    is_denied = False
    for one, other, targets in pairs:
        verdict = _compare_directions(one, other)
        share = max(share, targets)
        if one.is_denied != other.is_denied:
            is_denied = True  # "not associated with an increased risk" is one denial, not two
        else:
            parity *= verdict
        if verdict < 0:
            kind = NEGATION if one.is_denied != other.is_denied else ANTONYM
            ground = f"{kind}: {one.word}/{other.word}"
    parity *= -1 if is_denied else 1
    unpaired, is_clear = _multiply_unpaired(claim, said, [(one, other) for one, other, _ in pairs])
    parity *= unpaired
    if _has_swapped_sides(claim, said):
        parity, ground = -parity, ground or COMPARISON
    return _ClauseComparison(
        parity=parity if is_clear else 0,
        ground=ground or ANTONYM,
        coverage=coverage,
        is_certain=bool(ground)
        and coverage >= _MIN_DIRECTED_COVERAGE
        and share >= _MIN_TARGET_SHARE,
    )


def _pair_directed_words(
    claim: StatementClause, said: StatementClause
) -> Iterator[tuple[DirectedWord, DirectedWord, float]]:
    """Each word of direction with the nearest one in the other clause, and their common targets."""
    found = []
    for one in claim.directed:
        for other in said.directed:
            common = len(one.targets & other.targets)
            if common and _compare_directions(one, other):
                alike = one.word[:_SAME_WORD_LETTERS] == other.word[:_SAME_WORD_LETTERS]
                worth = common + alike * _SAME_WORD_BONUS + (one.axis == other.axis)
                share = common / min(len(one.targets), len(other.targets))
                found.append((worth, one, other, share))
    mine: set[int] = set()
    theirs: set[int] = set()
    for _, one, other, share in sorted(found, key=lambda row: -row[0]):
        if one.place not in mine and other.place not in theirs:
            mine.add(one.place)
            theirs.add(other.place)
            yield one, other, share


def _compare_directions(one: DirectedWord, other: DirectedWord) -> int:
    """1 if two words of direction agree, -1 if they exclude each other, 0 if neither is known."""
    same = one.is_denied == other.is_denied
    if one.axis == other.axis and one.axis != LINK:
        if same:
            return 1 if one.sign == other.sign else 0 if one.is_denied else -1
        return -1 if one.sign == other.sign else 0
    if LINK not in {one.axis, other.axis}:
        return 0
    if same:
        return 1 if one.is_denied else 0
    directed = other if one.axis == LINK else one
    return 0 if directed.word in AMOUNT_WORDS else -1


def _multiply_unpaired(
    claim: StatementClause,
    said: StatementClause,
    pairs: list[tuple[DirectedWord, DirectedWord]],
) -> tuple[int, bool]:
    """The sign of the words without a partner ("lack of A slows B": "A promotes B"), if clear."""
    sign, is_clear = 1, True
    for one in _list_unpaired(claim, {one.place for one, _ in pairs}):
        if one.targets & said.terms:
            sign *= one.sign
        elif one.sign < 0:
            is_clear = False
    told = {other.place for _, other in pairs}
    # "A loss of trust and of culture" is paired with both of "a loss of trust, less culture".
    told |= {
        one.place
        for one in said.directed
        if any(one.sign == mine.sign and one.targets & mine.targets for mine, _ in pairs)
    }
    for one in _list_unpaired(said, told):
        if one.targets and 2 * len(one.targets & claim.terms) >= len(one.targets):
            sign *= one.sign
    return sign, is_clear


def _list_unpaired(clause: StatementClause, paired: set[int]) -> Iterator[DirectedWord]:
    seen = set(paired)
    for one in clause.directed:
        if one.axis == CHANGE and one.place not in seen:
            seen.add(one.place)
            yield one


def _has_swapped_sides(claim: StatementClause, said: StatementClause) -> bool:
    """Whether "A more than B" meets "B more than A"."""
    if claim.compared_at < 0 or said.compared_at < 0:
        return False
    left, right = _split_sides(claim)
    first, second = _split_sides(said)
    return bool(left & second and right & first and not right & second)


def _split_sides(clause: StatementClause) -> tuple[frozenset[str], frozenset[str]]:
    left = frozenset(filter(None, clause.stems[: clause.compared_at]))
    right = frozenset(filter(None, clause.stems[clause.compared_at + 1 :]))
    return left - right, right - left


def _compare_opposites(
    claim: StatementClause, said: StatementClause, used: set[str], coverage: float
) -> _ClauseComparison | None:
    """An opposite of a word of the claim in the same surroundings; None if there is none."""
    theirs = frozenset(said.words).difference(claim.words, used)
    for word in claim.words:
        if word in used or word in said.words:
            continue
        for other in sorted(list_opposite_words(word) & theirs):
            if _list_neighbour_words(claim, word).isdisjoint(_list_neighbour_words(said, other)):
                continue
            turns = len(claim.denied) + len(said.denied) + _has_swapped_sides(claim, said)
            return _ClauseComparison(
                parity=1 if turns % 2 else -1,
                ground=f"{ANTONYM}: {word}/{other}",
                coverage=coverage,
                is_certain=coverage >= _MIN_PAIR_COVERAGE,
            )
    return None


def _list_neighbour_words(clause: StatementClause, word: str) -> frozenset[str]:
    at = clause.words.index(word)
    before = [stem for stem in clause.stems[:at] if stem][-_NEIGHBOUR_WORDS:]
    behind = [stem for stem in clause.stems[at + 1 :] if stem][:_NEIGHBOUR_WORDS]
    return frozenset(before + behind)


def _compare_denials(
    claim: StatementClause, said: StatementClause, affirmed: frozenset[str], coverage: float
) -> _ClauseComparison | None:
    """Compares what the clauses deny; None if they deny different things or nothing."""
    asked = any(one in said.terms for one in claim.denied)
    told = any(one in claim.terms and one not in affirmed for one in said.denied)
    if claim.is_denied_whole or said.is_denied_whole:
        parity = 1 if claim.is_denied_whole == said.is_denied_whole else -1
        is_certain = _denies_same_thing(claim, said, coverage)
    elif asked and told:
        parity, is_certain = 1, False
    elif (told and not claim.denied) or (asked and not said.denied):
        least = _MIN_WHOLE_DENSITY if coverage >= _WHOLE_COVERAGE else _MIN_DENIED_DENSITY
        parity, is_certain = -1, _measure_density(claim, said) >= least
    else:
        return None
    return _ClauseComparison(
        parity=parity,
        ground=NEGATION,
        coverage=coverage,
        is_certain=is_certain and coverage >= _MIN_DENIED_COVERAGE,
    )


def _denies_same_thing(claim: StatementClause, said: StatementClause, coverage: float) -> bool:
    """Whether what one clause calls unfounded is what the other says, and not another thing of the same subject.

    "No evidence that it worsens the course" does not deny that it is safe; "it has been debunked"
    is not denied by whoever names it.
    """
    if claim.is_denied_whole and coverage < _WHOLE_COVERAGE:
        return False
    return bool(claim.directed) or not said.directed


def _measure_density(claim: StatementClause, said: StatementClause) -> float:
    """The share of the claim's words among the content words where the clause has them."""
    stems = [stem for stem in said.stems if stem]
    places = [at for at, stem in enumerate(stems) if stem in claim.terms]
    return len(places) / (places[-1] - places[0] + 1) if places else 0.0
