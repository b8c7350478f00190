"""Compares titles and names of venues despite differences in case, spelling, markup and abbreviation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from citewell.citations.author_names import NAME_PARTICLE_REGEX
from citewell.core.lazy_patterns import compile_on_use
from citewell.text.language import word_forms
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.safety.text_cleaning import clean_markup

_GREEK_LETTER_NAMES = dict(zip(
    "αβγδεζηθικλμνξοπρστυφχψω",
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
     "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    strict=True,
))  # fmt: skip
_LETTER_FOLDING = str.maketrans({
    "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i",
    "ħ": "h", "ŋ": "ng", "ς": "σ", "µ": "μ", "’": "'", "ʼ": "'", "&": " and ",
})  # fmt: skip
_TEX_MARKUP_PATTERN = compile_on_use(r"\\[a-zA-Z]+|[${}\\^_~]")
_TITLE_WORD_PATTERN = compile_on_use(r"[^\W_]+")
_STOPWORD_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_TRANSLATED_TITLE_PATTERN = compile_on_use(
    r"^\s*+\[(.*?)\]\.?\s*+(?:\[[^\[\]]*+\])?\s*+$", re.DOTALL
)
_LANGUAGE_NOTE_PATTERN = compile_on_use(r"\[(?:article|text) in [^\[\]]+\]", re.IGNORECASE)
_RETRACTION_MARK_PATTERN = compile_on_use(
    r"^\s*+[\[(]?(?:retracted|withdrawn|retraction|removed)(?:[ -]{1,2}(?:article|paper|chapter))?(?:[\])] ?:?|:) *+"
    r"|\s[\[(](?:retracted|withdrawn)(?: (?:article|paper|chapter))?[\])]\s*+$",
    re.IGNORECASE,
)
_CUT_TITLE_PATTERN = compile_on_use(r"(?:\.{3}|…)\s*$")
_SUBTITLE_BREAK_PATTERN = compile_on_use(r"(?<!\s)\s*+[:–—?!.(]\s*+| - ")
_MIN_BEGINNING_LETTERS = 10  # letters; a shorter beginning is not accepted
_MIN_BEGINNING_WORDS = 4  # distinctive words; with fewer, another title could start the same way
_LEADING_NUMBER_PATTERN = compile_on_use(r"^\W*(?:\d{1,3}\b)?\W*")
# The first name of a reference: a capitalised word, then initials, a comma or another name.
_LEADING_NAME_PATTERN = compile_on_use(
    rf"((?:(?:{NAME_PARTICLE_REGEX})[ -])*[A-ZÀ-Þ][\w'’-]{{2,}})"
    r"(?=,? (?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ]{1,3}\b|et al|[A-ZÀ-Þ][\w'’-]+[,.;]| ?\())"
)
_NAMES_BEFORE_YEAR_PATTERN = compile_on_use(r"(.{3,500}?)\s*\(\s*(?:1[5-9]|20)\d\d[a-z]?\b")
_MAX_NAMES_CHARS = 2000  # characters before a title that are searched for names
_MIN_SPELLING_RATIO = 0.84  # similarity from which two words count as a misspelling
_MIN_FUZZY_LETTERS = 5  # letters; shorter words are never matched by similarity
_MAX_TITLE_CHARS = 600  # characters of a title that are compared

_WORD_PATTERN = compile_on_use(r"[^\W\d_]+")
_SMALL_WORDS = frozenset({"of", "the", "and", "in", "for", "on", "de", "des", "der", "und", "et", "la", "a", "an", "to"})  # fmt: skip
# Words that many venues have, so that they do not tell one from another.
_COMMON_WORDS = frozenset({
    "journal", "proceedings", "proc", "annual", "international", "conference", "conf", "symposium", "workshop", "transactions",
    "letters", "review", "reviews", "bulletin", "annals", "archives", "acta", "advances", "american", "european", "society",
    "association", "research", "science", "sciences", "studies", "ieee", "acm", "lecture", "notes", "series",
})  # fmt: skip
# Where a work stands beside, or before, its journal.
_REPOSITORY_PATTERN = compile_on_use(
    r"\b(?:arxiv|\w{2,6}rxiv|ssrn|preprints?|zenodo|figshare|osf|research square|hal|repec|corr|pubmed|available|online)\b",
    re.IGNORECASE,
)


def compare_venues(this: str, other: str) -> bool | None:
    """Whether two names mean the same venue; None if that cannot be told."""
    first, second = _list_venue_words(this), _list_venue_words(other)
    if not first or not second:
        return None
    if _is_abbreviated(first, second) or _is_abbreviated(second, first):
        return True
    if _is_venue_acronym(this, second) or _is_venue_acronym(other, first):
        return True
    if _REPOSITORY_PATTERN.search(this) or _REPOSITORY_PATTERN.search(other):
        return None
    telling = [set(extract_title_words(name)) - _COMMON_WORDS for name in (this, other)]
    if not all(telling):
        return None
    return None if any(_can_be_same(a, b) for a in telling[0] for b in telling[1]) else False


def _list_venue_words(name: str) -> list[str]:
    return [word for word in _WORD_PATTERN.findall(fold_text(name)) if word not in _SMALL_WORDS]


def _is_abbreviated(short: list[str], long: list[str]) -> bool:
    """Whether every word of the short name stands for one of the long name, in their order."""
    rest = iter(long)
    return all(any(_can_be_same(word, other) for other in rest) for word in short)


def _can_be_same(this: str, other: str) -> bool:
    """Whether one word is the other's abbreviation: "natl" of "national", "chem" of "chemistry"."""
    short, long = sorted((this, other), key=len)
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def _is_venue_acronym(name: str, words: list[str]) -> bool:
    letters = iter("".join(word[0] for word in words))
    shown = fold_text("".join(char for char in name if char.isupper()))
    is_one_word = len(_WORD_PATTERN.findall(name)) == 1
    return is_one_word and len(shown) > 1 and all(letter in letters for letter in shown)


# Compares titles despite differences in case, spelling, markup, subtitle and typing errors.


def fold_text(text: str) -> str:
    """The text in lower case without accents, ligatures and markup; Greek letters are spelt out."""
    return _fold_cleaned_text(text[: 4 * _MAX_TITLE_CHARS])


@lru_cache(maxsize=4096)  # one reference is compared with many candidates
def _fold_cleaned_text(text: str) -> str:
    text = clean_markup(text)
    if text.isascii():
        return text.lower().translate(_LETTER_FOLDING)
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_LETTER_FOLDING)
    parts = unicodedata.normalize("NFKD", plain)
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return "".join(
        _GREEK_LETTER_NAMES.get(char, char) for char in unicodedata.normalize("NFC", bare)
    )


def strip_translation_marks(title: str) -> str:
    """The title without the brackets and language notes of catalogues for translated titles.

    A publisher's mark of a retraction is left out, too.
    """
    text = _RETRACTION_MARK_PATTERN.sub("", _LANGUAGE_NOTE_PATTERN.sub(" ", title))
    match = _TRANSLATED_TITLE_PATTERN.match(text)
    return " ".join((match[1] if match else text).split())


def is_translated_title(title: str) -> bool:
    """Whether brackets or a language note mark this as a translation of the original title."""
    return bool(
        _TRANSLATED_TITLE_PATTERN.match(_LANGUAGE_NOTE_PATTERN.sub(" ", title))
        or _LANGUAGE_NOTE_PATTERN.search(title)
    )


def extract_title_words(text: str) -> tuple[str, ...]:
    """The distinctive words of a title in order: no stop-words, no words of one or two letters."""
    return _extract_folded_words(fold_title(text))


def fold_title(text: str) -> str:
    """The text folded, without the marks of TeX, and cut to the length that is compared."""
    return fold_text(_TEX_MARKUP_PATTERN.sub(" ", text))[:_MAX_TITLE_CHARS]


@lru_cache(maxsize=4096)
def _extract_folded_words(folded: str) -> tuple[str, ...]:
    found = (
        word for run in _TITLE_WORD_PATTERN.findall(folded) for word in word_forms.split_words(run)
    )
    return tuple(dict.fromkeys(word for word in found if _is_distinctive_word(word)))


def find_absent_words(wanted: Iterable[str], text: str) -> tuple[str, ...]:
    """The wanted words that the text does not have, allowing for stems and misspellings."""
    held = _index_text_words(text)
    return tuple(word for word in wanted if not _has_similar_word(word, held))


def measure_title_coverage(title: str, text: str) -> float:
    """The share of a title's distinctive words that the text has; 0 if the title has none."""
    wanted = extract_title_words(strip_translation_marks(title))
    return 1 - len(find_absent_words(wanted, text)) / len(wanted) if wanted else 0.0


def measure_title_agreement(this: str, other: str) -> float:
    """How much two titles agree, 0 to 1: the lower share of either's distinctive words in the other.

    1 if they have the same letters, or one is the other without its subtitle.
    """
    if (
        has_same_letters(this, other)
        or is_title_beginning(this, other)
        or is_title_beginning(other, this)
    ):
        return 1.0
    return min(measure_title_coverage(this, other), measure_title_coverage(other, this))


def has_title_within(text: str, title: str) -> bool:
    """Whether a text contains a title word for word; False for a title that many works share."""
    bare = strip_translation_marks(title)
    if len(extract_title_words(bare)) < _MIN_BEGINNING_WORDS:
        return False
    return _join_title_letters(bare) in _join_text_letters(text)


def is_title_beginning(short: str, long: str) -> bool:
    """Whether `short` is the beginning of `long`: its main title, or the title cut off."""
    first = _join_title_letters(_CUT_TITLE_PATTERN.sub("", strip_translation_marks(short)))
    second = _join_title_letters(strip_translation_marks(long))
    if not first or not second.startswith(first):
        return False
    if len(first) >= _MIN_BEGINNING_LETTERS and (
        _CUT_TITLE_PATTERN.search(short) or len(extract_title_words(short)) >= _MIN_BEGINNING_WORDS
    ):
        return True
    return first == _join_title_letters(
        _SUBTITLE_BREAK_PATTERN.split(strip_translation_marks(long), maxsplit=1)[0]
    )


def has_same_letters(this: str, other: str) -> bool:
    """Whether two titles have the same letters and digits in the same order; False if empty."""
    first = _join_title_letters(strip_translation_marks(this))
    return bool(first) and first == _join_title_letters(strip_translation_marks(other))


def find_leading_name(title: str, text: str) -> str:
    """The first author's family name in a reference, before its year or title; empty if unclear."""
    first = _LEADING_NAME_PATTERN.match(
        _LEADING_NUMBER_PATTERN.sub("", _extract_names_before_title(title, text))
    )
    return first[1] if first else ""


def _extract_names_before_title(title: str, text: str) -> str:
    if dated := _NAMES_BEFORE_YEAR_PATTERN.match(text):
        return dated[1]
    wanted = extract_title_words(strip_translation_marks(title))
    # Lower case without accents, one character for each, so that offsets stay valid.
    folded = "".join(unicodedata.normalize("NFKD", char)[0].lower() for char in text)
    places = [
        match.start()
        for word in wanted[:2]
        for match in re.finditer(rf"\b{re.escape(word)}", folded)
    ]
    return text[: min(places)][:_MAX_NAMES_CHARS] if len(wanted) > 2 and places else ""


def _is_distinctive_word(word: str) -> bool:
    if UNSPACED_CHARACTER_PATTERN.match(word):
        return True
    return len(word) >= 3 and not any(
        word in word_forms.list_stopwords(code) for code in _STOPWORD_LANGUAGES
    )


@lru_cache(maxsize=512)
def _index_text_words(text: str) -> tuple[frozenset[str], frozenset[str], str]:
    """A text's distinctive words, their stems, and all its letters joined."""
    words = frozenset(extract_title_words(text))
    return words, frozenset(map(_stem_title_word, words)), _join_title_letters(text)


def _has_similar_word(word: str, held: tuple[frozenset[str], frozenset[str], str]) -> bool:
    words, stems, run = held
    if word in words or _stem_title_word(word) in stems:
        return True
    # Finds "microRNA" in "micro RNA", and "cooperation" in "co-operation".
    if len(word) >= _MIN_FUZZY_LETTERS and word in run:
        return True
    return len(word) >= _MIN_FUZZY_LETTERS and any(_is_misspelling(word, other) for other in words)


def _is_misspelling(word: str, other: str) -> bool:
    if len(other) < _MIN_FUZZY_LETTERS or word[0] != other[0] or abs(len(word) - len(other)) > 2:
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= _MIN_SPELLING_RATIO


@lru_cache(maxsize=4096)
def _stem_title_word(word: str) -> str:
    return next(iter(word_forms.extract_terms(word, language="en")), word)


@lru_cache(maxsize=512)  # one reference is compared with many candidates
def _join_text_letters(text: str) -> str:
    return "".join(_TITLE_WORD_PATTERN.findall(fold_text(_TEX_MARKUP_PATTERN.sub(" ", text))))


def _join_title_letters(text: str) -> str:
    return "".join(_TITLE_WORD_PATTERN.findall(fold_title(text)))
