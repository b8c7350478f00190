"""Splits text into comparable terms: stems, or character pairs in scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from citewell.text.language import stopwords
from citewell.text.language.irregular_forms import IRREGULAR_BASES
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN, UNSPACED_SCRIPT_RANGES
from citewell.text.language.stemmers import load_stemmer

_WORD_RUN_PATTERN = re.compile(
    rf"[{UNSPACED_SCRIPT_RANGES}]+|[^\W_](?:(?![{UNSPACED_SCRIPT_RANGES}])[^\W_]|[.,](?=\d)|['’](?=[^\W\d_]))*"
)
_MIN_TERM_LETTERS = 3
_STEM_CACHE_ENTRIES = 2**15
# The same words as _WORD_RUN_PATTERN finds, for ASCII text only: faster.
_ASCII_WORD_PATTERN = re.compile(r"[a-z0-9]++(?:(?:[.,](?=[0-9])|'(?=[a-z]))[a-z0-9]++)*+")
# The same words again, for text without characters of scripts without spaces.
_SPACED_WORD_PATTERN = re.compile(r"[^\W_]++(?:(?:[.,](?=\d)|['’](?=[^\W\d_]))[^\W_]++)*+")
# British endings and their American spelling.
_BRITISH_AMERICAN_ENDINGS = (("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"), ("yse", "yze"), ("ysed", "yzed"), ("our", "or"), ("oured", "ored"), ("ours", "ors"), ("tre", "ter"), ("tres", "ters"))  # fmt: skip

# Words that end in -ise in American English too.
_SHARED_ISE_WORD_LIST = (
    "advertise advise appraise apprise arise braise bruise chastise circumcise clockwise comprise"
    " compromise concise cruise demise despise devise disguise enfranchise enterprise excise"
    " exercise expertise franchise improvise incise liaise likewise malaise mayonnaise merchandise"
    " moonrise noise otherwise paradise poise porpoise practise praise precise premise prise promise"
    " raise reprise revise rise sunrise supervise surmise surprise televise tortoise treatise"
    " turquoise uprise"
)
_SHARED_ISE_WORDS = frozenset(_SHARED_ISE_WORD_LIST.split())


def split_words(text: str) -> Iterable[str]:
    """Every word in lower case; text without spaces as overlapping pairs of characters."""
    return (
        _ASCII_WORD_PATTERN.findall(text.lower()) if text.isascii() else _split_unicode_words(text)
    )


def count_words(text: str) -> int:
    """How many words `split_words` finds."""
    if text.isascii():
        return len(_ASCII_WORD_PATTERN.findall(text.lower()))
    plain = unicodedata.normalize("NFKC", text).lower()
    if UNSPACED_CHARACTER_PATTERN.search(plain):
        return sum(1 for _ in _split_unicode_words(text))
    return len(_SPACED_WORD_PATTERN.findall(plain))


def _split_unicode_words(text: str) -> Iterator[str]:
    for match in _WORD_RUN_PATTERN.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if UNSPACED_CHARACTER_PATTERN.match(run):
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            yield run


def extract_terms(text: str, *, language: str | None = None) -> frozenset[str]:
    """The set of stems of a text: words of three letters or more and numbers, no stop-words."""
    return frozenset(list_terms(text, language=language))


def list_terms(
    text: str, *, language: str | None = None, min_letters: int = _MIN_TERM_LETTERS
) -> list[str]:
    """The same stems as a list in text order, with repetitions."""
    plain = stopwords.list_stopwords(language)
    code = (language or "en")[:2]
    return [
        stem_word(word, code)
        for word in split_words(text)
        if word not in plain and is_content_word(word, min_letters=min_letters)
    ]


def is_content_word(word: str, *, min_letters: int = _MIN_TERM_LETTERS) -> bool:
    """Whether a word of `split_words` is long enough to carry a meaning."""
    return (
        len(word) >= min_letters
        or word[0].isdigit()
        or bool(UNSPACED_CHARACTER_PATTERN.match(word))
    )


@lru_cache(maxsize=_STEM_CACHE_ENTRIES)
def stem_word(word: str, language: str) -> str:
    """The stem of a word; for English, British spellings and irregular forms are unified first."""
    if language == "en":
        plain = word.replace("’", "'")
        word = IRREGULAR_BASES.get(plain) or _convert_to_american(plain)
    return load_stemmer(language)(word)


def _convert_to_american(word: str) -> str:
    if len(word) > 5:
        for british, american in _BRITISH_AMERICAN_ENDINGS:
            if word.endswith(british):
                root = word.removesuffix(british)
                return word if f"{root}ise" in _SHARED_ISE_WORDS else root + american
    return word
