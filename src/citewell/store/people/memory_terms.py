"""Full-text search over encrypted memories: terms are stored as keyed hashes and ranked by BM25."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlScalar, SqlStatement
from citewell.text.language import index_terms, stopwords

_MAX_MEMORY_TERMS = 2000  # distinct terms of one memory that are indexed
_MAX_QUERY_TERMS = 32
_TERM_ROWS_PER_INSERT = 100
_BM25_K1, _BM25_B = 1.2, 0.75
_STEM_LANGUAGE = "en"  # of notes and queries alike, so that both meet in every language


def hash_memory_terms(chain: OwnerKeychain, text: str) -> dict[str, int]:
    """The terms of a text without stop words as keyed hashes, and how often each occurs."""
    plain = stopwords.list_stopwords(None)
    words = Counter(word for word in index_terms.split_index_words(text) if word not in plain)
    times: Counter[str] = Counter()
    for word, count in words.items():
        times[index_terms.stem_index_word(word, _STEM_LANGUAGE)] += count
    return {
        chain.hash_term(stem): count for stem, count in islice(times.items(), _MAX_MEMORY_TERMS)
    }


def hash_query_terms(chain: OwnerKeychain, query: str) -> tuple[str, ...]:
    """The distinct terms of a query as keyed hashes."""
    parsed = index_terms.parse_query_terms(query)
    words = (*parsed.words, *(word for phrase in parsed.phrases for word in phrase))
    stems = dict.fromkeys(index_terms.stem_index_word(word, _STEM_LANGUAGE) for word in words)
    return tuple(chain.hash_term(stem) for stem in islice(stems, _MAX_QUERY_TERMS))


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


def build_frequency_query(tokens: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for how many memories have each token, and its parameters."""
    names, params = _list_tokens(tokens)
    sql = f"SELECT token, COUNT(*) FROM memory_term WHERE token IN ({names}) GROUP BY token"  # noqa: S608 - constants
    return sql, params


def weigh_terms(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """The weight of each token: its inverse document frequency among `total` memories."""
    return {
        token: math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
        for token, count in counts.items()
    }


def build_score_query(
    weights: Mapping[str, float], condition: str, average_length: float
) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for rows of (memory, number of matches, score), best first; the newer of two equals first.

    `condition` restricts the table `memory`; the caller adds its parameters, `limit` and `offset`.
    """
    names, params = _list_tokens(list(weights))
    params |= {f"w{place}": weight for place, weight in enumerate(weights.values())}
    params["average"] = max(1.0, average_length)
    cases = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(weights))
    )
    sql = f"""
    SELECT memory.id, COUNT(*) OVER (), SUM(
        CASE memory_term.token {cases} ELSE 0 END * memory_term.times * {_BM25_K1 + 1}
        / (memory_term.times + {_BM25_K1} * ({1 - _BM25_B} + {_BM25_B} * memory.length
            / CAST(:average AS DOUBLE PRECISION)))
    ) AS score
    FROM memory_term JOIN memory ON memory.id = memory_term.memory
    WHERE memory_term.token IN ({names}) AND {condition}
    GROUP BY memory.id, memory.created
    ORDER BY score DESC, memory.created DESC, memory.id LIMIT :limit OFFSET :offset
    """  # noqa: S608 - constants
    return sql, params


def _list_tokens(tokens: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    named: dict[str, SqlScalar] = {f"t{place}": token for place, token in enumerate(tokens)}
    return ", ".join(f":{name}" for name in named), named
