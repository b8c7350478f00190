"""Tells what of a statement its source, read as a whole, does not have: names, or nearly all of its words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from citewell.text.comparison.absent_names import find_absent_names
from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.evidence.claim_support import HEAD_LETTERS, SourceText, remove_citation_marks
from citewell.text.evidence.oppositions.contrary_words import LIGHT_WORDS
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import tokens
from citewell.text.passages.related_words import find_related_stems
from citewell.text.passages.term_weights import load_frequencies, weigh_rarity

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
    light = {tokens.stem_word(word, code) for word in LIGHT_WORDS}
    wanted = sorted(list_word_terms(asked) - light)
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
    if not is_english and not is_long:
        return (
            False  # without a table of related words, a paraphrase of a short source looks absent
        )
    is_known = is_english and is_long
    least = _MIN_LONG_ABSENT_SHARE if is_known else _MIN_ABSENT_SHARE
    most = _MAX_LONG_WINDOW_SHARE if is_known else _MAX_WINDOW_SHARE
    return (
        len(rare) >= _MIN_ABSENT_WORDS
        and lost.share >= least
        and _measure_best_window(list_word_terms(asked), source) <= most
    )


def _measure_best_window(words: frozenset[str], source: SourceText) -> float:
    """The largest share of these words in three consecutive sentences of the source."""
    every = source.sentence_features
    near = source.count_shared_terms(words)
    starts = {max(0, at - step) for at in near for step in range(_WINDOW_SENTENCES)}
    windows = (
        frozenset().union(*(one.terms & words for one in every[at : at + _WINDOW_SENTENCES]))
        for at in starts
    )
    return max(map(len, windows), default=0) / len(words)


def _lower_text(source: SourceText) -> str:
    return source.text.lower()


def _count_stems(source: SourceText) -> int:
    return sum(len(one.stems) for one in source.sentence_features)


def _list_written_words(asked: SentenceFeatures, lost: AbsentTerms) -> tuple[str, ...]:
    """The rarest of the absent words as the statement has them, in its order."""
    code = (asked.language or "en")[:2]
    weights: Mapping[str, float] = {term: _weigh_word(term, code) for term in lost.terms}
    chosen = sorted(weights, key=lambda term: -weights[term])[:_MAX_LISTED]
    written: dict[str, str] = {}
    for word in tokens.split_words(asked.text):
        written.setdefault(tokens.stem_word(word, code), f"“{word}”")
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
