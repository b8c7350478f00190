"""The one tokeniser of what is indexed and asked: stems in order, pairs where nobody writes spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citewell.text import stopwords
from citewell.text.scripts import UNSPACED
from citewell.text.stems import STEMMED, stemmer
from citewell.text.tokens import words

__all__ = ["STEMMED", "Asked", "asked", "code", "sequence", "singles", "stem", "variants"]

_UNSPACED = re.compile(rf"[{UNSPACED}]")
_QUOTED = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')
_LONGEST = 64  # characters of a word: beyond, it is data and not language
_STEMS_KEPT = 2**15


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query in plain words: single ones, and phrases that must occur."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


def sequence(text: str) -> Iterable[str]:
    """Every word of a text in its order, stop-words too: a phrase may hold them."""
    return words(text)


def code(language: str | None) -> str:
    """The language whose stems a text gets when it is indexed."""
    return (language or "en")[:2].lower()


def singles(text: str) -> Iterator[str]:
    """The single characters of unspaced script, for who asks for one of them alone."""
    if text.isascii():
        return iter(())
    return iter(_UNSPACED.findall(unicodedata.normalize("NFKC", text).lower()))


def asked(query: str, *, language: str | None = None) -> Asked:
    """What a query asks for; stop-words go unless nothing else is left."""
    phrases = tuple(tuple(words(quoted)) for quoted in _QUOTED.findall(query))
    loose = [*words(_QUOTED.sub(" ", query))]
    plain = stopwords.listed(language)
    telling = [word for word in loose if word not in plain]
    return Asked(
        words=tuple(dict.fromkeys(telling or ([] if any(phrases) else loose))),
        phrases=tuple(phrase for phrase in phrases if phrase),
    )


def variants(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The terms that a word may stand under in texts of these languages."""
    return tuple(dict.fromkeys(stem(word, code(language)) for language in languages))


@lru_cache(maxsize=_STEMS_KEPT)
def stem(word: str, language: str) -> str:
    """A word without its ending and, in Latin script, without accents."""
    short = stemmer(language)(word[:_LONGEST].replace("’", "'"))
    return short if short.isascii() else _unaccented(short)


def _unaccented(word: str) -> str:
    parts = unicodedata.normalize("NFD", word)
    latin = parts[0] < "\u0250"
    bare = "".join(part for part in parts if not unicodedata.combining(part)) if latin else ""
    return bare or word
