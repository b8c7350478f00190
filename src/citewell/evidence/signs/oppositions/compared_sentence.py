"""A sentence as it is compared with another: its words, what it denies, its clauses, and how both differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

from citewell.evidence.signs.nearest_sentences import remove_mere_emphasis
from citewell.evidence.signs.oppositions import contrary_words
from citewell.evidence.signs.oppositions.statement_clauses import (
    StatementClause,
    join_denying_prefixes,
    parse_clauses,
)
from citewell.text.language import word_forms

NEGATION, ANTONYM, COMPARISON = "negation", "antonym", "comparison"

_LIMIT_WORDS = (6, 3)  # before and after a word, among which one that limits it is looked for
_REACH_WORDS, _NOUN_REACH_WORDS = 3, 2  # content words after a denial that it may be about
_MAX_SENTENCE_CHARS = 1500
_MAX_CLAUSES = 24
_MIN_OWN_TERMS, _MIN_OWN_SHARE = 2, 0.4
# Things that one denial is about: "prevents no colds, coughs or fevers".
_LISTED_REGEX = (
    r"(?: [\w'’-]{1,20}){1,3},?(?:(?: [\w'’-]{1,20}){1,3},){0,6} (?:or|nor|oder|ou|o|ni) "
)
_CLAUSE_BREAK_PATTERN = re.compile(
    rf"[;:()–—]|,(?!\d|{_LISTED_REGEX})|\s(?:but|whereas|while|although|because|so that|sondern|aber|während|weil|sodass|mais|tandis que|car|parce que|sino|pero|mientras|porque)\s",
    re.IGNORECASE,
)
_PIECE_BREAK_PATTERN = re.compile(
    rf"{_CLAUSE_BREAK_PATTERN.pattern}|\s(?:and|und|et|y)\s", re.IGNORECASE
)
_WORD_PATTERN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWord:
    text: str  # in small letters
    stem: str  # empty for words without content
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A word that denies, with the stems that it may be about."""

    start: int
    end: int
    shown: str  # with the next words
    stems: tuple[str, ...]
    clause_terms: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class ComparedSentence:
    """A sentence, or the clauses of it that are about the same as the other sentence."""

    text: str
    code: str  # of the language
    context: frozenset[str] = frozenset()  # stems of the sentences before it, of which it may speak

    @cached_property
    def clauses(self) -> tuple[StatementClause, ...]:
        """The clauses of an English sentence; none in other languages."""
        return parse_clauses(self.text) if self.code == "en" else ()

    @cached_property
    def plain(self) -> ComparedSentence:
        """Without what only stresses, and of a bounded length."""
        text = join_denying_prefixes(remove_mere_emphasis(self.text[:_MAX_SENTENCE_CHARS]))
        return ComparedSentence(text=text, code=self.code)

    @cached_property
    def words(self) -> tuple[SentenceWord, ...]:
        known = word_forms.list_stopwords(self.code)
        found = []
        for match in _WORD_PATTERN.finditer(self.text):
            word = match[0].lower()
            is_content = (
                word not in known
                and not contrary_words.is_light_word(word, self.code)
                and word_forms.is_content_word(word)
            )
            stem = word_forms.stem_word(word, self.code) if is_content else ""
            found.append(SentenceWord(text=word, stem=stem, start=match.start()))
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
    def denials(self) -> tuple[Denial, ...]:
        found = contrary_words.compile_denial_pattern(self.code).finditer(
            contrary_words.blank_bound_phrases(self.text)
        )
        return tuple(map(self._build_denial, found))

    def _build_denial(self, match: re.Match[str]) -> Denial:
        start, end = self.find_clause(match.start())
        before = [
            word.stem for word in self.words if start <= word.start < match.start() and word.stem
        ]
        follows = [word for word in self.words if match.end() <= word.start < end]
        behind = [word.stem for word in follows if word.stem]
        rest = self.text[match.end() :].split()
        return Denial(
            start=match.start(),
            end=match.end(),
            shown=" ".join([match[0], *rest[:2]]).rstrip(".,;:"),
            stems=self._list_denied(match[0].lower(), follows) or tuple(before[-_REACH_WORDS:]),
            clause_terms=frozenset((*behind, *before)),
        )

    def _list_denied(self, denial: str, follows: Sequence[SentenceWord]) -> tuple[str, ...]:
        """The stems that a denial may be about, of the words that follow it in its clause."""
        if contrary_words.is_noun_denial(denial, self.code):
            return tuple(word.stem for word in follows if word.stem)[:_NOUN_REACH_WORDS]
        joined = contrary_words.load_opposition_words(self.code).additions
        # "Solids do not leak and are harder to light" does not deny that they are harder.
        ends = (at for at, word in enumerate(follows) if word.text in joined)
        end = next((at for at in ends if any(word.stem for word in follows[:at])), len(follows))
        return tuple(word.stem for word in follows[:end] if word.stem)[:_REACH_WORDS]

    def find_clause(self, place: int) -> tuple[int, int]:
        """The bounds of the clause that has the word at a place."""
        start = 0
        for match in _CLAUSE_BREAK_PATTERN.finditer(self.text):
            if match.start() >= place:
                return start, match.start()
            start = match.start()
        return start, len(self.text)

    def has_word(self, word: str) -> bool:
        """Whether a word in small letters occurs, in any of its forms."""
        return word in self.word_texts or word_forms.stem_word(word, self.code) in self.terms

    def list_clause_terms(self, place: int) -> frozenset[str]:
        """The stems of the clause that has the word at a place, without numbers."""
        start, end = self.find_clause(place)
        found = (word.stem for word in self.words if start <= word.start < end)
        return frozenset(found) & self.terms

    def is_limited_near(self, stems: tuple[str, ...], other: ComparedSentence) -> bool:
        """Whether a denial or a word that limits stands near one of the stems, and only here."""
        at = next((place for place, word in enumerate(self.words) if word.stem in stems), 0)
        first = self.words[max(0, at - _LIMIT_WORDS[0])].start
        last = self.words[min(len(self.words) - 1, at + _LIMIT_WORDS[1])]
        near = self.text[first : last.start + len(last.text)]
        denied = {stem for denial in other.denials for stem in denial.stems}
        if any(
            first <= denial.start < last.start and denied.isdisjoint(denial.stems)
            for denial in self.denials
        ):
            return True
        found = contrary_words.compile_limit_pattern(self.code).finditer(near)
        return not all(other.has_word(match[0].lower()) for match in found)

    def find_neighbour_stems(self, place: int) -> tuple[str, str]:
        """The stems of the content words before and after the word at a place."""
        before = next((word.stem for word in reversed(self.words[:place]) if word.stem), "")
        after = next((word.stem for word in self.words[place + 1 :] if word.stem), "")
        return before, after

    def cut_for(self, statement: ComparedSentence, context: frozenset[str]) -> ComparedSentence:
        """The fewest consecutive clauses that have all words which the sentence shares with a statement."""
        wanted = statement.terms & self.terms
        breaks = (match.start() for match in _PIECE_BREAK_PATTERN.finditer(self.text))
        pieces = list(pairwise([0, *breaks, len(self.text)]))[:_MAX_CLAUSES]
        stems = [
            {word.stem for word in self.words if start <= word.start < end} for start, end in pieces
        ]
        start, end = 0, len(self.text)
        for first in range(len(pieces)):
            held: set[str] = set()
            for last in range(first, len(pieces)):
                held |= stems[last]
                if wanted <= held:
                    if pieces[last][1] - pieces[first][0] < end - start:
                        start, end = pieces[first][0], pieces[last][1]
                    break
        return ComparedSentence(text=self.text[start:end], code=self.code, context=context)


def measure_overlap(
    statement: ComparedSentence, other: ComparedSentence, without: frozenset[str] = frozenset()
) -> tuple[float, float]:
    """The share of each sentence's content words in the other.

    Words of the statement may stand before the sentence, if this has half of them itself.
    """
    first, second = statement.terms - without, other.terms - without
    shared = len(first & second)
    near = shared
    if shared >= _MIN_OWN_TERMS and shared >= _MIN_OWN_SHARE * len(first):
        near = len(first & (second | other.context))
    return near / max(1, len(first)), shared / max(1, len(second))


# What differs between a statement and a sentence of the source, if one says the contrary of the other.


class Certainty(IntEnum):
    """How sure it is that a source says the contrary."""

    UNSETTLED = 1  # contrary words are there, but others may take them back
    POSSIBLE = 2
    LIKELY = 3  # more often right than not, as a judge of claims may say
    SURE = 4  # nothing else is possible, as must be so before an author is told


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceContrast:
    """The words that differ."""

    kind: str
    stated: str  # empty if only the source denies
    given: str  # empty if only the statement denies
    certainty: Certainty
