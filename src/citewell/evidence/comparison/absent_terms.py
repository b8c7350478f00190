"""Tells what of a statement its source, read as a whole, does not have: names, or nearly all of its words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import pairwise

from citewell.evidence.comparison.statement_names import (
    StatementName,
    fold_name_letters,
    is_telling_stem,
    list_statement_names,
)
from citewell.evidence.signs.claim_support import HEAD_LETTERS, SourceText, remove_citation_marks
from citewell.evidence.signs.oppositions.contrary_words import LIGHT_WORDS
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import word_forms
from citewell.text.passages.passage_index import find_related_stems
from citewell.text.passages.term_weights import load_frequencies, weigh_rarity

_WORD_PATTERN = re.compile(r"[^\W_]+")
_CAPITAL_PATTERN = re.compile(r"(?:[A-Z]\.){2,8}|\b[^\W\d_a-z][^\W_]*")
_HEAD_LETTERS = 5  # European and Europe
_MAX_ENDING_LETTERS = 2
_MIN_ROOT_LETTERS = 4  # Marxist and Marx
_MIN_JOINED_LETTERS = 6  # of a name that the source writes in two words
_MIN_FUZZY_LETTERS, _MIN_SPELLING_RATIO = 5, 0.78

_MIN_SOURCE_WORDS = 50  # of a source that names all that it is about
_MIN_ACRONYM_WORDS = 150  # of a source; a shorter one may use the long form of another text
# Who says it may be the author or the publisher, whom a text need not name.
_SPEAKER_BEFORE_PATTERN = re.compile(
    r"(?:according to|as reported by|as noted by|selon|laut|según)(?: the| la| le)? \Z",
    re.IGNORECASE,
)
_SPEAKER_AFTER_PATTERN = re.compile(
    r"(?:\W{0,2}s)?,? (?:\w+ly )?(?:says?|said|writes?|wrote|notes?|noted|argues?|argued|reports?|reported|explains?|explained|suggests?|suggested|estimates?|estimated|concludes?|concluded|recommends?|recommended|advises?|advised|describes?|described|experience|estimates?|view|opinion|account|words|analysis|calculations?)\b"
)
# What is said of a text itself need not be in it.
_DOCUMENT_PATTERN = re.compile(
    r"\b(?:this|these) (?:\w+ )?(?:articles?|papers?|pages?|stud(?:y|ies)|reports?|books?|guides?|documents?|sources?|publications?|chapters?|surveys?|reviews?)\b"
    r"|\bthe (?:\w+ )?(?:articles?|papers?|pages?|authors?|web ?sites?|sites?|posts?|documents?|blogs?|essays?|texts?|reviewers?|writers?|columns?|editorials?)\b"
    r"|\b(?:l['’]article|cet article|l['’]auteure?|les auteurs|l['’]étude|la page|le rapport|el artículo|los autores|la autora|el autor|el estudio|la página|el informe)\b",
    re.IGNORECASE,
)
_PLACE_BEFORE_PATTERN = re.compile(r"[A-Z]\w{1,40}, \Z")
_LIST_AFTER_PATTERN = re.compile(r",? (?:and|or|&) |, [A-Z]")
_EXPLANATION_PATTERN = re.compile(
    r" (?:\(([A-Z]\w+)|([a-z]{4,}(?:um|us|is|ae|ans|ii|ens|ri|la|li|na)\b))"
)
_OWNER_AFTER_PATTERN = re.compile(r"[’']s? [A-Z]")

_MIN_PART_LETTERS = 4  # of a word within a longer one, as in "Echtzeitüberweisung"
_MIN_RELATED = 0.1  # how near a word must be to stand for another
_MIN_TERMS = 4  # content words that a statement needs to be called absent
_MIN_ABSENT_WORDS = 3
_WINDOW_SENTENCES = 3
# At most this share of its words in any three sentences, at least this share by weight nowhere in the
# source. A paraphrase has few words of its source, but some. For English there is a table of related
# words, so less is needed if the source has this many stems; but the words must be rare.
_MAX_WINDOW_SHARE, _MIN_ABSENT_SHARE = 0.15, 0.75
_MAX_LONG_WINDOW_SHARE, _MIN_LONG_ABSENT_SHARE = 0.25, 0.6
_MIN_SOURCE_STEMS, _MIN_LONG_SOURCE_STEMS = 30, 150
_MAX_RARE_PASSAGES = 150  # of 21,859 passages of English pages that have the word
_MAX_LISTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentTerms:
    """The words of a statement that its source has in no form, and their share by weight."""

    terms: tuple[str, ...]  # stems
    share: float
    count: int  # of the statement's words, absent or not


def list_absent_parts(
    statement: str, source: SourceText, *, known: str = "", are_words_telling: bool = True
) -> tuple[str, ...]:
    """What shows that the source does not say this, as written: its names, or nearly all its words.

    `known` are names that belong to the source, such as its title, authors and address. Without
    `are_words_telling`, only names count. Empty if the source may say it.
    """
    names = find_absent_names(statement, source, known=known)
    if names or not are_words_telling:
        return names[:_MAX_LISTED]
    asked = build_sentence_features(remove_citation_marks(statement), language=source.language)
    lost = find_absent_terms(asked, source)
    return _list_written_words(asked, lost) if _is_largely_absent(asked, lost, source) else ()


def describe_absence(parts: tuple[str, ...]) -> str:
    *others, last = parts
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"The source was read as a whole and does not mention {listed}."


def find_absent_terms(asked: SentenceFeatures, source: SourceText) -> AbsentTerms:
    """Rare words weigh more; a word of near meaning in the source stands for the word itself."""
    code = (asked.language or "en")[:2]
    light = {word_forms.stem_word(word, code) for word in LIGHT_WORDS}
    wanted = sorted(asked.word_terms - light)
    held = source.all_terms
    heads = source.sentences_by_head.keys()
    text = source.derive(_lower_text)
    absent = tuple(term for term in wanted if not _occurs_in_source(term, held, heads, text, code))
    whole = sum(_weigh_word(term, code) for term in wanted)
    lost = sum(_weigh_word(term, code) for term in absent)
    return AbsentTerms(terms=absent, share=lost / whole if whole else 0.0, count=len(wanted))


def _is_largely_absent(asked: SentenceFeatures, lost: AbsentTerms, source: SourceText) -> bool:
    length = source.derive(_count_stems)
    if lost.count < _MIN_TERMS or length < _MIN_SOURCE_STEMS:
        return False
    is_english = (asked.language or "en")[:2] == "en"
    known = load_frequencies()[0] if is_english else {}
    rare = [term for term in lost.terms if known.get(term, 0) <= _MAX_RARE_PASSAGES]
    is_long = length >= _MIN_LONG_SOURCE_STEMS
    # Without a table of related words, a paraphrase of a short source looks absent.
    if not is_english and not is_long:
        return False
    is_known = is_english and is_long
    least = _MIN_LONG_ABSENT_SHARE if is_known else _MIN_ABSENT_SHARE
    most = _MAX_LONG_WINDOW_SHARE if is_known else _MAX_WINDOW_SHARE
    return (
        len(rare) >= _MIN_ABSENT_WORDS
        and lost.share >= least
        and _measure_best_window(asked.word_terms, source) <= most
    )


def _measure_best_window(words: frozenset[str], source: SourceText) -> float:
    """The largest share of these words in three consecutive sentences of the source."""
    every = source.sentence_features
    near = source.count_shared_terms(words)
    starts = {max(0, at - step) for at in near for step in range(_WINDOW_SENTENCES)}
    windows = (
        frozenset().union(*(each.terms & words for each in every[at : at + _WINDOW_SENTENCES]))
        for at in starts
    )
    return max(map(len, windows), default=0) / len(words)


def _lower_text(source: SourceText) -> str:
    return source.text.lower()


def _count_stems(source: SourceText) -> int:
    return sum(len(sentence.stems) for sentence in source.sentence_features)


def _list_written_words(asked: SentenceFeatures, lost: AbsentTerms) -> tuple[str, ...]:
    """The rarest of the absent words as the statement has them, in its order."""
    code = (asked.language or "en")[:2]
    weights: Mapping[str, float] = {term: _weigh_word(term, code) for term in lost.terms}
    chosen = sorted(weights, key=lambda term: -weights[term])[:_MAX_LISTED]
    written: dict[str, str] = {}
    for word in word_forms.split_words(asked.text):
        written.setdefault(word_forms.stem_word(word, code), f"“{word}”")
    return tuple(word for stem, word in written.items() if stem in chosen)


def _occurs_in_source(
    term: str, held: frozenset[str], heads: Collection[str], text: str, code: str
) -> bool:
    if term in held or (len(term) >= HEAD_LETTERS and term[:HEAD_LETTERS] in heads):
        return True
    if len(term) >= _MIN_PART_LETTERS and term in text:
        return True
    related = find_related_stems(term, language=code)
    return any(near >= _MIN_RELATED and word in held for word, near in related.items())


def _weigh_word(term: str, code: str) -> float:
    if code != "en":
        return 1.0
    frequencies, passages = load_frequencies()
    return weigh_rarity(frequencies.get(term, 1), passages)


# Finds the names of a statement that its source has in no form, if they carry what is stated.


def find_absent_names(statement: str, source: SourceText, *, known: str = "") -> tuple[str, ...]:
    """The names as written; `known` are names that belong to the source whether its text has them or not."""
    plain = remove_citation_marks(statement)
    held = read_source_names(source.text, known)
    if len(held.word_list) < _MIN_SOURCE_WORDS or _DOCUMENT_PATTERN.search(plain):
        return ()
    return tuple(
        dict.fromkeys(
            name.text
            for name in list_statement_names(plain, language=source.language)
            if not held.mentions_name(name) and _carries_statement(name, plain, held)
        )
    )


def _carries_statement(name: StatementName, statement: str, held: SourceNames) -> bool:
    """Whether what is stated is about the name, which is no mere addition of the author's."""
    before, after = statement[: name.start], statement[name.end :]
    if _SPEAKER_BEFORE_PATTERN.search(before):
        return False
    if len(name.words) == 1 and _SPEAKER_AFTER_PATTERN.match(after):
        return False
    if _OWNER_AFTER_PATTERN.match(after):  # Carnegie Mellon's Tepper School
        return False
    if _PLACE_BEFORE_PATTERN.search(before) and not _LIST_AFTER_PATTERN.match(after):
        return False  # Northfield, Illinois
    # The source has the short form in brackets, or the second word of a Latin name.
    also = _EXPLANATION_PATTERN.match(after)
    if before.endswith("(") or (also and fold_name_letters(also[1] or also[2]) in held.word_set):
        return False
    return not name.is_acronym or len(held.word_list) >= _MIN_ACRONYM_WORDS


# Tells whether a source has a name in any form: inflected, abbreviated, spelt out, hyphenated, misspelt.


@dataclass(frozen=True, kw_only=True)
class SourceNames:
    """The words of a source, and of what is known about it, as names are looked for in them."""

    text: str  # folded
    capital_words: frozenset[str]  # folded; those that are written with a capital somewhere
    known_words: frozenset[str]  # folded; of the title, the authors and the address

    @cached_property
    def word_list(self) -> tuple[str, ...]:
        return tuple(_WORD_PATTERN.findall(self.text))

    @cached_property
    def word_set(self) -> frozenset[str]:
        return frozenset(self.word_list)

    @cached_property
    def words_by_head(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for word in self.word_set:
            found.setdefault(_cut_head(word), []).append(word)
        return found

    @cached_property
    def rare_words(self) -> tuple[str, ...]:
        """The words that may be names themselves: "being" is no slip for "Boeing"."""
        return tuple(
            word for word in self.capital_words if is_telling_stem(word_forms.stem_word(word, "en"))
        )

    @cached_property
    def letters(self) -> str:
        return "".join(self.word_list)

    @cached_property
    def phrase_text(self) -> str:
        return f" {' '.join(self.word_list)} "

    @cached_property
    def source_initials(self) -> tuple[str, str]:
        """The first letters of all words, and of those that are no function words."""
        plain = word_forms.list_stopwords("en")
        every = "".join(word[0] for word in self.word_list)
        return every, "".join(word[0] for word in self.word_list if word not in plain)

    def mentions_name(self, name: StatementName) -> bool:
        """Whether any telling word of it is there; of a name of a person, whether the last one is."""
        if self._has_short_form(name):
            return True
        if name.is_plain_organisation:
            if not self._has_part_of_organisation(name):
                return False
            if not name.telling and not name.forms:
                return True
        if any(self._has_form(form) for form in name.forms):
            return True
        if name.is_acronym and any(name.words[0] in row for row in self.source_initials):
            return True
        if name.family_name:
            return self.has_name_word(name.family_name)
        return any(self.has_name_word(word) for word in name.telling)

    def has_name_word(self, word: str) -> bool:
        """Whether the source has the word, another form of it, or one that differs by a slip."""
        if self._has_form(word) or word.removesuffix("s") in self.word_set:
            return True
        if any(
            _is_other_form(word, other) for other in self.words_by_head.get(_cut_head(word), ())
        ):
            return True
        if any(word[:end] in self.word_set for end in range(_MIN_ROOT_LETTERS, len(word))):
            return True
        if len(word) >= _MIN_JOINED_LETTERS and word in self.letters:
            return True
        if len(word) < _MIN_FUZZY_LETTERS:
            return False
        like = [known for known in self.rare_words if abs(len(known) - len(word)) <= 2]
        return bool(get_close_matches(word, like, n=1, cutoff=_MIN_SPELLING_RATIO))

    def _has_form(self, form: str) -> bool:
        """Whether it is there as a word, a phrase or, if it is not short, the start of a word."""
        end = "" if len(form) >= _MIN_ROOT_LETTERS else " "
        return f" {form}{end}" in self.phrase_text

    def _has_short_form(self, name: StatementName) -> bool:
        """Whether it is there by its first letters, or written as one word as in an address."""
        joined = "".join(name.words)
        return len(name.words) > 1 and (
            name.name_initials in self.capital_words  # "who" is not the WHO
            or (len(joined) >= _MIN_JOINED_LETTERS and joined in self.letters)
        )

    def _has_part_of_organisation(self, name: StatementName) -> bool:
        """Whether its kind is there ("the agency"), two of its words side by side, or its address."""
        pairs = (f" {first} {other} " for first, other in pairwise(name.words))
        return (
            self.has_name_word(name.words[-1])
            or any(pair in self.phrase_text for pair in pairs)
            or not self.known_words.isdisjoint(name.words)
        )


def _cut_head(word: str) -> str:
    return word[:_HEAD_LETTERS]


def _is_other_form(word: str, other: str) -> bool:
    """Whether they differ only at the end: Europe and European, Mexico and Mexican."""
    same = max(_HEAD_LETTERS, min(len(word), len(other)) - _MAX_ENDING_LETTERS)
    return word[:same] == other[:same]


@lru_cache(maxsize=4)  # one source is compared with many statements
def read_source_names(text: str, known: str) -> SourceNames:
    """`known` are names that belong to the source, such as its title, authors and address."""
    known_words = frozenset(_WORD_PATTERN.findall(fold_name_letters(known)))
    capitals = (word for word in _CAPITAL_PATTERN.findall(text) if word[0].isupper())
    return SourceNames(
        text=fold_name_letters(f"{text}\n{known}"),
        capital_words=known_words.union(map(fold_name_letters, capitals)),
        known_words=known_words,
    )
