"""Text as comparable terms: stems of words, or pairs of characters where nobody writes spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

from citewell.text import stopwords
from citewell.text.scripts import UNSPACED

_RUN = re.compile(rf"[{UNSPACED}]+|[^\W_](?:(?![{UNSPACED}])[^\W_]|[.,](?=\d)|['’](?=[^\W\d_]))*")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_SHORTEST = 3
_STEMMERS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
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


def words(text: str) -> Iterator[str]:
    """Every word in lower case; runs of unspaced script as overlapping pairs."""
    for match in _RUN.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if _UNSPACED.match(run):
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            yield run


def terms(text: str, *, language: str | None = None) -> frozenset[str]:
    """What a text is about: stems of three letters or more, all numbers, no stop-words."""
    plain = stopwords.listed(language)
    stem = _stemmer((language or "en")[:2])
    return frozenset(stem(word) for word in words(text) if _speaks(word) and word not in plain)


def _speaks(word: str) -> bool:
    return len(word) >= _SHORTEST or word[0].isdigit() or bool(_UNSPACED.match(word))


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    name = _STEMMERS.get(language)
    if name is None:
        return str
    import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

    stem: Callable[[str], str] = Stemmer.Stemmer(name).stemWord
    if language != "en":
        return stem
    return lambda word: stem(_american(word.replace("’", "'")))


def _american(word: str) -> str:
    if len(word) > 5:
        for british, american in _AMERICAN:
            if word.endswith(british):
                stem = word.removesuffix(british)
                return word if f"{stem}ise" in _KEPT else stem + american
    return word
