"""Full-text search over encrypted memories: terms are stored as keyed hashes and ranked by BM25.

A word is indexed by its stem in English and in the language of the note, if that is clear. A query
looks for the stems of its words in every language, and each of its words counts once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlScalar, SqlStatement
from citewell.text.language import index_terms, stopwords
from citewell.text.language.detection import detect_language

_MAX_MEMORY_TERMS = 4000  # distinct terms of one memory that are indexed
_MAX_QUERY_WORDS = 32
_TERM_ROWS_PER_INSERT = 100
_BM25_K1, _BM25_B = 1.2, 0.75
_USUAL_LANGUAGE = "en"

QueryWords = Sequence[Sequence[str]]  # the hashed terms of each word of a query


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTerms:
    """The hashed terms of a memory with how often each occurs, and its number of words."""

    counts: Mapping[str, int]
    words: int


def hash_memory_terms(chain: OwnerKeychain, text: str) -> MemoryTerms:
    """The terms of a text without stop words."""
    plain = stopwords.list_stopwords(None)
    words = Counter(word for word in index_terms.split_index_words(text) if word not in plain)
    language = index_terms.choose_stem_language(detect_language(text))
    counts: Counter[str] = Counter()
    for word, times in words.items():
        for stem in index_terms.list_term_variants(word, (_USUAL_LANGUAGE, language)):
            counts[stem] += times
    hashed = {
        chain.hash_term(stem): times for stem, times in islice(counts.items(), _MAX_MEMORY_TERMS)
    }
    return MemoryTerms(counts=hashed, words=words.total())


def hash_query_words(chain: OwnerKeychain, query: str) -> QueryWords:
    """The terms of each distinct word of a query, which may stand for it in some language."""
    parsed = index_terms.parse_query_terms(query)
    words = dict.fromkeys((*parsed.words, *(word for one in parsed.phrases for word in one)))
    found = [
        [
            chain.hash_term(stem)
            for stem in index_terms.list_term_variants(word, index_terms.STEMMER_LANGUAGES)
        ]
        for word in islice(words, _MAX_QUERY_WORDS)
    ]
    return _join_forms(found)


def _join_forms(found: QueryWords) -> QueryWords:
    """The words, where those that share a term are forms of one word."""
    joined: list[list[str]] = []
    for variants in found:
        known = next((one for one in joined if set(one) & set(variants)), None)
        taken = {token for one in joined for token in one}
        fresh = [token for token in variants if token not in taken]
        if known is None:
            joined.append(fresh)
        else:
            known += fresh
    return joined


def build_term_inserts(memory_id: str, terms: Mapping[str, int]) -> list[SqlStatement]:
    """Statements that index a memory, with many rows each to save round trips to a server."""
    pairs, batch = list(terms.items()), []
    for start in range(0, len(pairs), _TERM_ROWS_PER_INSERT):
        group = pairs[start : start + _TERM_ROWS_PER_INSERT]
        marks = ", ".join(f"(:t{place}, :memory, :n{place})" for place in range(len(group)))
        params: dict[str, SqlScalar] = {"memory": memory_id}
        for place, (token, times) in enumerate(group):
            params |= {f"t{place}": token, f"n{place}": times}
        sql = f"INSERT INTO memory_term (token, memory, times) VALUES {marks}"  # noqa: S608 - constants
        batch.append(SqlStatement(sql=sql, params=params))
    return batch


def build_frequency_query(words: QueryWords) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for how many memories have each token, and its parameters."""
    names, params = _list_note_tokens([token for variants in words for token in variants])
    sql = f"SELECT token, COUNT(*) FROM memory_term WHERE token IN ({names}) GROUP BY token"  # noqa: S608 - constants
    return sql, params


def build_score_query(
    words: QueryWords,
    frequencies: Mapping[str, int],
    *,
    total: int,
    average_words: float,
    condition: str,
) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for rows of (memory, number of matches, score), best first; the newer of two equals first.

    `frequencies` has the tokens that occur, at least one. `condition` restricts the table `memory`;
    the caller adds its parameters, `limit` and `offset`.
    """
    known = [
        (token, place)
        for place, variants in enumerate(words)
        for token in variants
        if token in frequencies
    ]
    names, params = _list_note_tokens([token for token, _ in known])
    weights = [_weigh_memory_term(frequencies[token], total) for token, _ in known]
    params |= {f"w{place}": weight for place, weight in enumerate(weights)}
    params["average"] = max(1.0, average_words)
    weighed = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(known))
    )
    grouped = " ".join(f"WHEN :t{place} THEN {word}" for place, (_, word) in enumerate(known))
    sql = f"""
    SELECT id, COUNT(*) OVER (), SUM(best) AS score FROM (
        SELECT memory.id, memory.created, CASE memory_term.token {grouped} END AS word, MAX(
            CASE memory_term.token {weighed} END * memory_term.times * {_BM25_K1 + 1}
            / (memory_term.times + {_BM25_K1} * ({1 - _BM25_B} + {_BM25_B} * memory.length
                / CAST(:average AS DOUBLE PRECISION)))
        ) AS best
        FROM memory_term JOIN memory ON memory.id = memory_term.memory
        WHERE memory_term.token IN ({names}) AND {condition}
        GROUP BY memory.id, memory.created, word
    ) AS matched
    GROUP BY id, created ORDER BY score DESC, created DESC, id LIMIT :limit OFFSET :offset
    """  # noqa: S608 - constants
    return sql, params


def _weigh_memory_term(count: int, total: int) -> float:
    """The inverse document frequency of a term that `count` of `total` memories have."""
    return math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))


def _list_note_tokens(tokens: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    named: dict[str, SqlScalar] = {f"t{place}": token for place, token in enumerate(tokens)}
    return ", ".join(f":{name}" for name in named), named
