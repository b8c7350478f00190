"""Documents as rows: what is sealed, which blind terms they get, and the statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice

from citewell.store.fulltext import Terms, Wanted, columns, counts, vector
from citewell.store.keychain import Keychain
from citewell.store.packing import pack, unpack
from citewell.store.sql import Dialect, Row, Scalar, Statement
from citewell.text import terms as tokeniser
from citewell.text.terms import Asked

_TABLE = "document"
_LONGEST = 200_000  # terms of one document; what follows is kept but not found
_WORDS_KEPT = 50_000

NOTHING = Wanted(words=(), phrases=(), facets=())

KNOWN = "SELECT id, name, stamp, added, head, body FROM document WHERE name IN ({values})"
GET = "SELECT id, name, added, head, body FROM document WHERE name = :name"
CARDS = """
SELECT id, name, added, head FROM document
WHERE owner = :owner AND id > :row ORDER BY id LIMIT :limit
"""
NEXT = """
SELECT id, name, owner, added, head, body FROM document WHERE id > :row ORDER BY id LIMIT :limit
"""
COUNT = "SELECT documents FROM library WHERE owner = :owner"
DELETE = "DELETE FROM document WHERE id = :id AND stamp = :stamp"
TOTAL = """
INSERT INTO library (owner, documents, length) VALUES (:owner, :documents, :length)
ON CONFLICT (owner) DO UPDATE SET
    documents = library.documents + excluded.documents, length = library.length + excluded.length
"""
CHORE = "SELECT 1 FROM chore WHERE name = 'reindex'"
CHORE_DONE = "DELETE FROM chore WHERE name = 'reindex'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A document without its text; `published` and `added` are seconds since the epoch."""

    id: str
    title: str = ""
    url: str = ""
    site: str = ""
    kind: str = ""  # pdf, html, markdown, …
    tags: tuple[str, ...] = ()
    language: str | None = None
    published: float | None = None
    extra: dict[str, str] = field(default_factory=dict)
    # Filled in by the store.
    added: float = 0.0
    characters: int = 0
    row: int = 0


_CARD = tuple(name.name for name in fields(Card) if name.name not in {"added", "row"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    card: Card
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    row_id: int
    row: dict[str, Scalar]
    terms: Terms


class Preparer:
    """Turns documents of one owner into rows; remembers what became of frequent words."""

    def __init__(self, chain: Keychain) -> None:
        self.chain = chain
        self._tokens: dict[str, dict[str, str]] = {}

    def row(self, document: Document, now: float) -> Prepared:
        chain = self.chain
        terms = self.terms(document)
        named = name(chain, document.card.id)
        card = replace(document.card, characters=len(document.text))
        text = document.text.encode("utf-8", "surrogatepass")
        row: dict[str, Scalar] = {
            "name": named,
            "owner": chain.tag,
            "stamp": stamp(chain, document),
            "published": card.published,
            "added": now,
            "length": terms.length,
            "head": chain.seal(_TABLE, f"{named}/head", pack(_wire(card))),
            "body": chain.seal(_TABLE, f"{named}/body", pack(text)),
        }
        return Prepared(row_id=0, row=row, terms=terms)

    def known(self, row: Row) -> Prepared:
        """What a row as KNOWN gives it was made of."""
        row_id, named, stamped, *rest = row
        document = open_document(self.chain, (row_id, named, *rest))
        return Prepared(row_id=row_id, row={"stamp": stamped}, terms=self.terms(document))

    def terms(self, document: Document) -> Terms:
        card = document.card
        code = tokeniser.code(card.language)
        singles = (*tokeniser.singles(card.title), *tokeniser.singles(document.text))
        return Terms(
            title=self._blind(tokeniser.sequence(card.title), code),
            body=self._blind(tokeniser.sequence(document.text), code),
            single=self._blind(singles, ""),
            facet=tuple(_facet(self.chain, *facet) for facet in facets(card)),
        )

    def _blind(self, found: Iterable[str], code: str) -> tuple[str, ...]:
        known = self._tokens.setdefault(code, {})
        if len(known) > _WORDS_KEPT:
            known.clear()
        return tuple(
            [known.get(word) or self._learn(known, word, code) for word in islice(found, _LONGEST)]
        )

    def _learn(self, known: dict[str, str], word: str, code: str) -> str:
        token = known[word] = self.chain.token(tokeniser.stem(word, code))
        return token


def name(chain: Keychain, document_id: str) -> str:
    return chain.name("document", document_id)


def stamp(chain: Keychain, document: Document) -> str:
    """Changes whenever the document does; says nothing about it without the key."""
    card = replace(document.card, characters=0)
    return chain.name("stamp", _wire(card).decode(), document.text)


def facets(card: Card) -> list[tuple[str, str]]:
    """What a document can be filtered by; a site counts for each domain above it."""
    labels = card.site.lower().strip(".").split(".") if card.site else []
    sites = [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))] if labels else []
    language = tokeniser.code(card.language)
    return [
        *(("site", site) for site in sites),
        *([("kind", card.kind.lower())] if card.kind else []),
        *(("tag", tag.lower()) for tag in card.tags),
        ("language", language),
        ("every", ""),
    ]


def wanted(
    chain: Keychain,
    want: Asked,
    languages: Sequence[str],
    after: float | None,
    before: float | None,
) -> Wanted:
    words = tuple(
        tuple(chain.token(term) for term in tokeniser.variants(word, languages))
        for word in want.words
    )
    phrases = tuple(
        tuple(
            dict.fromkeys(
                tuple(
                    chain.token(tokeniser.stem(word, tokeniser.code(language))) for word in phrase
                )
                for language in languages
            )
        )
        for phrase in want.phrases
    )
    return Wanted(words=words, phrases=phrases, facets=(), after=after, before=before)


def filtered(chain: Keychain, plain: Wanted, named: Iterable[tuple[str, str]]) -> Wanted:
    return replace(plain, facets=tuple(_facet(chain, *facet) for facet in named))


def open_card(chain: Keychain, row: Row) -> Card:
    row_id, named, added, head = row
    plain = json.loads(unpack(chain.open(_TABLE, f"{named}/head", head)))
    plain["tags"] = tuple(plain["tags"])
    return Card(**plain, added=added, row=row_id)


def open_document(chain: Keychain, row: Row) -> Document:
    row_id, named, added, head, body = row
    text = unpack(chain.open(_TABLE, f"{named}/body", body)).decode("utf-8", "surrogatepass")
    return Document(card=open_card(chain, (row_id, named, added, head)), text=text)


def among(sql: str, values: Sequence[Scalar]) -> tuple[str, dict[str, Scalar]]:
    """A query with one parameter for each value."""
    names = [f"v{place}" for place in range(len(values))]
    return sql.format(values=", ".join(f":{one}" for one in names)), dict(
        zip(names, values, strict=True)
    )


def emptied(dialect: Dialect) -> list[Statement]:
    """An index without entries, and a chore that says it must be filled."""
    chore = "INSERT INTO chore (name, since) VALUES ('reindex', 0.0) ON CONFLICT (name) DO NOTHING"
    totals = "DELETE FROM library"
    if dialect.name == "sqlite":
        index = ["INSERT INTO term (term) VALUES ('delete-all')"]
    else:
        index = ["DELETE FROM term_count", "UPDATE document SET terms = ''"]
    return [Statement(sql=sql) for sql in (chore, totals, *index)]


def indexed_anew(dialect: Dialect, row_id: int, terms: Terms) -> list[Statement]:
    params: dict[str, Scalar] = {"id": row_id}
    if dialect.name == "sqlite":
        sql = (
            "INSERT INTO term (rowid, title, body, single, facet) "
            "VALUES (:id, :title, :text, :single, :facet)"
        )
        return [Statement(sql=sql, params=params | columns(terms))]
    sql = (
        "UPDATE document SET terms = CAST(CAST(:terms AS TEXT) AS tsvector), "
        "counts = CAST(CAST(:counts AS TEXT) AS jsonb) WHERE id = :id"
    )
    return [Statement(sql=sql, params=params | {"terms": vector(terms), "counts": counts(terms)})]


def _facet(chain: Keychain, kind: str, value: str) -> str:
    return chain.token(f"\x00{kind}\x00{value}")


def _wire(card: Card) -> bytes:
    kept = {name: getattr(card, name) for name in _CARD}
    return json.dumps(kept, ensure_ascii=True, sort_keys=True).encode()
