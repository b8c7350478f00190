"""The full-text index on SQLite: an FTS5 table without content, which computes BM25 itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citewell.store.library.fulltext_index import (
    BODY_WEIGHT,
    HIT_COLUMNS,
    INSERT_COLUMNS,
    INSERT_VALUES,
    SINGLE_WEIGHT,
    TITLE_WEIGHT,
    DocumentTerms,
    IndexQuery,
    PreparedDocument,
    RemovedDocument,
    TermQuery,
    build_date_condition,
)
from citewell.store.sql.database import SqlScalar, SqlStatement

_INSERT_DOCUMENT = f"INSERT INTO document ({INSERT_COLUMNS}) VALUES ({INSERT_VALUES})"  # noqa: S608 - constants
_INSERT_TERMS_BY_NAME = (
    "INSERT INTO term (rowid, title, body, single, facet) "
    "SELECT id, :title, :text, :single, :facet FROM document WHERE name = :name"
)
_INSERT_TERMS = (
    "INSERT INTO term (rowid, title, body, single, facet) "
    "SELECT id, :title, :text, :single, :facet FROM document WHERE id = :id"
)
# An FTS5 index without content deletes a row only if given the exact terms, and must have it.
# Its table term_docsize has a row for each that it has.
_DELETE_TERMS = (
    "INSERT INTO term (term, rowid, title, body, single, facet) "
    "SELECT 'delete', id, :title, :text, :single, :facet FROM term_docsize WHERE id = :id"
)
_SELECT_UNINDEXED = """
SELECT id, name, owner, added, head, body FROM document
WHERE id > :row AND NOT EXISTS (SELECT 1 FROM term_docsize WHERE term_docsize.id = document.id)
ORDER BY id LIMIT :limit
"""
_DELETE_DOCUMENT = "DELETE FROM document WHERE id = :id AND stamp = :stamp"
_DELETE_ALL_TERMS = "INSERT INTO term (term) VALUES ('delete-all')"
_CHECK_ONLY_OWNER = """
UPDATE library SET documents = 0, length = 0
WHERE owner = :owner AND NOT EXISTS (SELECT 1 FROM document WHERE owner < :owner)
    AND NOT EXISTS (SELECT 1 FROM document WHERE owner > :owner)
"""


class SqliteTermIndex:
    @property
    def needs_terms(self) -> bool:
        return True

    @property
    def unindexed_query(self) -> str:
        return _SELECT_UNINDEXED

    def build_document_inserts(self, documents: Sequence[PreparedDocument]) -> list[SqlStatement]:
        if not documents:
            return []
        words = [{"name": one.row["name"], **_build_term_columns(one.terms)} for one in documents]
        return [
            SqlStatement(sql=_INSERT_DOCUMENT, param_rows=[one.row for one in documents]),
            SqlStatement(sql=_INSERT_TERMS_BY_NAME, param_rows=words),
        ]

    def build_document_removal(self, removed: Sequence[RemovedDocument]) -> list[SqlStatement]:
        rows = [
            SqlStatement(
                sql=_DELETE_DOCUMENT,
                params={"id": one.row_id, "stamp": one.stamp},
                expected_rows=1,
            )
            for one in removed
        ]
        words = [
            {"id": one.row_id, **_build_term_columns(one.terms)}
            for one in removed
            if one.terms is not None
        ]
        return [*rows, SqlStatement(sql=_DELETE_TERMS, param_rows=words)] if words else rows

    def build_index_reset(self) -> list[SqlStatement]:
        return [SqlStatement(sql=_DELETE_ALL_TERMS)]

    def build_term_inserts(
        self, documents: Sequence[tuple[int, DocumentTerms]]
    ) -> list[SqlStatement]:
        words = [{"id": row_id, **_build_term_columns(terms)} for row_id, terms in documents]
        return [SqlStatement(sql=_INSERT_TERMS, param_rows=words)] if words else []

    def build_clearing_shortcut(self, owner: str) -> list[SqlStatement]:
        params: dict[str, SqlScalar] = {"owner": owner}
        return [
            SqlStatement(sql=_CHECK_ONLY_OWNER, params=params, expected_rows=1),
            SqlStatement(sql="DELETE FROM document WHERE owner = :owner", params=params),
            SqlStatement(sql=_DELETE_ALL_TERMS),
        ]

    def build_facet_query(self, facets: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
        params: dict[str, SqlScalar] = {}
        parts = []
        for place, token in enumerate(facets):
            params |= {f"token{place}": token, f"match{place}": f'facet : "{token}"'}
            parts.append(
                f"SELECT :token{place} "  # noqa: S608 - constants
                f"WHERE EXISTS (SELECT 1 FROM term WHERE term MATCH :match{place})"
            )
        return " UNION ALL ".join(parts), params

    def build_count_query(
        self,
        wanted: TermQuery,  # noqa: ARG002 - FTS5 counts
        *,
        owner: str,  # noqa: ARG002 - FTS5 counts
    ) -> tuple[str, dict[str, SqlScalar]] | None:
        return None

    def build_index_queries(
        self,
        wanted: TermQuery,
        *,
        owner: str,
        counts: Mapping[str, int],  # noqa: ARG002 - FTS5 counts
    ) -> Sequence[IndexQuery]:
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
                f"WHERE term MATCH :match {build_date_condition(wanted, params)} "
                "ORDER BY score, dated.id LIMIT :limit + 16 OFFSET :offset"
            )
        sql = (
            f"SELECT -ranked.score, {HIT_COLUMNS} FROM ({ranked}) AS ranked "  # noqa: S608 - constants
            "JOIN document ON document.id = ranked.id AND document.owner = :owner "
            "ORDER BY ranked.score, ranked.id LIMIT :limit"
        )
        return (IndexQuery(sql=sql, params=params),)


def _build_term_columns(terms: DocumentTerms) -> dict[str, SqlScalar]:
    return {
        "title": " ".join(terms.title),
        "text": " ".join(terms.body),
        "single": " ".join(terms.single_characters),
        "facet": " ".join(terms.facets),
    }


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
