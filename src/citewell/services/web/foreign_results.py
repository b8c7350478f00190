"""Recognises pages in another language that a search returned only because function words coincide.

"Warum war der Apfelwickler so früh" finds English pages by "war" and "so". Pages in another language
stay if one result shows that the search found its subject, or if they share a telling word themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from citewell.model.search_queries import SearchHit, SearchQuery
from citewell.text.language import detection, stopwords

_WORD_PATTERN = re.compile(r"[^\W\d_]{4,}|\b[A-Z]{2,3}\b|\d{4,}")  # short ones if they are names
_ROOT_CHARS = 5  # words that begin alike are taken for forms of one: Batterie, battery
_MIN_SHARE = 0.5  # of the query's telling words, which a result that found the subject has


def drop_foreign_coincidences(
    hits: Sequence[SearchHit], query: SearchQuery
) -> tuple[SearchHit, ...]:
    """The hits without pages in another language, if none of all hits is about the query."""
    spoken = detection.detect_language(query.text)
    if spoken is None or spoken == "en" or not stopwords.list_stopwords(spoken):
        return tuple(hits)
    if (query.language or spoken)[:2].lower() != spoken:
        return tuple(hits)  # the caller wants pages in another language than the query's
    wanted = _list_roots(query.text, spoken)
    shared = [len(wanted & _list_roots(_join_text(hit), spoken)) for hit in hits]
    if not wanted or any(count >= _MIN_SHARE * len(wanted) for count in shared):
        return tuple(hits)
    return tuple(
        hit
        for hit, count in zip(hits, shared, strict=True)
        if count or detection.detect_language(_join_text(hit)) in {None, spoken}
    )


def _join_text(hit: SearchHit) -> str:
    return f"{hit.title}. {hit.snippet}"


def _list_roots(text: str, language: str) -> frozenset[str]:
    """The beginnings of the telling words, without accents."""
    plain = stopwords.list_stopwords(language) | stopwords.list_stopwords("en")
    words = map(str.lower, _WORD_PATTERN.findall(text))
    folded = unicodedata.normalize("NFKD", " ".join(word for word in words if word not in plain))
    kept = "".join(char for char in folded if not unicodedata.combining(char))
    return frozenset(word[:_ROOT_CHARS] for word in kept.split())
