"""Finds where the nearly equal sentence of a source says the opposite of a statement.

Three ways are known: one of both denies what the other says, an opposite word stands in the same
place, or the sides of a comparison have changed. What is not plain in both is left open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from citewell.text.comparison.contrary_words import (
    CONTRARY_LANGUAGES,
    LIGHT_WORDS,
    NOUN_DENIALS,
    THAN_WORDS,
    are_contrary,
    blank_bound_phrases,
    compile_denial_pattern,
    compile_exceeding_pattern,
    compile_hidden_pattern,
    compile_limit_pattern,
)
from citewell.text.comparison.statement_twins import StatementTwin
from citewell.text.evidence.negation import remove_mere_emphasis
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import stopwords, tokens

_MIN_SHARE = 0.55  # of the statement's content words in the sentence, to be compared at all
_MIN_SURE_SHARE, _MIN_SURE_BACK = 0.7, 0.5
_MIN_DENIED_SHARE = 0.8
_MIN_DENIED_BACK = 0.35  # the source may say more in the same sentence
_MIN_CLAUSE_SHARE = 0.6  # of the words that both sentences have, in the clause of the denial
_MIN_ONE_SIDED_SHARE, _MIN_WHOLE_SHARE = 0.8, 0.9
_MIN_AGREED_SHARE = 0.5  # of a sentence that speaks for the statement as it is
_MIN_TERMS = 3
_SIDE_WORDS = (6, 3)  # content words before and behind a word that compares
_LIMIT_WORDS = (6, 3)  # before and after a word, among which one that limits it is looked for
_REACH_WORDS, _NOUN_REACH_WORDS = 3, 2  # content words after a denial that it may be about
_MAX_SENTENCE_CHARS = 1500
_MAX_CLAUSES = 24
_CLAUSE_BREAK_PATTERN = re.compile(
    r"[;:()–—]|,(?!\d)|\s(?:but|whereas|while|although|because|so that|sondern|aber|während|weil|sodass|mais|tandis que|car|parce que|sino|pero|mientras|porque)\s",
    re.IGNORECASE,
)
_PIECE_BREAK_PATTERN = re.compile(
    rf"{_CLAUSE_BREAK_PATTERN.pattern}|\s(?:and|und|et|y)\s", re.IGNORECASE
)
_WORD_PATTERN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContraryWords:
    """The words that differ, and the sentence of the source; `is_sure` if nothing else is possible."""

    draft: str
    source: str
    start: int
    end: int
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    text: str  # in small letters
    stem: str  # empty for words without content
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Denial:
    """A word that denies, with the stems that it may be about."""

    start: int
    shown: str  # with the next words
    stems: tuple[str, ...]
    clause_terms: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class _Sentence:
    """A sentence, or the clauses of it that are about the same as the other sentence."""

    text: str
    code: str

    @cached_property
    def words(self) -> tuple[_Word, ...]:
        known = stopwords.list_stopwords(self.code)
        found = []
        for match in _WORD_PATTERN.finditer(self.text):
            word = match[0].lower()
            is_content = (
                word not in known and word not in LIGHT_WORDS and tokens.is_content_word(word)
            )
            stem = tokens.stem_word(word, self.code) if is_content else ""
            found.append(_Word(text=word, stem=stem, start=match.start()))
        return tuple(found)

    @cached_property
    def stem_counts(self) -> Counter[str]:
        return Counter(word.stem or word.text for word in self.words)

    @cached_property
    def word_texts(self) -> frozenset[str]:
        return frozenset(word.text for word in self.words)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The stems of the content words, without numbers."""
        return frozenset(
            word.stem for word in self.words if word.stem and not word.stem[:1].isdigit()
        )

    @cached_property
    def denials(self) -> tuple[_Denial, ...]:
        found = compile_denial_pattern(self.code).finditer(blank_bound_phrases(self.text))
        return tuple(map(self._build_denial, found))

    def _build_denial(self, match: re.Match[str]) -> _Denial:
        start, end = self.find_clause(match.start())
        behind = [one.stem for one in self.words if match.end() <= one.start < end and one.stem]
        before = [one.stem for one in self.words if start <= one.start < match.start() and one.stem]
        rest = self.text[match.end() :].split()
        return _Denial(
            start=match.start(),
            shown=" ".join([match[0], *rest[:2]]).rstrip(".,;:"),
            stems=tuple(behind[: self._choose_reach(match[0])] or before[-1:]),
            clause_terms=frozenset((*behind, *before)),
        )

    def _choose_reach(self, denial: str) -> int:
        is_noun = denial.lower() in NOUN_DENIALS and (denial.lower() != "no" or self.code == "en")
        return _NOUN_REACH_WORDS if is_noun else _REACH_WORDS

    def find_clause(self, place: int) -> tuple[int, int]:
        """The bounds of the clause that has the word at a place."""
        start = 0
        for match in _CLAUSE_BREAK_PATTERN.finditer(self.text):
            if match.start() >= place:
                return start, match.start()
            start = match.start()
        return start, len(self.text)

    def is_limited_near(self, stems: tuple[str, ...], other: _Sentence) -> bool:
        """Whether a denial or a word that limits stands near one of the stems, and only here."""
        at = next((place for place, one in enumerate(self.words) if one.stem in stems), 0)
        first = self.words[max(0, at - _LIMIT_WORDS[0])].start
        last = self.words[min(len(self.words) - 1, at + _LIMIT_WORDS[1])]
        near = self.text[first : last.start + len(last.text)]
        if compile_denial_pattern(self.code).search(blank_bound_phrases(near)):
            return True
        found = compile_limit_pattern(self.code).finditer(near)
        return any(match[0].lower() not in other.word_texts for match in found)

    def find_neighbour_stems(self, place: int) -> tuple[str, str]:
        """The stems of the content words before and after the word at a place."""
        before = next((one.stem for one in reversed(self.words[:place]) if one.stem), "")
        after = next((one.stem for one in self.words[place + 1 :] if one.stem), "")
        return before, after


def find_contrary_words(
    asked: SentenceFeatures, twins: Sequence[StatementTwin]
) -> ContraryWords | None:
    """What the nearest sentence says to the contrary; None if it, or one as near, agrees."""
    code = (asked.language or "en")[:2]
    if code not in CONTRARY_LANGUAGES or not twins:
        return None
    mine = _Sentence(text=remove_mere_emphasis(asked.text[:_MAX_SENTENCE_CHARS]), code=code)
    if len(mine.terms) < _MIN_TERMS:
        return None
    near = [one for one in twins if _shares_subject(mine, one)]
    found = next(filter(None, (_compare_twin(mine, one) for one in near[:2])), None)
    if found is None:
        return None
    others = [one for one in twins if one.start != found.start and one.share >= _MIN_AGREED_SHARE]
    if any(_compare_twin(mine, one) is None and _has_core(mine, one) for one in others):
        return _make_unsure(found)
    return found


def _shares_subject(mine: _Sentence, twin: StatementTwin) -> bool:
    theirs = _Sentence(text=twin.features.text[:_MAX_SENTENCE_CHARS], code=mine.code)
    return len(mine.terms & theirs.terms) >= _MIN_SHARE * len(mine.terms)


def _make_unsure(one: ContraryWords) -> ContraryWords:
    return ContraryWords(
        draft=one.draft, source=one.source, start=one.start, end=one.end, is_sure=False
    )


def _has_core(mine: _Sentence, twin: StatementTwin) -> bool:
    """Whether a sentence is near enough to speak for the statement."""
    theirs = _cut_clauses(mine, twin)
    return len(mine.terms & theirs.terms) >= _MIN_SURE_SHARE * len(mine.terms)


def _compare_twin(mine: _Sentence, twin: StatementTwin) -> ContraryWords | None:
    theirs = _cut_clauses(mine, twin)
    for draft, source, is_sure in _list_differences(mine, theirs):
        return ContraryWords(
            draft=draft, source=source, start=twin.start, end=twin.end, is_sure=is_sure
        )
    return None


def _cut_clauses(mine: _Sentence, twin: StatementTwin) -> _Sentence:
    """The fewest consecutive clauses of a sentence that have all that it shares with the statement."""
    text = remove_mere_emphasis(twin.features.text[:_MAX_SENTENCE_CHARS])
    bounds = [0, *(match.start() for match in _PIECE_BREAK_PATTERN.finditer(text)), len(text)]
    whole = _Sentence(text=text, code=mine.code)
    wanted = mine.terms & whole.terms
    best = whole
    pieces = list(pairwise(bounds))[:_MAX_CLAUSES]
    for first in range(len(pieces)):
        for last in range(first, len(pieces)):
            piece = _Sentence(text=text[pieces[first][0] : pieces[last][1]], code=mine.code)
            if wanted <= piece.terms:
                if len(piece.text) < len(best.text):
                    best = piece
                break
    return best


def _list_differences(mine: _Sentence, theirs: _Sentence) -> Iterator[tuple[str, str, bool]]:
    denied = list(_list_denial_contrasts(mine, theirs))
    yield from denied
    if not denied:
        yield from _list_opposite_contrasts(mine, theirs)
        if not mine.denials and not theirs.denials:
            yield from _compare_sides(mine, theirs)


def _measure_overlap(
    mine: _Sentence, theirs: _Sentence, without: frozenset[str] = frozenset()
) -> tuple[float, float]:
    """The share of each sentence's content words in the other."""
    first, second = mine.terms - without, theirs.terms - without
    shared = len(first & second)
    return shared / max(1, len(first)), shared / max(1, len(second))


def _is_near(overlap: tuple[float, float]) -> bool:
    if overlap[0] >= _MIN_WHOLE_SHARE:
        return overlap[1] >= _MIN_DENIED_BACK
    return overlap[0] >= _MIN_SURE_SHARE and overlap[1] >= _MIN_SURE_BACK


def _list_denial_contrasts(mine: _Sentence, theirs: _Sentence) -> Iterator[tuple[str, str, bool]]:
    """A denial in one of both, of something that the other has as well."""
    pairs = ((mine, theirs), (theirs, mine))
    extra = [
        [one for one in first.denials if _is_denied_alone(one, second)] for first, second in pairs
    ]
    if extra[0] and extra[1]:
        yield extra[0][0].shown, extra[1][0].shown, False
        return
    if not extra[0] and not extra[1]:
        return
    side = 0 if extra[0] else 1
    denying, plain = pairs[side]
    shared = mine.terms & theirs.terms
    denial = extra[side][0]
    about = tuple(stem for stem in denial.stems if stem in plain.terms)
    overlap = _measure_overlap(mine, theirs)
    is_sure = (
        len(extra[side]) == len(denying.denials) - len(plain.denials)
        and overlap[0] >= _MIN_DENIED_SHARE
        and overlap[1] >= _MIN_DENIED_BACK
        and not _has_hidden_denial(plain, denying)
        and (len(shared) > _MIN_TERMS or overlap[0] == 1)
        and len(denial.clause_terms & shared) >= _MIN_CLAUSE_SHARE * len(shared)
        and not plain.is_limited_near(about, denying)
        and not _is_limited_denial(denying, denial, plain)
    )
    yield (denial.shown, "", is_sure) if side == 0 else ("", denial.shown, is_sure)


def _has_hidden_denial(plain: _Sentence, denying: _Sentence) -> bool:
    """Whether the sentence without a denying word denies in another way, as by "stays out of"."""
    found = compile_hidden_pattern(plain.code).finditer(plain.text)
    return any(match[0].lower() not in denying.text.lower() for match in found)


def _is_denied_alone(one: _Denial, second: _Sentence) -> bool:
    """Whether a denial is about something that the other sentence has and does not deny."""
    about = [stem for stem in one.stems if stem in second.terms]
    denied = {stem for each in second.denials for stem in each.stems}
    return bool(about) and not any(stem in denied for stem in about)


def _is_limited_denial(denying: _Sentence, denial: _Denial, plain: _Sentence) -> bool:
    """Whether a word such as "only" or "unless" stands in the clause of a denial, and only there."""
    start, end = denying.find_clause(denial.start)
    found = compile_limit_pattern(denying.code).finditer(denying.text, start, end)
    return any(match[0].lower() not in plain.word_texts for match in found)


def _list_opposite_contrasts(mine: _Sentence, theirs: _Sentence) -> Iterator[tuple[str, str, bool]]:
    """Opposite words between the same neighbours; none may be there as the statement has it."""
    found = [
        (at, place)
        for at, one in enumerate(mine.words)
        for place, other in enumerate(theirs.words)
        if _stand_apart(one, other, mine, theirs) and _share_neighbour(mine, theirs, at, place)
    ]
    # "B has less than A" says the same as "A has more than B".
    if not found or _find_changed_sides(mine, theirs) is not None:
        return
    at, place = found[0]
    used = frozenset(
        stem
        for first, second in found
        for stem in (mine.words[first].stem, theirs.words[second].stem)
        if stem
    )
    same = any(
        one.text == other.text and _share_neighbour(mine, theirs, first, second)
        for first, one in enumerate(mine.words)
        for second, other in enumerate(theirs.words)
        if any(first == each for each, _ in found)
    )
    overlap = _measure_overlap(mine, theirs, used)
    is_between = _count_neighbours(mine, theirs, at, place) == 2
    is_sure = (
        not same
        and (_is_near(overlap) or (is_between and overlap[0] >= _MIN_SURE_SHARE))
        and not _has_other_direction(mine, theirs, found)
        and len(mine.denials) == len(theirs.denials)
        and (
            is_between
            or _shares_next(mine, theirs, at, place)
            or overlap[0] >= _MIN_ONE_SIDED_SHARE
        )
    )
    yield mine.words[at].text, theirs.words[place].text, is_sure


def _stand_apart(one: _Word, other: _Word, mine: _Sentence, theirs: _Sentence) -> bool:
    """Whether each of two opposite words occurs more often in its own sentence."""
    if one.text == other.text or not are_contrary(one.text, other.text, mine.code):
        return False
    first, second = one.stem or one.text, other.stem or other.text
    return (
        mine.stem_counts[first] > theirs.stem_counts[first]
        and theirs.stem_counts[second] > mine.stem_counts[second]
    )


def _share_neighbour(mine: _Sentence, theirs: _Sentence, at: int, place: int) -> bool:
    return _count_neighbours(mine, theirs, at, place) > 0


def _count_neighbours(mine: _Sentence, theirs: _Sentence, at: int, place: int) -> int:
    """How many of the content words beside a word stand beside the other too."""
    pairs = zip(mine.find_neighbour_stems(at), theirs.find_neighbour_stems(place), strict=True)
    return sum(bool(one) and one == other for one, other in pairs)


def _shares_next(mine: _Sentence, theirs: _Sentence, at: int, place: int) -> bool:
    one, other = mine.find_neighbour_stems(at)[1], theirs.find_neighbour_stems(place)[1]
    return bool(one) and one == other


def _has_other_direction(
    mine: _Sentence, theirs: _Sentence, found: Sequence[tuple[int, int]]
) -> bool:
    """Whether opposites stand in other places too, which may undo each other."""
    taken = {at for at, _ in found}
    return any(
        are_contrary(one.text, other.text, mine.code)
        for at, one in enumerate(mine.words)
        if at not in taken and one.text not in theirs.word_texts
        for other in theirs.words
        if other.text not in mine.word_texts
    )


def _compare_sides(mine: _Sentence, theirs: _Sentence) -> Iterator[tuple[str, str, bool]]:
    """What stands before "than" or "outperforms" in one stands behind it in the other."""
    changed = _find_changed_sides(mine, theirs)
    if changed is not None and changed[2]:
        one, other, _ = changed
        overlap = _measure_overlap(mine, theirs)
        is_sure = overlap[0] >= _MIN_SURE_SHARE and overlap[1] >= _MIN_DENIED_BACK
        yield _show_side(mine, one, other), _show_side(theirs, other, one), is_sure


def _find_changed_sides(mine: _Sentence, theirs: _Sentence) -> tuple[str, str, bool] | None:
    """Two stems that stand on each other's side of a comparison, and whether it is the same one."""
    left, right = _split_compared_sides(mine), _split_compared_sides(theirs)
    if left is None or right is None:
        return None
    ahead = (left[0] - left[1]) & (right[1] - right[0])
    behind = (left[1] - left[0]) & (right[0] - right[1])
    return (min(ahead), min(behind), left[2] == right[2]) if ahead and behind else None


def _split_compared_sides(one: _Sentence) -> tuple[frozenset[str], frozenset[str], str] | None:
    """The content words just before and behind the word that compares, and the way of comparing."""
    verb = compile_exceeding_pattern(one.code).search(one.text)
    if verb is not None:
        at = next((place for place, word in enumerate(one.words) if word.start >= verb.start()), 0)
        return *_list_side_terms(one, at), verb[0][:6].lower()
    text = blank_bound_phrases(one.text)
    places = [
        at
        for at, word in enumerate(one.words)
        if word.text in THAN_WORDS[one.code] and text[word.start : word.start + 1].strip()
    ]
    if len(places) != 1:
        return None
    way = _find_comparative(one, places[0])
    return (*_list_side_terms(one, places[0]), way) if way else None


def _list_side_terms(one: _Sentence, at: int) -> tuple[frozenset[str], frozenset[str]]:
    before = [word.stem for word in one.words[:at] if word.stem]
    behind = [word.stem for word in one.words[at + 1 :] if word.stem]
    return frozenset(before[-_SIDE_WORDS[0] :]), frozenset(behind[: _SIDE_WORDS[1]])


def _find_comparative(one: _Sentence, at: int) -> str:
    """The word of more or less before "than"; empty if there is none."""
    known = {"more", "less", "fewer", "mehr", "weniger", "plus", "moins", "más", "menos"}
    for word in reversed(one.words[max(0, at - 6) : at]):
        if word.text in known or (one.code in {"en", "de"} and word.text.endswith("er")):
            return word.text
    return ""


def _show_side(one: _Sentence, before: str, behind: str) -> str:
    """Two words in the order in which the sentence has them."""
    names = [
        next((word.text for word in one.words if word.stem == stem), stem)
        for stem in (before, behind)
    ]
    return " … ".join(names)
