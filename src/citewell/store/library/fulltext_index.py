"""Full-text index of the library on SQLite and PostgreSQL: hashed terms, ranked by BM25.

SQLite's FTS5 computes BM25 itself. PostgreSQL's ranking ignores document frequencies and loses a
third of the quality, so there it only preselects rows, and BM25 is computed over those in SQL.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.store.sql.database import SqlDialect, SqlScalar, SqlStatement

TITLE_WEIGHT, BODY_WEIGHT, SINGLE_WEIGHT = 3.0, 1.0, 0.5  # weight of one occurrence, by field
_BM25_K1, _BM25_B = 1.2, 0.75  # the constants of FTS5
_PRESELECTED_ROWS = 200  # rows that PostgreSQL preselects
_MAX_TERM_POSITIONS = 64  # of one term in one document; more would hardly change BM25
_MAX_VECTOR_POSITION = 16_383  # limits of PostgreSQL
_MAX_VECTOR_BYTES = 1_000_000

_HIT_COLUMNS = "document.id, document.name, document.added, document.head, document.body"
_INSERT_COLUMNS = "name, owner, stamp, published, added, length, head, body"
_INSERT_VALUES = ":name, :owner, :stamp, :published, :added, :length, :head, :body"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTerms:
    """The terms of a document as keyed hashes, in text order."""

    title: tuple[str, ...]
    body: tuple[str, ...]
    single_characters: tuple[str, ...]
    facets: tuple[str, ...]

    @property
    def length(self) -> int:
        return len(self.title) + len(self.body) + len(self.single_characters) + len(self.facets)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermQuery:
    """A query in hashed terms.

    An item of `words` holds the variants of one word. An item of `phrases` holds alternative
    phrases, each a tuple of tokens.
    """

    words: tuple[tuple[str, ...], ...]
    phrases: tuple[tuple[tuple[str, ...], ...], ...]
    facets: tuple[str, ...]
    published_after: float | None = None
    published_before: float | None = None


class TermIndex(Protocol):
    def build_document_insert(
        self, row: dict[str, SqlScalar], terms: DocumentTerms
    ) -> list[SqlStatement]:
        """Statements that insert a document row and its terms."""
        ...

    def build_term_removal(self, row_id: int, terms: DocumentTerms) -> list[SqlStatement]:
        """Statements that remove the terms of a row, but not the row itself."""
        ...

    def build_count_updates(
        self, added: Sequence[DocumentTerms], removed: Sequence[DocumentTerms]
    ) -> list[SqlStatement]:
        """Statements that update the number of documents per term, if the engine does not count them."""
        ...

    def build_count_cleanup(self, owner: str) -> list[SqlStatement]:
        """Statements that delete counts which are not needed once the owner has no document."""
        ...

    def build_index_query(
        self, wanted: TermQuery, *, owner: str
    ) -> tuple[str, dict[str, SqlScalar]]:
        """SQL for rows of (score, id, name, added, head, body), best first, and its parameters.

        The caller adds the parameters `limit` and `offset`.
        """
        ...


def choose_term_index(dialect: SqlDialect) -> TermIndex:
    return SqliteTermIndex() if dialect.name == "sqlite" else PostgresTermIndex()


class SqliteTermIndex:
    def build_document_insert(
        self, row: dict[str, SqlScalar], terms: DocumentTerms
    ) -> list[SqlStatement]:
        document = f"INSERT INTO document ({_INSERT_COLUMNS}) VALUES ({_INSERT_VALUES})"  # noqa: S608 - constants
        indexed = (
            "INSERT INTO term (rowid, title, body, single, facet) "
            "SELECT id, :title, :text, :single, :facet FROM document WHERE name = :name"
        )
        words = {"name": row["name"], **build_term_columns(terms)}
        return [
            SqlStatement(sql=document, params=row, expected_rows=1),
            SqlStatement(sql=indexed, params=words),
        ]

    def build_term_removal(self, row_id: int, terms: DocumentTerms) -> list[SqlStatement]:
        # An FTS5 index without content deletes a row only if given the exact terms.
        sql = (
            "INSERT INTO term (term, rowid, title, body, single, facet) "
            "VALUES ('delete', :id, :title, :text, :single, :facet)"
        )
        return [SqlStatement(sql=sql, params={"id": row_id, **build_term_columns(terms)})]

    def build_count_updates(
        self,
        added: Sequence[DocumentTerms],  # noqa: ARG002 - FTS5 counts
        removed: Sequence[DocumentTerms],  # noqa: ARG002 - FTS5 counts
    ) -> list[SqlStatement]:
        return []

    def build_count_cleanup(self, owner: str) -> list[SqlStatement]:  # noqa: ARG002 - FTS5 counts
        return []

    def build_index_query(
        self, wanted: TermQuery, *, owner: str
    ) -> tuple[str, dict[str, SqlScalar]]:
        weights = f"{TITLE_WEIGHT}, {BODY_WEIGHT}, {SINGLE_WEIGHT}, 0.0"
        params: dict[str, SqlScalar] = {"match": _build_fts5_query(wanted), "owner": owner}
        if wanted.published_after is None and wanted.published_before is None:
            # FTS5 sorts by itself; document rows are joined only for the hits.
            ranked = (
                "SELECT rowid AS id, rank AS score FROM term "  # noqa: S608 - constants
                f"WHERE term MATCH :match AND rank MATCH 'bm25({weights})' "
                "ORDER BY rank LIMIT :limit + 16 OFFSET :offset"
            )
        else:
            ranked = (
                f"SELECT dated.id, bm25(term, {weights}) AS score "  # noqa: S608 - constants
                "FROM term JOIN document AS dated ON dated.id = term.rowid "
                f"WHERE term MATCH :match {_build_date_condition(wanted, params)} "
                "ORDER BY score, dated.id LIMIT :limit + 16 OFFSET :offset"
            )
        sql = (
            f"SELECT -ranked.score, {_HIT_COLUMNS} FROM ({ranked}) AS ranked "  # noqa: S608 - constants
            "JOIN document ON document.id = ranked.id AND document.owner = :owner "
            "ORDER BY ranked.score, ranked.id LIMIT :limit"
        )
        return sql, params


class PostgresTermIndex:
    """Matches by tsvector; term weights are in a JSON map, because unnesting a tsvector is slow."""

    def build_document_insert(
        self, row: dict[str, SqlScalar], terms: DocumentTerms
    ) -> list[SqlStatement]:
        sql = (
            f"INSERT INTO document ({_INSERT_COLUMNS}, terms, counts) "  # noqa: S608 - constants
            f"VALUES ({_INSERT_VALUES}, CAST(CAST(:terms AS TEXT) AS tsvector), "
            "CAST(CAST(:counts AS TEXT) AS jsonb))"
        )
        params = row | {"terms": encode_tsvector(terms), "counts": encode_term_weights(terms)}
        return [SqlStatement(sql=sql, params=params, expected_rows=1)]

    def build_term_removal(self, row_id: int, terms: DocumentTerms) -> list[SqlStatement]:  # noqa: ARG002 - the terms are in the row
        return []

    def build_count_updates(
        self, added: Sequence[DocumentTerms], removed: Sequence[DocumentTerms]
    ) -> list[SqlStatement]:
        changes: Counter[str] = Counter()
        for terms in added:
            changes.update(_collect_document_tokens(terms))
        for terms in removed:
            changes.subtract(_collect_document_tokens(terms))
        changed = sorted((token, change) for token, change in changes.items() if change)
        if not changed:
            return []
        sql = """
        INSERT INTO term_count (token, documents)
        SELECT token, change FROM unnest(
            string_to_array(:tokens, ' '), CAST(string_to_array(:changes, ' ') AS BIGINT[])
        ) AS counted (token, change)
        ON CONFLICT (token) DO UPDATE SET documents = term_count.documents + excluded.documents
        """
        params: dict[str, SqlScalar] = {
            "tokens": " ".join(token for token, _ in changed),
            "changes": " ".join(str(count) for _, count in changed),
        }
        return [SqlStatement(sql=sql, params=params)]

    def build_count_cleanup(self, owner: str) -> list[SqlStatement]:  # noqa: ARG002 - counts are not stored by owner
        return [SqlStatement(sql="DELETE FROM term_count WHERE documents <= 0")]

    def build_index_query(
        self, wanted: TermQuery, *, owner: str
    ) -> tuple[str, dict[str, SqlScalar]]:
        params: dict[str, SqlScalar] = {
            "query": _build_tsquery(wanted),
            "owner": owner,
            "tokens": " ".join(sorted(_collect_query_tokens(wanted))),
        }
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
            SELECT id, length, counts FROM document AS dated
            -- Terms are the owner's own, so their index is the one to use.
            WHERE terms @@ CAST(CAST(:query AS TEXT) AS tsquery) AND owner || '' = :owner
            {_build_date_condition(wanted, params)}
            ORDER BY ts_rank(
                '{{0.33, 0.17, 0, 1.0}}', terms, CAST(CAST(:query AS TEXT) AS tsquery)
            ) DESC, id
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
        SELECT score, {_HIT_COLUMNS} FROM ranked JOIN document ON document.id = ranked.id
        ORDER BY score DESC, ranked.id
        """  # noqa: S608 - constants
        return sql, params


def build_term_columns(terms: DocumentTerms) -> dict[str, SqlScalar]:
    return {
        "title": " ".join(terms.title),
        "text": " ".join(terms.body),
        "single": " ".join(terms.single_characters),
        "facet": " ".join(terms.facets),
    }


def _build_date_condition(wanted: TermQuery, params: dict[str, SqlScalar]) -> str:
    parts = ""
    for name, sign, edge in (
        ("after", ">=", wanted.published_after),
        ("before", "<", wanted.published_before),
    ):
        if edge is not None:
            params[name] = float(edge)
            parts += f" AND dated.published {sign} :{name}"
    return parts


def _build_fts5_query(wanted: TermQuery) -> str:
    """The query in FTS5 syntax; tokens are letters and digits, so nothing needs escaping."""
    loose = [f'"{token}"' for word in wanted.words for token in word]
    firm = [
        " OR ".join(f'"{" ".join(phrase)}"' for phrase in alternatives)
        for alternatives in wanted.phrases
    ]
    parts = [f"({one})" for one in firm]
    if loose:
        # Next to a phrase, single words are optional but raise the score.
        parts.append(f"({' OR '.join([*firm, *loose])})")
    parts += [f'facet : "{token}"' for token in wanted.facets]
    return " AND ".join(parts)


def _build_tsquery(wanted: TermQuery) -> str:
    loose = [token for word in wanted.words for token in word]
    firm = [
        " | ".join(f"({' <-> '.join(phrase)})" for phrase in alternatives)
        for alternatives in wanted.phrases
    ]
    parts = [f"({one})" for one in firm]
    if loose:
        parts.append(f"({' | '.join([*firm, *loose])})")
    parts += [f"{token}:B" for token in wanted.facets]
    return " & ".join(parts)


def _collect_query_tokens(wanted: TermQuery) -> frozenset[str]:
    return frozenset(
        [token for word in wanted.words for token in word]
        + [token for one in wanted.phrases for phrase in one for token in phrase]
    )


def _collect_document_tokens(terms: DocumentTerms) -> frozenset[str]:
    return frozenset((*terms.title, *terms.body, *terms.single_characters))


def encode_term_weights(terms: DocumentTerms) -> str:
    """The weight of each term in a document, as a JSON object."""
    weights: dict[str, float] = {}
    parts = (
        (TITLE_WEIGHT, terms.title),
        (BODY_WEIGHT, terms.body),
        (SINGLE_WEIGHT, terms.single_characters),
    )
    for weight, tokens in parts:
        for token, times in Counter(tokens).items():
            weights[token] = weights.get(token, 0.0) + weight * times
    return json.dumps(weights, separators=(",", ":"))


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
