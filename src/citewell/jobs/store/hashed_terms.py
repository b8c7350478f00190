"""Search over claims and the questions of jobs by their terms, stored only as keyed hashes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

from citewell.store.encryption import OwnerKeychain
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement
from citewell.text.language import word_forms

IndexedKind = Literal["job", "claim"]

_MAX_ITEM_TERMS = 400  # distinct terms of one item
_TERM_ROWS_PER_INSERT = 100  # rows in one statement
_MAX_QUERY_TERMS = 64  # terms of one query


def build_item_index(
    chain: OwnerKeychain, kind: IndexedKind, item: str, text: str
) -> list[SqlStatement]:
    """Statements that index an item by the terms of `text`."""
    return build_term_inserts(
        kind, [(token, item) for token in hash_text_terms(chain, text, max_terms=_MAX_ITEM_TERMS)]
    )


def build_term_inserts(kind: IndexedKind, pairs: Sequence[tuple[str, str]]) -> list[SqlStatement]:
    """Insert rows of (token, item), many per statement to save round trips to a server."""
    batch = []
    for start in range(0, len(pairs), _TERM_ROWS_PER_INSERT):
        group = pairs[start : start + _TERM_ROWS_PER_INSERT]
        marks = ", ".join(f"(:t{place}, :i{place})" for place in range(len(group)))
        params: dict[str, SqlScalar] = {}
        for place, (token, item) in enumerate(group):
            params |= {f"t{place}": token, f"i{place}": item}
        sql = f"INSERT INTO {kind}_term (token, {kind}) VALUES {marks} ON CONFLICT DO NOTHING"  # noqa: S608 - constants
        batch.append(SqlStatement(sql=sql, params=params))
    return batch


def hash_text_terms(
    chain: OwnerKeychain, text: str, *, max_terms: int = _MAX_QUERY_TERMS
) -> tuple[str, ...]:
    """The distinct terms of a text without stop words, as keyed hashes."""
    telling = word_forms.parse_query_terms(text)
    found: Iterable[str] = (
        *telling.words,
        *(word for phrase in telling.phrases for word in phrase),
    )
    stems = dict.fromkeys(word_forms.stem_index_word(word, "en") for word in found)
    return tuple(chain.hash_term(stem) for stem in islice(stems, max_terms))


async def load_term_weights(
    database: SqlDatabase, kind: IndexedKind, wanted: Sequence[str], total: int
) -> dict[str, float]:
    """The weight of each token that occurs: inverse document frequency among `total` items."""
    names, params = _build_token_list(wanted)
    sql = f"SELECT token, COUNT(*) FROM {kind}_term WHERE token IN ({names}) GROUP BY token"  # noqa: S608 - constants
    counts = {token: int(count) for token, count in await database.select_rows(sql, params)}
    return {
        token: math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
        for token, count in counts.items()
    }


def build_score_expression(
    kind: IndexedKind, weights: Mapping[str, float]
) -> tuple[str, str, dict[str, SqlScalar]]:
    """SQL for the sum of an item's term weights, the condition that it has any term, and parameters."""
    names, params = _build_token_list(list(weights))
    cases = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(weights))
    )
    params |= {f"w{place}": weight for place, weight in enumerate(weights.values())}
    score = f"SUM(CASE {kind}_term.token {cases} ELSE 0 END)"
    return score, f"{kind}_term.token IN ({names})", params


def _build_token_list(values: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    named: dict[str, SqlScalar] = {f"t{place}": value for place, value in enumerate(values)}
    return ", ".join(f":{name}" for name in named), named
