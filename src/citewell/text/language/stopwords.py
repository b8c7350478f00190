"""Stop-words of a few languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from citewell.text.data_tables import load_table

_QUERY_PART_PATTERN = re.compile(r'"[^"]*"|\S+')
_EDGE_PUNCTUATION = ".,;:!?¿¡()[]'’"


@cache
def list_stopwords(language: str | None) -> frozenset[str]:
    """The stop-words of a language; English for None, empty for a language without a list."""
    return frozenset(load_table(__package__, "stopwords").get((language or "en")[:2], ()))


def drop_query_stopwords(query: str, *, language: str | None) -> str:
    """The query without stop-words; unchanged if fewer than two words would be left.

    Quoted phrases are kept whole.
    """
    words = list_stopwords(language)
    parts = _QUERY_PART_PATTERN.findall(query)
    kept = [part for part in parts if part.strip(_EDGE_PUNCTUATION).lower() not in words]
    return " ".join(kept) if 2 <= len(kept) < len(parts) else query


def choose_telling_words(words: Sequence[str], *, count: int, min_chars: int = 1) -> list[str]:
    """The first `count` words that are no English stop-words and have `min_chars`, each once.

    All words count if none of them is left.
    """
    stopwords = list_stopwords("en")
    telling = [word for word in words if len(word) >= min_chars and word.lower() not in stopwords]
    return list(dict.fromkeys(telling or words))[:count]
