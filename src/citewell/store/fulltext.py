"""The index of the library on either engine: blind terms in, ranked rows out, by BM25 on both.

FTS5 ranks by itself. PostgreSQL's own ranking knows no document frequencies and loses a third of
the quality, so there it only preselects, and BM25 is computed over what it selected.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.store.sql import Dialect, Scalar, Statement

TITLE, BODY, SINGLE = 3.0, 1.0, 0.5  # what an occurrence weighs, by where it is
_K1, _B = 1.2, 0.75  # as FTS5 has them
_POOL = 200  # rows that PostgreSQL preselects
_POSITIONS = 64  # of one term in one document; BM25 has long been saturated by then
_LAST_POSITION = 16_383  # PostgreSQL's limits
_VECTOR_BYTES = 1_000_000

_WHOLE = "document.id, document.name, document.added, document.head, document.body"
_COLUMNS = "name, owner, stamp, published, added, length, head, body"
_VALUES = ":name, :owner, :stamp, :published, :added, :length, :head, :body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A document as keyed hashes, in order."""

    title: tuple[str, ...]
    body: tuple[str, ...]
    single: tuple[str, ...]
    facet: tuple[str, ...]

    @property
    def length(self) -> int:
        return len(self.title) + len(self.body) + len(self.single) + len(self.facet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a query wants: each inner tuple is a phrase, each tuple of phrases are alternatives."""

    words: tuple[tuple[str, ...], ...]
    phrases: tuple[tuple[tuple[str, ...], ...], ...]
    facets: tuple[str, ...]
    after: float | None = None
    before: float | None = None


class Index(Protocol):
    def insert(self, row: dict[str, Scalar], terms: Terms) -> list[Statement]:
        """Add a document's row together with its terms."""
        ...

    def remove(self, row_id: int, terms: Terms) -> list[Statement]:
        """Take the terms of a row out; the row itself goes by another statement."""
        ...

    def tally(self, added: Sequence[Terms], removed: Sequence[Terms]) -> list[Statement]:
        """Keep count of how many documents hold a term, where the engine does not."""
        ...

    def clear(self, owner: str) -> list[Statement]:
        """Forget counts that nothing needs once the owner has no document."""
        ...

    def query(self, wanted: Wanted, *, owner: str) -> tuple[str, dict[str, Scalar]]:
        """Rows of (score, id, name, added, head, body), the best first.

        It takes `limit` and `offset` besides.
        """
        ...


def index_for(dialect: Dialect) -> Index:
    return SqliteIndex() if dialect.name == "sqlite" else PostgresIndex()


class SqliteIndex:
    def insert(self, row: dict[str, Scalar], terms: Terms) -> list[Statement]:
        document = f"INSERT INTO document ({_COLUMNS}) VALUES ({_VALUES})"  # noqa: S608 - constants
        indexed = (
            "INSERT INTO term (rowid, title, body, single, facet) "
            "SELECT id, :title, :text, :single, :facet FROM document WHERE name = :name"
        )
        words = {"name": row["name"], **columns(terms)}
        return [
            Statement(sql=document, params=row, expect=1),
            Statement(sql=indexed, params=words),
        ]

    def remove(self, row_id: int, terms: Terms) -> list[Statement]:
        # Such an index forgets only what it is told word for word.
        sql = (
            "INSERT INTO term (term, rowid, title, body, single, facet) "
            "VALUES ('delete', :id, :title, :text, :single, :facet)"
        )
        return [Statement(sql=sql, params={"id": row_id, **columns(terms)})]

    def tally(self, added: Sequence[Terms], removed: Sequence[Terms]) -> list[Statement]:  # noqa: ARG002 - FTS5 counts
        return []

    def clear(self, owner: str) -> list[Statement]:  # noqa: ARG002 - FTS5 counts
        return []

    def query(self, wanted: Wanted, *, owner: str) -> tuple[str, dict[str, Scalar]]:
        weights = f"{TITLE}, {BODY}, {SINGLE}, 0.0"
        params: dict[str, Scalar] = {"match": _match(wanted), "owner": owner}
        if wanted.after is None and wanted.before is None:
            # Sorted inside the engine; the rows themselves are looked at afterwards only.
            ranked = (
                "SELECT rowid AS id, rank AS score FROM term "  # noqa: S608 - constants
                f"WHERE term MATCH :match AND rank MATCH 'bm25({weights})' "
                "ORDER BY rank LIMIT :limit + 16 OFFSET :offset"
            )
        else:
            ranked = (
                f"SELECT dated.id, bm25(term, {weights}) AS score "  # noqa: S608 - constants
                "FROM term JOIN document AS dated ON dated.id = term.rowid "
                f"WHERE term MATCH :match {_dated(wanted, params)} "
                "ORDER BY score, dated.id LIMIT :limit + 16 OFFSET :offset"
            )
        sql = (
            f"SELECT -ranked.score, {_WHOLE} FROM ({ranked}) AS ranked "  # noqa: S608 - constants
            "JOIN document ON document.id = ranked.id AND document.owner = :owner "
            "ORDER BY ranked.score, ranked.id LIMIT :limit"
        )
        return sql, params


class PostgresIndex:
    """Which rows match is told by their tsvector, how often by a map: unnesting vectors is slow."""

    def insert(self, row: dict[str, Scalar], terms: Terms) -> list[Statement]:
        sql = (
            f"INSERT INTO document ({_COLUMNS}, terms, counts) "  # noqa: S608 - constants
            f"VALUES ({_VALUES}, CAST(CAST(:terms AS TEXT) AS tsvector), "
            "CAST(CAST(:counts AS TEXT) AS jsonb))"
        )
        params = row | {"terms": vector(terms), "counts": counts(terms)}
        return [Statement(sql=sql, params=params, expect=1)]

    def remove(self, row_id: int, terms: Terms) -> list[Statement]:  # noqa: ARG002 - they are in the row
        return []

    def tally(self, added: Sequence[Terms], removed: Sequence[Terms]) -> list[Statement]:
        changes: Counter[str] = Counter()
        for terms in added:
            changes.update(_distinct(terms))
        for terms in removed:
            changes.subtract(_distinct(terms))
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
        params: dict[str, Scalar] = {
            "tokens": " ".join(token for token, _ in changed),
            "changes": " ".join(str(count) for _, count in changed),
        }
        return [Statement(sql=sql, params=params)]

    def clear(self, owner: str) -> list[Statement]:  # noqa: ARG002 - a token tells no owner
        return [Statement(sql="DELETE FROM term_count WHERE documents <= 0")]

    def query(self, wanted: Wanted, *, owner: str) -> tuple[str, dict[str, Scalar]]:
        params: dict[str, Scalar] = {
            "query": _tsquery(wanted),
            "owner": owner,
            "tokens": " ".join(sorted(_asked(wanted))),
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
            {_dated(wanted, params)}
            ORDER BY ts_rank(
                '{{0.33, 0.17, 0, 1.0}}', terms, CAST(CAST(:query AS TEXT) AS tsquery)
            ) DESC, id
            LIMIT CAST(:offset AS BIGINT) + CAST(:limit AS BIGINT) + {_POOL}
        ), found AS (
            SELECT hits.id, length, idf,
                CAST(counts ->> token AS DOUBLE PRECISION) AS tf
            FROM hits LEFT JOIN asked ON true
        ), ranked AS (
            SELECT id, COALESCE(SUM(
                idf * tf * ({_K1} + 1) / (tf + {_K1} * (1 - {_B} + {_B} * length / average))
            ), 0) AS score
            FROM found, total
            GROUP BY id ORDER BY score DESC, id LIMIT :limit OFFSET :offset
        )
        SELECT score, {_WHOLE} FROM ranked JOIN document ON document.id = ranked.id
        ORDER BY score DESC, ranked.id
        """  # noqa: S608 - constants
        return sql, params


def columns(terms: Terms) -> dict[str, Scalar]:
    return {
        "title": " ".join(terms.title),
        "text": " ".join(terms.body),
        "single": " ".join(terms.single),
        "facet": " ".join(terms.facet),
    }


def _dated(wanted: Wanted, params: dict[str, Scalar]) -> str:
    parts = ""
    for name, sign, edge in (("after", ">=", wanted.after), ("before", "<", wanted.before)):
        if edge is not None:
            params[name] = float(edge)
            parts += f" AND dated.published {sign} :{name}"
    return parts


def _match(wanted: Wanted) -> str:
    """FTS5's query language; tokens are letters and digits, so nothing needs escaping."""
    loose = [f'"{token}"' for word in wanted.words for token in word]
    firm = [
        " OR ".join(f'"{" ".join(phrase)}"' for phrase in alternatives)
        for alternatives in wanted.phrases
    ]
    parts = [f"({one})" for one in firm]
    if loose:
        # Beside a phrase, single words need not occur, but they count.
        parts.append(f"({' OR '.join([*firm, *loose])})")
    parts += [f'facet : "{token}"' for token in wanted.facets]
    return " AND ".join(parts)


def _tsquery(wanted: Wanted) -> str:
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


def _asked(wanted: Wanted) -> frozenset[str]:
    return frozenset(
        [token for word in wanted.words for token in word]
        + [token for one in wanted.phrases for phrase in one for token in phrase]
    )


def _distinct(terms: Terms) -> frozenset[str]:
    return frozenset((*terms.title, *terms.body, *terms.single))


def counts(terms: Terms) -> str:
    """How much a term weighs in a document, as a JSON object."""
    weights: dict[str, float] = {}
    parts = ((TITLE, terms.title), (BODY, terms.body), (SINGLE, terms.single))
    for weight, tokens in parts:
        for token, times in Counter(tokens).items():
            weights[token] = weights.get(token, 0.0) + weight * times
    return json.dumps(weights, separators=(",", ":"))


def vector(terms: Terms) -> str:
    """The text form of a tsvector: title A, facets B, single characters C, the rest D."""
    places: dict[str, list[str]] = {}
    at, size = 0, 0
    parts: Iterable[tuple[str, tuple[str, ...]]] = (
        ("B", terms.facet), ("A", terms.title), ("", terms.body), ("C", terms.single),
    )  # fmt: skip
    for label, tokens in parts:
        at += 1  # so that no phrase reaches from one part into the next
        for token in tokens:
            at = min(at + 1, _LAST_POSITION)
            known = places.setdefault(token, [])
            if len(known) < _POSITIONS and size < _VECTOR_BYTES:
                size += 2 if known else 2 + 16
                known.append(f"{at}{label}")
    return " ".join(f"{token}:{','.join(known)}" for token, known in places.items() if known)
