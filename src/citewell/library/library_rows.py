"""SQL, encryption and hashed terms of document rows, and the rebuild of their index."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby, islice

from citewell.library.fulltext_index import DocumentTerms, PreparedDocument, TermIndex, TermQuery
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack, DecryptionFailed
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement
from citewell.text.language import word_forms as tokeniser
from citewell.text.language.word_forms import QueryTerms

logger = logging.getLogger(__name__)
_MAX_GROUP_DOCUMENTS = 128  # in one batch; their texts are all in memory

# The place is the id of the last row that was indexed, or this before the first one.
_BEGUN_PLACE = 0.5
_MOVE_PLACE = "UPDATE chore SET since = :next WHERE name = 'reindex' AND since = :place"
_END_CHORE = "DELETE FROM chore WHERE name = 'reindex' AND since = :place"
# Deleting the totals first makes writers wait, because they begin with them.
_DELETE_TOTALS = "DELETE FROM library"
_INSERT_TOTALS = """
INSERT INTO library (owner, documents, length)
SELECT owner, COUNT(*), SUM(length) FROM document GROUP BY owner
"""

DOCUMENTS = OwnedTable(name="document", counted_as="library_documents", is_compressed=True)
_MAX_DOCUMENT_TERMS = 200_000  # per document; text after them is stored but not indexed
_MAX_REMEMBERED_WORDS = 50_000

SELECT_KNOWN_DOCUMENTS = (
    "SELECT id, name, stamp, length FROM document WHERE name IN ({values}) ORDER BY id"
)
SELECT_OWNER_DOCUMENTS = """
SELECT id, name, stamp, length FROM document WHERE owner = :owner ORDER BY id LIMIT :limit
"""
SELECT_NAMED_CARDS = "SELECT id, name, added, head FROM document WHERE name IN ({values})"
SELECT_WHOLE_DOCUMENTS = "SELECT id, name, added, head, body FROM document WHERE id IN ({values})"
SELECT_DOCUMENT = "SELECT id, name, added, head, body FROM document WHERE name = :name"
SELECT_CARDS = """
SELECT id, name, added, head FROM document
WHERE owner = :owner AND id > :row ORDER BY id LIMIT :limit
"""
SELECT_DOCUMENT_COUNT = "SELECT documents FROM library WHERE owner = :owner"
UPSERT_LIBRARY_TOTALS = """
INSERT INTO library (owner, documents, length) VALUES (:owner, :documents, :length)
ON CONFLICT (owner) DO UPDATE SET
    documents = library.documents + excluded.documents, length = library.length + excluded.length
"""
SELECT_REINDEX_CHORE = "SELECT since FROM chore WHERE name = 'reindex'"
REQUEST_REINDEX = """
INSERT INTO chore (name, since) VALUES ('reindex', 0.0)
ON CONFLICT (name) DO UPDATE SET since = excluded.since
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCard:
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
    # Set by the store.
    added: float = 0.0
    characters: int = 0
    row: int = 0


_STORED_CARD_FIELDS = tuple(
    name.name for name in fields(DocumentCard) if name.name not in {"added", "row"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryDocument:
    card: DocumentCard
    text: str


class DocumentPreparer:
    """Turns documents of one owner into rows; caches the hashes of words."""

    def __init__(self, chain: OwnerKeychain) -> None:
        self.chain = chain
        self._tokens: dict[str, dict[str, str]] = {}

    def prepare_document(self, document: LibraryDocument, now: float) -> PreparedDocument:
        chain = self.chain
        terms = self.collect_terms(document)
        named = hash_document_name(chain, document.card.id)
        card = replace(document.card, characters=len(document.text))
        text = document.text.encode("utf-8", "surrogatepass")
        row: dict[str, SqlScalar] = {
            "name": named,
            "owner": chain.tag,
            "stamp": hash_document_content(chain, document),
            "published": card.published,
            "added": now,
            "length": terms.length,
            "head": DOCUMENTS.encrypt_body(chain, f"{named}/head", _encode_card(card)),
            "body": DOCUMENTS.encrypt_body(chain, f"{named}/body", text),
        }
        return PreparedDocument(row=row, terms=terms)

    def collect_terms(self, document: LibraryDocument) -> DocumentTerms:
        card = document.card
        code = tokeniser.choose_stem_language(card.language)
        singles = (
            *tokeniser.list_unspaced_characters(card.title),
            *tokeniser.list_unspaced_characters(document.text),
        )
        return DocumentTerms(
            title=self._hash_words(tokeniser.split_words(card.title), code),
            body=self._hash_words(tokeniser.split_words(document.text), code),
            single_characters=self._hash_words(singles, ""),
            facets=tuple(hash_facet(self.chain, *facet) for facet in collect_card_facets(card)),
        )

    def _hash_words(self, found: Iterable[str], code: str) -> tuple[str, ...]:
        known = self._tokens.setdefault(code, {})
        if len(known) > _MAX_REMEMBERED_WORDS:
            known.clear()
        return tuple(
            [
                known.get(word) or self._hash_new_word(known, word, code)
                for word in islice(found, _MAX_DOCUMENT_TERMS)
            ]
        )

    def _hash_new_word(self, known: dict[str, str], word: str, code: str) -> str:
        token = known[word] = self.chain.hash_term(tokeniser.stem_index_word(word, code))
        return token


def hash_document_name(chain: OwnerKeychain, document_id: str) -> str:
    return chain.hash_row_name("document", document_id)


def hash_document_content(chain: OwnerKeychain, document: LibraryDocument) -> str:
    """A keyed hash of the document, which tells whether it has changed."""
    card = replace(document.card, characters=0)
    return chain.hash_row_name("stamp", _encode_card(card).decode(), document.text)


def collect_card_facets(card: DocumentCard) -> list[tuple[str, str]]:
    """Facets a document can be filtered by; a site also gives each of its parent domains."""
    labels = card.site.lower().strip(".").split(".") if card.site else []
    sites = [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))] if labels else []
    language = tokeniser.choose_stem_language(card.language)
    return [
        *(("site", site) for site in sites),
        *([("kind", card.kind.lower())] if card.kind else []),
        *(("tag", tag.lower()) for tag in card.tags),
        ("language", language),
        ("every", ""),
    ]


def build_term_query(
    chain: OwnerKeychain,
    want: QueryTerms,
    languages: Sequence[str],
    after: float | None,
    before: float | None,
) -> TermQuery:
    words = tuple(
        tuple(chain.hash_term(term) for term in tokeniser.list_term_variants(word, languages))
        for word in want.words
    )
    phrases = tuple(
        tuple(
            dict.fromkeys(
                tuple(
                    chain.hash_term(
                        tokeniser.stem_index_word(word, tokeniser.choose_stem_language(language))
                    )
                    for word in phrase
                )
                for language in languages
            )
        )
        for phrase in want.phrases
    )
    return TermQuery(
        words=words, phrases=phrases, facets=(), published_after=after, published_before=before
    )


def decrypt_card(chain: OwnerKeychain, row: SqlRow) -> DocumentCard:
    row_id, named, added, head = row
    plain = json.loads(DOCUMENTS.decrypt_body(chain, f"{named}/head", head))
    plain["tags"] = tuple(plain["tags"])
    return DocumentCard(**plain, added=added, row=row_id)


def decrypt_document(chain: OwnerKeychain, row: SqlRow) -> LibraryDocument:
    row_id, named, added, head, body = row
    text = DOCUMENTS.decrypt_body(chain, f"{named}/body", body).decode("utf-8", "surrogatepass")
    return LibraryDocument(card=decrypt_card(chain, (row_id, named, added, head)), text=text)


def build_in_query(sql: str, values: Sequence[SqlScalar]) -> tuple[str, dict[str, SqlScalar]]:
    """The query with one parameter for each value in place of `{values}`."""
    names = [f"v{place}" for place in range(len(values))]
    return sql.format(values=", ".join(f":{name}" for name in names)), dict(
        zip(names, values, strict=True)
    )


def hash_facet(chain: OwnerKeychain, kind: str, value: str) -> str:
    return chain.hash_term(f"\x00{kind}\x00{value}")


def _encode_card(card: DocumentCard) -> bytes:
    kept = {name: getattr(card, name) for name in _STORED_CARD_FIELDS}
    return json.dumps(kept, ensure_ascii=True, sort_keys=True).encode()


# Builds the full-text index of all libraries anew from the stored documents.


class IndexRebuild:
    """A rebuild in parts, each committed with its place, so that any process can go on with it.

    Documents that are stored or removed meanwhile are indexed by their own writers.
    """

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        index: TermIndex,
        *,
        group_documents: int = _MAX_GROUP_DOCUMENTS,
    ) -> None:
        self._database = database
        self._vault = vault
        self._index = index
        self._group_documents = group_documents
        self._preparer: DocumentPreparer | None = None

    async def restart_rebuild(self) -> int:
        """Index every stored document anew, and return the number of those indexed here."""
        await self._database.execute_batch([SqlStatement(sql=REQUEST_REINDEX)])
        return await self.complete_rebuild()

    async def complete_rebuild(self) -> int:
        """Go on with a rebuild that was requested or interrupted, if there is one."""
        done = 0
        while found := await self._database.select_rows(SELECT_REINDEX_CHORE):
            try:
                done += await self._rebuild_next_part(float(found[0][0]))
            except BatchRolledBack:
                continue  # another process has done this part
        return done

    async def _rebuild_next_part(self, place: float) -> int:
        if place < _BEGUN_PLACE:
            totals = [SqlStatement(sql=sql) for sql in (_DELETE_TOTALS, _INSERT_TOTALS)]
            await self._move_place(place, _BEGUN_PLACE, [*totals, *self._index.build_index_reset()])
            return 0
        found = await self._database.select_rows(
            self._index.unindexed_query, {"row": int(place), "limit": self._group_documents}
        )
        if not found:
            ended = SqlStatement(sql=_END_CHORE, params={"place": place}, expected_rows=1)
            await self._database.execute_batch([ended])
            return 0
        documents = [
            document
            for owner, stored in groupby(found, key=lambda row: row[2])
            for document in await self._collect_text_terms(owner, list(stored))
        ]
        await self._move_place(
            place, float(found[-1][0]), self._index.build_term_inserts(documents)
        )
        return len(documents)

    async def _move_place(
        self, place: float, following: float, batch: Sequence[SqlStatement]
    ) -> None:
        moved = SqlStatement(
            sql=_MOVE_PLACE, params={"place": place, "next": following}, expected_rows=1
        )
        await self._database.execute_batch([moved, *batch])

    async def _collect_text_terms(
        self, owner: str, stored: Sequence[SqlRow]
    ) -> list[tuple[int, DocumentTerms]]:
        chain = await self._vault.load_tagged_keychain(owner)
        if chain is None:
            return []  # the owner was erased
        return await asyncio.to_thread(
            _collect_rebuilt_terms, self._reuse_text_preparer(chain), stored
        )

    def _reuse_text_preparer(self, chain: OwnerKeychain) -> DocumentPreparer:
        if self._preparer is None or self._preparer.chain.fingerprint != chain.fingerprint:
            self._preparer = DocumentPreparer(chain)
        self._preparer.chain = chain
        return self._preparer


def _collect_rebuilt_terms(
    preparer: DocumentPreparer, stored: Sequence[SqlRow]
) -> list[tuple[int, DocumentTerms]]:
    found = []
    for row_id, name, _, *rest in stored:
        try:
            document = decrypt_document(preparer.chain, (row_id, name, *rest))
        except DecryptionFailed as error:
            logger.warning("Document %d of the library is not indexed. %s", row_id, error.message)
        else:
            found.append((row_id, preparer.collect_terms(document)))
    return found
