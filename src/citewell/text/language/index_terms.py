"""The tokeniser of the search index and its queries: stems, or character pairs without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from citewell.text.language import word_forms
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.language.word_forms import STEMMER_LANGUAGES, load_stemmer, split_words

__all__ = [
    "STEMMER_LANGUAGES",
    "QueryTerms",
    "choose_stem_language",
    "list_term_variants",
    "list_unspaced_characters",
    "parse_query_terms",
    "split_index_words",
    "stem_index_word",
]

_QUERY_PHRASE_PATTERN = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')
_MAX_TERM_CHARS = 64  # characters; longer words are data, not language
_STEM_CACHE_ENTRIES = 2**15


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """The words of a query, and the quoted phrases that must occur."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


def split_index_words(text: str) -> Iterable[str]:
    """Every word of a text in order, including stop-words, because phrases contain them."""
    return split_words(text)


def choose_stem_language(language: str | None) -> str:
    """The language code whose stemmer is used for a text; English if unknown."""
    return (language or "en")[:2].lower()


def list_unspaced_characters(text: str) -> Iterator[str]:
    """The characters of scripts without spaces one by one, for queries of a single character."""
    if text.isascii():
        return iter(())
    return iter(UNSPACED_CHARACTER_PATTERN.findall(unicodedata.normalize("NFKC", text).lower()))


def parse_query_terms(query: str, *, language: str | None = None) -> QueryTerms:
    """The words and phrases of a query; stop-words are dropped unless nothing else is left."""
    phrases = tuple(tuple(split_words(quoted)) for quoted in _QUERY_PHRASE_PATTERN.findall(query))
    loose = [*split_words(_QUERY_PHRASE_PATTERN.sub(" ", query))]
    plain = word_forms.list_stopwords(language)
    telling = [word for word in loose if word not in plain]
    return QueryTerms(
        words=tuple(dict.fromkeys(telling or ([] if any(phrases) else loose))),
        phrases=tuple(phrase for phrase in phrases if phrase),
    )


def list_term_variants(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The terms that a word is indexed under in texts of these languages."""
    return tuple(
        dict.fromkeys(
            stem_index_word(word, choose_stem_language(language)) for language in languages
        )
    )


@lru_cache(maxsize=_STEM_CACHE_ENTRIES)
def stem_index_word(word: str, language: str) -> str:
    """The stem of a word and, in Latin script, without accents."""
    short = load_stemmer(language)(word[:_MAX_TERM_CHARS].replace("’", "'"))
    if short.isascii():
        return short
    parts = unicodedata.normalize("NFD", short)
    latin = parts[0] < "\u0250"
    bare = "".join(part for part in parts if not unicodedata.combining(part)) if latin else ""
    return bare or short
