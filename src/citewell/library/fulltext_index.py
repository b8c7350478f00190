"""Full-text index of the library: hashed terms and tiers of frequent ones, ranked by BM25, on either SQL engine."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.store.sql.database import SqlScalar, SqlStatement

_DENSITY_STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)  # weight per thousand words
_ADDED_WORDS = 250  # added to every length, as a third of the average length is in BM25
_MAX_LEVEL = 15
_LOW_DIGITS = "0123"
LEVEL_MARKS = "123456789abcdef"  # the last character of a term with its level

TITLE_WEIGHT, BODY_WEIGHT, SINGLE_WEIGHT = 3.0, 1.0, 0.5  # weight of one occurrence, by field

HIT_COLUMNS = "document.id, document.name, document.added, document.head, document.body"
INSERT_COLUMNS = "name, owner, stamp, published, added, length, head, body"
INSERT_VALUES = ":name, :owner, :stamp, :published, :added, :length, :head, :body"


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
class PreparedDocument:
    """A document as it is written; `row` has the columns of the table."""

    row: dict[str, SqlScalar]
    terms: DocumentTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedDocument:
    """A stored row to remove; its terms are None if the index can do without them."""

    row_id: int
    stamp: str
    length: int
    terms: DocumentTerms | None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """SQL for rows of (score, id, name, added, head, body), best first, and its parameters.

    The caller adds the parameters `limit` and `offset`.
    """

    sql: str
    params: dict[str, SqlScalar]


class TermIndex(Protocol):
    # Whether a document can be removed only by its terms, so that it must be decrypted.
    needs_terms: bool
    # SQL for rows of (id, name, owner, added, head, body) after the id `row` that have no terms,
    # at most `limit`.
    unindexed_query: str

    def build_document_inserts(self, documents: Sequence[PreparedDocument]) -> list[SqlStatement]:
        """Statements that insert document rows and their terms."""
        ...

    def build_document_removal(self, removed: Sequence[RemovedDocument]) -> list[SqlStatement]:
        """Statements that remove rows and their terms, or roll back if a row has changed."""
        ...

    def build_index_reset(self) -> list[SqlStatement]:
        """Statements that empty the index."""
        ...

    def build_term_inserts(
        self, documents: Sequence[tuple[int, DocumentTerms]]
    ) -> list[SqlStatement]:
        """Statements that index stored rows, given by their ids, after a reset."""
        ...

    def build_clearing_shortcut(self, owner: str) -> list[SqlStatement]:
        """Statements that remove all documents of the only owner who has any, or roll back; empty if there are none."""
        ...

    def build_facet_query(self, facets: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
        """SQL for the given facets that some document has."""
        ...

    def build_count_query(
        self, wanted: TermQuery, *, owner: str
    ) -> tuple[str, dict[str, SqlScalar]] | None:
        """SQL for rows of (token, documents) that the index query is planned by; None if by nothing."""
        ...

    def build_index_queries(
        self, wanted: TermQuery, *, owner: str, counts: Mapping[str, int]
    ) -> Sequence[IndexQuery]:
        """Queries to try in order until one fills the page; the last one looks at every match."""
        ...


def weigh_document_terms(terms: DocumentTerms) -> dict[str, float]:
    """The weight of each term of a document, without its facets."""
    weights: dict[str, float] = {}
    parts = (
        (TITLE_WEIGHT, terms.title),
        (BODY_WEIGHT, terms.body),
        (SINGLE_WEIGHT, terms.single_characters),
    )
    for weight, tokens in parts:
        for token, times in Counter(tokens).items():
            weights[token] = weights.get(token, 0.0) + weight * times
    return weights


def build_date_condition(wanted: TermQuery, params: dict[str, SqlScalar]) -> str:
    parts = ""
    for name, sign, edge in (
        ("after", ">=", wanted.published_after),
        ("before", "<", wanted.published_before),
    ):
        if edge is not None:
            params[name] = float(edge)
            parts += f" AND dated.published {sign} :{name}"
    return parts


# Tiers of frequent terms, so that a query of words that half of all documents have stays cheap.


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTerms:
    """Terms whose documents are looked at: `whole` with all of them, `tiered` by their levels."""

    whole: tuple[str, ...]
    tiered: tuple[str, ...]


def list_tier_terms(weights: Mapping[str, float], *, length: int, name: str) -> list[str]:
    """The terms of a document that are indexed with their level."""
    bonus = len(name) - len(name.lstrip(_LOW_DIGITS))
    scale = length + _ADDED_WORDS
    found = []
    for token, weight in weights.items():
        level = bisect_right(_DENSITY_STEPS, 1000 * weight / scale) + bonus
        if level:
            found.append(f"{token}{min(level, _MAX_LEVEL):x}")
    return found


def choose_candidate_terms(
    tokens: Iterable[str], counts: Mapping[str, int], *, total: int, budget: int
) -> CandidateTerms:
    """Terms that together have about `budget` of `total` documents, shared out by how rare they are."""
    known = sorted(
        (count, token) for token in dict.fromkeys(tokens) if (count := counts.get(token, 0)) > 0
    )
    weights = [measure_rarity(count, total) ** 2 for count, _ in known]
    whole, tiered = [], []
    left = budget
    for place, (count, token) in enumerate(known):
        share = int(left * weights[place] / sum(weights[place:]))
        if count <= share:
            whole.append(token)
            left -= count
        else:
            levels, taken = _choose_top_levels(token, counts, share)
            tiered += levels
            left -= taken
    return CandidateTerms(whole=tuple(whole), tiered=tuple(tiered))


def measure_rarity(count: int, total: int) -> float:
    """The inverse document frequency of BM25, as FTS5 computes it."""
    return max(1e-6, math.log((max(total - count, 0) + 0.5) / (count + 0.5)))


def _choose_top_levels(token: str, counts: Mapping[str, int], share: int) -> tuple[list[str], int]:
    """The highest levels of a term that have at most `share` documents, but one at least."""
    chosen: list[str] = []
    taken = 0
    for mark in reversed(LEVEL_MARKS):
        count = counts.get(token + mark, 0)
        if count <= 0:
            continue
        if chosen and taken + count > share:
            break
        chosen.append(token + mark)
        taken += count
    return chosen, taken


# The full-text index on SQLite: an FTS5 table without content, which computes BM25 itself.

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
    needs_terms = True
    unindexed_query = _SELECT_UNINDEXED

    def build_document_inserts(self, documents: Sequence[PreparedDocument]) -> list[SqlStatement]:
        if not documents:
            return []
        words = [
            {"name": document.row["name"], **_build_term_columns(document.terms)}
            for document in documents
        ]
        return [
            SqlStatement(sql=_INSERT_DOCUMENT, param_rows=[document.row for document in documents]),
            SqlStatement(sql=_INSERT_TERMS_BY_NAME, param_rows=words),
        ]

    def build_document_removal(self, removed: Sequence[RemovedDocument]) -> list[SqlStatement]:
        rows = [
            SqlStatement(
                sql=_DELETE_DOCUMENT, params={"id": row.row_id, "stamp": row.stamp}, expected_rows=1
            )
            for row in removed
        ]
        words = [
            {"id": document.row_id, **_build_term_columns(document.terms)}
            for document in removed
            if document.terms is not None
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
    parts = [f"({term})" for term in firm]
    if loose:
        # Next to a phrase, single words are optional but raise the score.
        parts.append(f"({' OR '.join([*firm, *loose])})")
    parts += [f'facet : "{token}"' for token in wanted.facets]
    return " AND ".join(parts)
