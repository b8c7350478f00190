"""Full-text index of the library: hashed terms, ranked by BM25, on either SQL engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.store.sql.database import SqlScalar, SqlStatement

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
    @property
    def needs_terms(self) -> bool:
        """Whether a document can be removed only by its terms, so that it must be decrypted."""
        ...

    @property
    def unindexed_query(self) -> str:
        """SQL for rows of (id, name, owner, added, head, body) after the id `row` that have no terms, at most `limit`."""
        ...

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
