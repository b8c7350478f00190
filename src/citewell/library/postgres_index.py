"""The full-text index on PostgreSQL: its own inverted indexes find rows, and BM25 in SQL ranks them.

PostgreSQL's ranking ignores document frequencies. So it ranks by groups of terms that are about
equally rare, and BM25 is computed over the best of those rows. A query that matches more rows than
can be ranked at once takes its candidates from the tiers of its frequent terms.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from citewell.library.fulltext_index import (
    HIT_COLUMNS,
    INSERT_COLUMNS,
    INSERT_VALUES,
    LEVEL_MARKS,
    CandidateTerms,
    DocumentTerms,
    IndexQuery,
    PreparedDocument,
    RemovedDocument,
    TermQuery,
    build_date_condition,
    choose_candidate_terms,
    list_tier_terms,
    measure_rarity,
    weigh_document_terms,
)
from citewell.store.sql.database import SqlScalar, SqlStatement

_BM25_K1, _BM25_B = 1.2, 0.75  # the constants of FTS5
_PRESELECTED_ROWS = 200  # for BM25
_MAX_RANK_GROUPS = 3
_MAX_TERM_POSITIONS = 64  # of one term in one document; more would hardly change BM25
_MAX_VECTOR_POSITION = 16_383  # limits of PostgreSQL
_MAX_VECTOR_BYTES = 1_000_000
_TOTAL_KEY = ""  # of the number of documents, among the counts of terms

_LISTED_TERMS = """
    SELECT jsonb_object_keys(counts) AS term
    UNION ALL SELECT unnest(tsvector_to_array(ts_filter(terms, '{b}')))
    UNION ALL SELECT unnest(tsvector_to_array(list_tier_terms(counts, length, name)))
"""
_INSERT_DOCUMENT = (
    f"INSERT INTO document ({INSERT_COLUMNS}, terms, counts) "  # noqa: S608 - constants
    f"VALUES ({INSERT_VALUES}, CAST(CAST(:terms AS TEXT) AS tsvector), "
    "CAST(CAST(:counts AS TEXT) AS jsonb))"
)
_UPDATE_TERMS = (
    "UPDATE document SET terms = CAST(CAST(:terms AS TEXT) AS tsvector), "
    "counts = CAST(CAST(:counts AS TEXT) AS jsonb) WHERE id = :id"
)
_SELECT_UNINDEXED = """
SELECT id, name, owner, added, head, body FROM document
WHERE id > :row AND terms = '' ORDER BY id LIMIT :limit
"""
_ADD_COUNTS = """
INSERT INTO term_count (token, documents)
SELECT token, change FROM unnest(
    string_to_array(:tokens, ' '), CAST(string_to_array(:changes, ' ') AS BIGINT[])
) AS counted (token, change)
ON CONFLICT (token) DO UPDATE SET documents = term_count.documents + excluded.documents
"""
_ADD_STORED_COUNTS = f"""
INSERT INTO term_count (token, documents)
SELECT term, COUNT(*) FROM document, LATERAL ({_LISTED_TERMS}) AS listed
WHERE id = ANY(CAST(string_to_array(:ids, ' ') AS BIGINT[])) GROUP BY term ORDER BY term
ON CONFLICT (token) DO UPDATE SET documents = term_count.documents + excluded.documents
"""  # noqa: S608 - constants
_REMOVE_COUNTS = f"""
WITH counted AS MATERIALIZED (
    SELECT term, COUNT(*) AS gone FROM document, LATERAL ({_LISTED_TERMS}) AS listed
    WHERE id = ANY(CAST(string_to_array(:ids, ' ') AS BIGINT[])) GROUP BY term
), emptied AS (
    DELETE FROM term_count USING counted WHERE token = term AND documents <= gone
)
UPDATE term_count SET documents = documents - gone
FROM counted WHERE token = term AND documents > gone
"""  # noqa: S608 - constants
_DELETE_DOCUMENTS = """
DELETE FROM document USING unnest(
    CAST(string_to_array(:ids, ' ') AS BIGINT[]), string_to_array(:stamps, ' ')
) AS stored (row_id, was)
WHERE id = row_id AND stamp = was
"""
_SELECT_COUNTS = f"""
SELECT token, documents FROM term_count WHERE token = ANY(string_to_array(:tokens, ' '))
UNION ALL SELECT '{_TOTAL_KEY}', documents FROM library WHERE owner = :owner
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLimits:
    """How many rows a query ranks."""

    exact: int = 2_000  # a query that can match more is answered from candidates
    candidates: tuple[int, ...] = (2_000, 16_000)  # tried in this order before all rows


class PostgresTermIndex:
    """Matches by tsvector; term weights are in a JSON map, because unnesting a tsvector is slow."""

    def __init__(self, limits: RowLimits | None = None) -> None:
        self._limits = limits or RowLimits()

    needs_terms = False
    unindexed_query = _SELECT_UNINDEXED

    def build_document_inserts(self, documents: Sequence[PreparedDocument]) -> list[SqlStatement]:
        if not documents:
            return []
        rows = []
        changes: Counter[str] = Counter()
        for document in documents:
            weights = weigh_document_terms(document.terms)
            tiers = list_tier_terms(
                weights, length=document.terms.length, name=str(document.row["name"])
            )
            changes.update(chain(weights, dict.fromkeys(document.terms.facets), tiers))
            rows.append(document.row | _build_vector_columns(document.terms, weights))
        counted = sorted(changes.items())  # in one order, so that two writers cannot deadlock
        params: dict[str, SqlScalar] = {
            "tokens": " ".join(token for token, _ in counted),
            "changes": " ".join(str(count) for _, count in counted),
        }
        return [
            SqlStatement(sql=_INSERT_DOCUMENT, param_rows=rows),
            SqlStatement(sql=_ADD_COUNTS, params=params),
        ]

    def build_document_removal(self, removed: Sequence[RemovedDocument]) -> list[SqlStatement]:
        if not removed:
            return []
        ids = " ".join(str(row.row_id) for row in removed)
        stamps = " ".join(row.stamp for row in removed)
        return [
            SqlStatement(sql=_REMOVE_COUNTS, params={"ids": ids}),
            SqlStatement(
                sql=_DELETE_DOCUMENTS,
                params={"ids": ids, "stamps": stamps},
                expected_rows=len(removed),
            ),
        ]

    def build_index_reset(self) -> list[SqlStatement]:
        return [
            SqlStatement(sql="DELETE FROM term_count"),
            SqlStatement(sql="UPDATE document SET terms = '', counts = '{}' WHERE terms <> ''"),
        ]

    def build_term_inserts(
        self, documents: Sequence[tuple[int, DocumentTerms]]
    ) -> list[SqlStatement]:
        if not documents:
            return []
        rows = [
            {"id": row_id, **_build_vector_columns(terms, weigh_document_terms(terms))}
            for row_id, terms in documents
        ]
        ids = " ".join(str(row_id) for row_id, _ in documents)
        return [
            SqlStatement(sql=_UPDATE_TERMS, param_rows=rows),
            SqlStatement(sql=_ADD_STORED_COUNTS, params={"ids": ids}),
        ]

    def build_clearing_shortcut(self, owner: str) -> list[SqlStatement]:  # noqa: ARG002 - rows are removed without being decrypted
        return []

    def build_facet_query(self, facets: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
        sql = (
            "SELECT token FROM term_count "
            "WHERE token = ANY(string_to_array(:tokens, ' ')) AND documents > 0"
        )
        return sql, {"tokens": " ".join(facets)}

    def build_count_query(
        self, wanted: TermQuery, *, owner: str
    ) -> tuple[str, dict[str, SqlScalar]] | None:
        tokens = _collect_query_tokens(wanted)
        asked = [
            *tokens,
            *wanted.facets,
            *(token + mark for token in tokens for mark in LEVEL_MARKS),
        ]
        return _SELECT_COUNTS, {"tokens": " ".join(asked), "owner": owner}

    def build_index_queries(
        self, wanted: TermQuery, *, owner: str, counts: Mapping[str, int]
    ) -> Sequence[IndexQuery]:
        params: dict[str, SqlScalar] = {"query": _build_tsquery(wanted), "owner": owner}
        if not (wanted.words or wanted.phrases):
            is_short = _bound_matches(wanted, counts) <= self._limits.exact
            return (_build_listing_query(wanted, params, is_short=is_short),)
        params["tokens"] = " ".join(_collect_query_tokens(wanted))
        exact = _build_ranking_query(wanted, params, counts, _MATCH_ALL_ROWS)
        if _bound_matches(wanted, counts) <= self._limits.exact:
            return (exact,)
        driving = _choose_driving_tokens(wanted, counts)
        queries = []
        for rows in self._limits.candidates:
            terms = choose_candidate_terms(
                driving, counts, total=counts.get(_TOTAL_KEY, 0), budget=rows
            )
            source, more = _build_candidate_source(terms)
            if more:
                queries.append(_build_ranking_query(wanted, params | more, counts, source))
        return (*queries, exact)


# Terms are the owner's own, so their index is the one to use.
_MATCH_ALL_ROWS = """
SELECT * FROM document AS dated
WHERE terms @@ CAST(CAST(:query AS TEXT) AS tsquery) AND owner || '' = :owner
"""


def _build_candidate_source(terms: CandidateTerms) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for the rows of these terms that match the query, and its parameters."""
    params: dict[str, SqlScalar] = {}
    parts = []
    if terms.whole:
        params["whole"] = " | ".join(terms.whole)
        parts.append("terms @@ CAST(CAST(:whole AS TEXT) AS tsquery)")
    if terms.tiered:
        params["tiered"] = " | ".join(terms.tiered)
        parts.append(
            "list_tier_terms(counts, length, name) @@ CAST(CAST(:tiered AS TEXT) AS tsquery)"
        )
    # COALESCE keeps the index of the whole query, with its long lists, from being read.
    sql = f"""
    SELECT * FROM document AS dated WHERE ({" OR ".join(parts)})
    AND COALESCE(terms @@ CAST(CAST(:query AS TEXT) AS tsquery), FALSE) AND owner || '' = :owner
    """  # noqa: S608 - constants
    return sql, params


def _build_ranking_query(
    wanted: TermQuery, params: dict[str, SqlScalar], counts: Mapping[str, int], source: str
) -> IndexQuery:
    params = dict(params)
    dates = build_date_condition(wanted, params)
    rank = _build_rank_expression(wanted, params, counts)
    sql = f"""
    WITH total AS (
        SELECT CAST(documents AS DOUBLE PRECISION) AS n,
            CAST(length AS DOUBLE PRECISION) / GREATEST(documents, 1) AS average
        FROM library WHERE owner = :owner
    ), asked AS (
        SELECT token, GREATEST(0.000001, LN(
            (GREATEST(n - COALESCE(documents, 0), 0) + 0.5) / (COALESCE(documents, 0) + 0.5)
        )) AS idf
        FROM total, unnest(string_to_array(:tokens, ' ')) AS token
        LEFT JOIN term_count USING (token)
    ), hits AS (
        SELECT id, length, counts FROM ({source} {dates}) AS dated
        ORDER BY {rank} DESC, id
        LIMIT CAST(:offset AS BIGINT) + CAST(:limit AS BIGINT) + {_PRESELECTED_ROWS}
    ), found AS (
        SELECT hits.id, length, idf,
            CAST(counts ->> token AS DOUBLE PRECISION) AS tf
        FROM hits LEFT JOIN asked ON true
    ), ranked AS (
        SELECT id, COALESCE(SUM(
            idf * tf * ({_BM25_K1} + 1) / (tf + {_BM25_K1} * (1 - {_BM25_B} + {_BM25_B} * length / average))
        ), 0) AS score
        FROM found, total
        GROUP BY id ORDER BY score DESC, id LIMIT :limit OFFSET :offset
    )
    SELECT score, {HIT_COLUMNS} FROM ranked JOIN document ON document.id = ranked.id
    ORDER BY score DESC, ranked.id
    """  # noqa: S608 - constants
    return IndexQuery(sql=sql, params=params)


def _build_rank_expression(
    wanted: TermQuery, params: dict[str, SqlScalar], counts: Mapping[str, int]
) -> str:
    """The sum over a few groups of terms, each weighted by how rare its terms are."""
    total = max(counts.get(_TOTAL_KEY, 0), 1)
    rarity = {
        token: measure_rarity(count, total)
        for token in _collect_query_tokens(wanted)
        if (count := counts.get(token, 0)) > 0
    }
    parts = []
    ordered = sorted(rarity, key=lambda token: (-rarity[token], token))
    size = -(-len(ordered) // _MAX_RANK_GROUPS)
    groups = [ordered[start : start + size] for start in range(0, len(ordered), size or 1)]
    for place, group in enumerate(groups):
        params[f"group{place}"] = " | ".join(group)
        # ts_rank divides by the number of terms.
        params[f"weight{place}"] = sum(rarity[token] for token in group)
        parts.append(
            f"CAST(:weight{place} AS DOUBLE PRECISION) * ts_rank('{{0.33, 0.17, 0, 1.0}}', terms, "
            f"CAST(CAST(:group{place} AS TEXT) AS tsquery))"
        )
    return f"({' + '.join(parts)})" if parts else "id"


def _build_listing_query(
    wanted: TermQuery, params: dict[str, SqlScalar], *, is_short: bool
) -> IndexQuery:
    """The rows with certain facets, in order of their ids; nothing ranks them."""
    params = dict(params)
    dates = build_date_condition(wanted, params)
    if is_short:
        source = _MATCH_ALL_ROWS
    else:
        source = """
        SELECT * FROM document AS dated WHERE owner = :owner
        AND COALESCE(terms @@ CAST(CAST(:query AS TEXT) AS tsquery), FALSE)
        """
    sql = f"""
    SELECT CAST(0 AS DOUBLE PRECISION), {HIT_COLUMNS} FROM ({source} {dates}) AS document
    ORDER BY id LIMIT :limit OFFSET :offset
    """  # noqa: S608 - constants
    return IndexQuery(sql=sql, params=params)


def _bound_matches(wanted: TermQuery, counts: Mapping[str, int]) -> int:
    """At most so many rows match, and so many entries of the index are read."""
    bounds = [counts.get(token, 0) for token in wanted.facets]
    bounds += [_bound_phrase(phrase, counts) for phrase in wanted.phrases]
    if not wanted.phrases and wanted.words:
        bounds.append(sum(counts.get(token, 0) for word in wanted.words for token in word))
    return min(bounds)


def _bound_phrase(alternatives: Sequence[Sequence[str]], counts: Mapping[str, int]) -> int:
    return sum(min(counts.get(token, 0) for token in phrase) for phrase in alternatives)


def _choose_driving_tokens(wanted: TermQuery, counts: Mapping[str, int]) -> list[str]:
    """Terms of which every match has at least one: of the rarest phrase, or else all words."""
    if not wanted.phrases:
        return [token for word in wanted.words for token in word]
    rarest = min(wanted.phrases, key=lambda item: _bound_phrase(item, counts))
    return [min(phrase, key=lambda token: counts.get(token, 0)) for phrase in rarest]


def _build_tsquery(wanted: TermQuery) -> str:
    loose = [token for word in wanted.words for token in word]
    firm = [
        " | ".join(f"({' <-> '.join(phrase)})" for phrase in alternatives)
        for alternatives in wanted.phrases
    ]
    parts = [f"({term})" for term in firm]
    if loose:
        parts.append(f"({' | '.join([*firm, *loose])})")
    parts += [f"{token}:B" for token in wanted.facets]
    return " & ".join(parts)


def _collect_query_tokens(wanted: TermQuery) -> list[str]:
    found = (
        *(token for word in wanted.words for token in word),
        *(token for alternatives in wanted.phrases for phrase in alternatives for token in phrase),
    )
    return sorted(set(found))


def _build_vector_columns(
    terms: DocumentTerms, weights: Mapping[str, float]
) -> dict[str, SqlScalar]:
    return {"terms": encode_tsvector(terms), "counts": json.dumps(weights, separators=(",", ":"))}


def encode_tsvector(terms: DocumentTerms) -> str:
    """The text form of a tsvector: title A, facets B, single characters C, the rest D."""
    places: dict[str, list[str]] = {}
    at, size = 0, 0
    parts: Iterable[tuple[str, tuple[str, ...]]] = (
        ("B", terms.facets), ("A", terms.title), ("", terms.body), ("C", terms.single_characters),
    )  # fmt: skip
    for label, tokens in parts:
        at += 1  # a gap, so that no phrase matches across two parts
        for token in tokens:
            at = min(at + 1, _MAX_VECTOR_POSITION)
            known = places.setdefault(token, [])
            if len(known) < _MAX_TERM_POSITIONS and size < _MAX_VECTOR_BYTES:
                size += 2 if known else 2 + 16
                known.append(f"{at}{label}")
    return " ".join(f"{token}:{','.join(known)}" for token, known in places.items() if known)
