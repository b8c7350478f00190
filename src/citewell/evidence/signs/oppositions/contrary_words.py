"""Words that oppose, deny or limit each other: tables by language, and the direction of English words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from citewell.text.language.word_forms import reduce_verb
from citewell.text.quantities.spelt_numbers import list_number_words

CHANGE, GOODNESS, EFFECT, NEED, LINK = "change", "goodness", "effect", "need", "link"
# Words of amount that describe a thing rather than say what becomes of it.
AMOUNT_WORDS = frozenset(
    ["low", "high", "more", "less", "longer", "larger", "smaller", "fewer", "greater"]
)

OPPOSITION_LANGUAGES = frozenset(("en", "de", "fr", "es"))

# Phrases with a denying word that say how something is done, and ones that set a bound to a number.
_EMPTY_DENIAL_PATTERN = compile_on_use(
    r"\bwithout (?:undue )?(?:delay|prejudice|doubt|question|doing (?:so|this|that|it))\b|\bnot (?:least|just|merely|simply)\b|\b(?:whether or|if) not\b"
    r"|\bnicht (?:zuletzt|bloß|nur)\b|\bohne (?:unangemessene )?(?:Verzögerung|Zweifel)\b|\bsans (?:délai|retard|doute|préjudice)\b"
    # "Not since 1950 had it been so dry" says how dry it was.
    r"|\bnot since\b|\b(?:never|not) (?:before|(?:been |had |was )?(?:so|as))\b|\bno other\b|\bnothing (?:else|so|as)\b"
    r"|\b(?:nie zuvor|noch nie|kein andere\w)\b|\b(?:jamais auparavant|aucune? autre)\b|\b(?:nunca antes|ning[uú]na? otr[oa])\b"
    r"|\b(?:pas|non) seulement\b|\bsin (?:demora|dilación|duda|perjuicio)\b|\bno s[oó]lo\b|\bni plus ni moins\b|\bn['’]est autre que\b",
    re.IGNORECASE,
)
_BOUND_PATTERN = compile_on_use(
    r"\b(?:not|no|cannot|nicht|pas|ne|n['’]|no)\s?(?:\w{1,12} ){0,3}(?:later|earlier|more|less|fewer|longer|greater|higher|lower|exceed\w{0,3}|above|below|over|under"
    r"|mehr|weniger|später|länger|höher|niedriger|(?:über|unter)schreit\w{1,3}|übersteig\w{1,3}|plus|moins|davantage|excéd\w{1,3}|dépass\w{1,3}|supérieure?s?|inférieure?s?"
    r"|más|menos|superior(?:es)?|inferior(?:es)?|exced\w{1,3})\b(?=[^.;]{0,40}?(?:\d|(?<!\w)(?:"
    + "|".join(
        sorted({word for code in ("en", "de", "fr", "es") for word in list_number_words(code)})
    )
    + r")(?!\w)))",
    re.IGNORECASE,
)
_NUMBER_BEFORE_BOUND_PATTERN = compile_on_use(
    r"(?<!\w)nicht (?:über|unter)schreiten|nicht übersteigen", re.IGNORECASE
)
# Words that say nothing of what a sentence is about, and are not among the stop-words.
_LIGHT_WORD_LIST = (
    "cannot need needs shall may might must soll sollen sollte sollten man muss müssen darf dürfen kann können wird werden wurde wurden"
    " faut doit doivent peut peuvent pouvoir devoir on debe deben debería puede pueden hay tiene tienen"
    " avant après plus moins ont aux chaque deux trois quatre unas unos dos tres cuatro más menos jede jeder jedes aller alle ihre ihren andere anderen knapp etwa"
)
LIGHT_WORDS = frozenset(_LIGHT_WORD_LIST.split())
_COMPARED_AXES = frozenset({CHANGE, GOODNESS, EFFECT, NEED})
_NEGATIVE_PREFIXES = {
    "en": ("un", "in", "im", "ir", "dis", "non", "de"),
    "de": ("un",),
    "es": ("in", "im", "ir", "des"),
    "fr": ("in", "im", "ir", "dés"),
}
_CONTRARY_PREFIXES = (("hyper", "hypo"), ("up", "down"), ("over", "under"), ("pro", "anti"), ("intra", "extra"))  # fmt: skip
_MIN_PREFIXED_LETTERS = 5  # of the rest: "in" + "sight" is no denial
_MIN_DIRECTION_LETTERS = 3
_WORD_CACHE_ENTRIES, _PAIR_CACHE_ENTRIES = 2**14, 2**16


def blank_bound_phrases(text: str) -> str:
    """The text with spaces for phrases such as "not later than", so that offsets stay."""
    for pattern in (_EMPTY_DENIAL_PATTERN, _BOUND_PATTERN, _NUMBER_BEFORE_BOUND_PATTERN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


@cache
def compile_denial_pattern(code: str) -> re.Pattern[str]:
    """Finds the words that deny something."""
    return compile_word_list(load_opposition_words(code).denials)


@cache
def compile_hidden_pattern(code: str) -> re.Pattern[str]:
    """Finds phrases that deny something without a denying word."""
    return compile_word_list(load_opposition_words(code).hidden_denials)


@cache
def compile_limit_pattern(code: str) -> re.Pattern[str]:
    """Finds words with which a sentence neither plainly says nor plainly denies something."""
    return compile_word_list(load_opposition_words(code).limits)


@cache
def compile_exceeding_pattern(code: str) -> re.Pattern[str]:
    """Finds verbs such as "outperforms", by which one thing is set above another."""
    return compile_word_list(load_opposition_words(code).exceeding)


def compile_word_list(alternatives: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w-])", re.IGNORECASE)


@cache
def is_light_word(word: str, code: str) -> bool:
    """Whether a word says nothing of what a sentence is about."""
    listed = load_opposition_words(code).light
    # In French a short word is joined to the next one: "n'est".
    rest = word.rpartition("'")[2].rpartition("’")[2]
    return (
        word in LIGHT_WORDS or rest in listed or bool(compile_denial_pattern(code).fullmatch(word))
    )


@cache
def list_duty_stems(code: str) -> frozenset[str]:
    """The stems of words such as "necessary"."""
    listed = load_opposition_words(code).duties
    return frozenset(word_forms.stem_word(word, code) for word in listed)


@cache
def is_noun_denial(word: str, code: str) -> bool:
    """Whether a denial, such as "without", stands before a noun."""
    return word in load_opposition_words(code).noun_denials


@lru_cache(maxsize=_PAIR_CACHE_ENTRIES)
def are_contrary(word: str, other: str, code: str) -> bool:
    """Whether two words in small letters exclude each other in one place of a sentence."""
    if other in list_opposite_words(word, code):
        return True
    if _stem_verb(other, code) in _load_verb_pairs(code).get(_stem_verb(word, code), ()):
        return True
    if code == "en":
        mine = {
            each.axis: each.sign
            for each in find_word_polarities(word)
            if each.axis in _COMPARED_AXES
        }
        return any(
            mine.get(each.axis, each.sign) == -each.sign for each in find_word_polarities(other)
        )
    return _find_direction(word, code) * _find_direction(other, code) < 0


@lru_cache(maxsize=_WORD_CACHE_ENTRIES)
def list_opposite_words(word: str, code: str) -> frozenset[str]:
    """The words that exclude a word in its place: independent for dependent, hypo- for hyper-."""
    listed = _load_contrary_pairs(code).get(word, frozenset())
    return listed | _list_prefixed_opposites(word, code)


def _stem_verb(word: str, code: str) -> str:
    stem = word_forms.stem_word(word, code)
    return reduce_verb(stem) if code == "de" else stem


def _list_prefixed_opposites(word: str, code: str) -> set[str]:
    found: set[str] = set()
    prefixes = _NEGATIVE_PREFIXES[code]
    if len(word) >= _MIN_PREFIXED_LETTERS:
        found.update(prefix + word for prefix in prefixes)
    for prefix in prefixes:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _MIN_PREFIXED_LETTERS:
            found.add(rest)
    for pair in _CONTRARY_PREFIXES if code == "en" else ():
        for first, other in (pair, pair[::-1]):
            rest = word.removeprefix(first)
            if rest != word and len(rest) >= _MIN_PREFIXED_LETTERS:
                found.add(other + rest)
    return found


@cache
def _find_direction(word: str, code: str) -> int:
    """1 for more, -1 for less, 0 for any other word."""
    if len(word) < _MIN_DIRECTION_LETTERS:
        return 0
    listed = load_opposition_words(code)
    return any(map(word.startswith, listed.rising)) - any(map(word.startswith, listed.falling))


@cache
def _load_contrary_pairs(code: str) -> dict[str, frozenset[str]]:
    return _join_pairs(pair.split("/") for pair in load_opposition_words(code).pairs)


@cache
def _load_verb_pairs(code: str) -> dict[str, frozenset[str]]:
    listed = load_opposition_words(code).verb_pairs
    return _join_pairs((_stem_verb(word, code) for word in pair.split("/")) for pair in listed)


def _join_pairs(pairs: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    """For each word, those that it stands in a pair with."""
    found: dict[str, set[str]] = {}
    for first, other in pairs:
        found.setdefault(first, set()).add(other)
        found.setdefault(other, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}


# The words by which a sentence of one language opposes another, from one table for each language.


@dataclass(frozen=True, slots=True, kw_only=True)
class OppositionWords:
    """Lists of words, and alternatives of regular expressions for whole words."""

    # Regular expression: deny what follows, or what stands before them at the end of a clause.
    denials: Sequence[str]
    # Those that stand before a noun, and deny the first words that follow alone.
    noun_denials: Sequence[str]
    # Regular expression: with one of these a sentence neither plainly says nor plainly denies it.
    limits: Sequence[str]
    # Regular expression: deny without a denying word, as "stays out of" does.
    hidden_denials: Sequence[str]
    duties: Sequence[str]  # words of duty, which a denial takes away: "it is not necessary to sign"
    permissions: Sequence[str]  # with one of these a sentence does not say that something must be
    # Words with a slash between them that exclude each other in the same place.
    pairs: Sequence[str]
    # Verbs with a slash between them, likewise, in any of their forms.
    verb_pairs: Sequence[str] = ()
    # Beginnings of words that say that something becomes or is more, and less.
    rising: Sequence[str] = ()
    falling: Sequence[str] = ()
    # Words, many of them of degree, that say nothing of what a sentence is about.
    light: Sequence[str]
    than: str  # the word after a comparative
    comparatives: Sequence[str]
    # Regular expression: verbs that set what is before them above what follows.
    exceeding: Sequence[str]
    # Words that join clauses, over which a denial of a verb does not reach.
    additions: Sequence[str]


@cache
def load_opposition_words(code: str) -> OppositionWords:
    """The words of one of `OPPOSITION_LANGUAGES`."""
    return OppositionWords(**load_table(__package__, f"words_{code}"))


# Says in which direction an English word points: more or less, better or worse, needed or not.


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPolarity:
    """The axis a word speaks of and its side; only words of one axis can oppose each other."""

    axis: str
    sign: int  # 1 or -1
    is_state: bool = False  # may stand behind its noun: "FGF21 deficiency"


@lru_cache(maxsize=_WORD_CACHE_ENTRIES)
def find_word_polarities(word: str) -> tuple[WordPolarity, ...]:
    """What the word says on each axis; empty for most words."""
    exact, endings = _load_polarities()
    found = list(exact.get(word, ()))
    for length in range(4, len(word) + 1):
        found += endings.get(word[:length], ())
    states, state_endings = _load_state_words()
    is_state = word in states or any(word.startswith(ending) for ending in state_endings)
    return tuple(
        WordPolarity(axis=axis, sign=sign, is_state=is_state) for axis, sign in dict(found).items()
    )


@cache
def _load_state_words() -> tuple[frozenset[str], frozenset[str]]:
    return _split_entries(load_table(__package__, "polarity_words")["state"])


def _split_entries(listed: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The whole words of a list, and its beginnings of words."""
    return (
        frozenset(word for word in listed if not word.endswith("*")),
        frozenset(word[:-1] for word in listed if word.endswith("*")),
    )


@cache
def _load_polarities() -> tuple[dict[str, list[tuple[str, int]]], dict[str, list[tuple[str, int]]]]:
    exact: dict[str, list[tuple[str, int]]] = {}
    endings: dict[str, list[tuple[str, int]]] = {}
    for axis, sides in load_table(__package__, "polarity_words")["axes"].items():
        for sign, listed in zip((1, -1), sides, strict=True):
            whole, begun = _split_entries(listed)
            for word in whole:
                exact.setdefault(word, []).append((axis, sign))
            for word in begun:
                endings.setdefault(word, []).append((axis, sign))
    return exact, endings
