"""Text as comparable terms: stems of words, or pairs of characters where nobody writes spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from citewell.text import stopwords
from citewell.text.irregular import BASES
from citewell.text.scripts import UNSPACED
from citewell.text.stems import stemmer

_RUN = re.compile(rf"[{UNSPACED}]+|[^\W_](?:(?![{UNSPACED}])[^\W_]|[.,](?=\d)|['’](?=[^\W\d_]))*")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_SHORTEST = 3
_STEMS_KEPT = 2**15
# What `_RUN` takes for a word, where nothing but ASCII can come: one pass in C.
_ASCII = re.compile(r"[a-z0-9](?:[a-z0-9]|[.,](?=[0-9])|'(?=[a-z]))*")
# British endings after which the American stem is the same word.
_AMERICAN = (("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"), ("yse", "yze"), ("ysed", "yzed"), ("our", "or"), ("oured", "ored"), ("ours", "ors"), ("tre", "ter"), ("tres", "ters"))  # fmt: skip

# Words that end in -ise on both sides of the ocean.
_EITHER = (
    "advertise advise appraise apprise arise braise bruise chastise circumcise clockwise comprise"
    " compromise concise cruise demise despise devise disguise enfranchise enterprise excise"
    " exercise expertise franchise improvise incise liaise likewise malaise mayonnaise merchandise"
    " moonrise noise otherwise paradise poise porpoise practise praise precise premise prise promise"
    " raise reprise revise rise sunrise supervise surmise surprise televise tortoise treatise"
    " turquoise uprise"
)
_KEPT = frozenset(_EITHER.split())


def words(text: str) -> Iterable[str]:
    """Every word in lower case; runs of unspaced script as overlapping pairs."""
    return _ASCII.findall(text.lower()) if text.isascii() else _words(text)


def _words(text: str) -> Iterator[str]:
    for match in _RUN.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if _UNSPACED.match(run):
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            yield run


def terms(text: str, *, language: str | None = None) -> frozenset[str]:
    """What a text is about: stems of three letters or more, all numbers, no stop-words."""
    return frozenset(sequence(text, language=language))


def sequence(text: str, *, language: str | None = None) -> list[str]:
    """The same stems in the order of the text, as often as they stand there."""
    plain = stopwords.listed(language)
    code = (language or "en")[:2]
    return [stem(word, code) for word in words(text) if word not in plain and _speaks(word)]


def _speaks(word: str) -> bool:
    return len(word) >= _SHORTEST or word[0].isdigit() or bool(_UNSPACED.match(word))


@lru_cache(maxsize=_STEMS_KEPT)
def stem(word: str, language: str) -> str:
    """A word without its ending; both spellings of an English word, and all its forms, are one."""
    if language == "en":
        plain = word.replace("’", "'")
        word = BASES.get(plain) or _american(plain)
    return stemmer(language)(word)


def _american(word: str) -> str:
    if len(word) > 5:
        for british, american in _AMERICAN:
            if word.endswith(british):
                root = word.removesuffix(british)
                return word if f"{root}ise" in _KEPT else root + american
    return word
