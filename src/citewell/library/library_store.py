"""The library: the owner's own documents, stored encrypted and searchable by their words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from citewell.core.errors import NotFound
from citewell.evidence.signs.nearest_sentences import extract_query_excerpt
from citewell.library import fulltext_index
from citewell.library import library_rows as rows
from citewell.library.library_rows import (
    DocumentCard,
    DocumentPreparer,
    IndexRebuild,
    LibraryDocument,
)
from citewell.library.postgres_index import PostgresTermIndex
from citewell.store.cache.tiered_cache import RecentValues
from citewell.store.encryption import OwnerKeychain, run_off_loop_if_large
from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement
from citewell.text.language.word_forms import STEMMER_LANGUAGES, parse_query_terms

T = TypeVar("T")

_MAX_GROUP_DOCUMENTS = 512  # documents written in one batch
_MAX_GROUP_CHARS = 2_000_000
_MAX_WRITE_ATTEMPTS = 20
_MAX_MATCHES = 100  # per search
_MAX_OPENING_CHARS = 600
_LANGUAGES_TTL_SECONDS = 30.0  # until the languages of a library are looked up again


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryFilters:
    """Conditions on a document; `site` includes its subdomains. Dates are seconds since the epoch."""

    site: str | None = None
    kind: str | None = None
    tag: str | None = None
    language: str | None = None
    published_after: float | None = None
    published_before: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryMatch:
    card: DocumentCard
    score: float
    snippet: str
    opening: str = ""  # the first characters of the document


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryWriteCounts:
    added: int = 0
    replaced: int = 0
    unchanged: int = 0


class SqlLibraryStore(OwnerStore):
    """Every call names an owner, and no owner can find or read another owner's documents."""

    tables = (rows.DOCUMENTS, OwnedTable(name="library"))

    def __init__(
        self, database: SqlDatabase, vault: KeyVault, *, clock: Callable[[], float]
    ) -> None:
        super().__init__(database, vault, clock=clock)
        self._index: fulltext_index.TermIndex = (
            fulltext_index.SqliteTermIndex()
            if database.dialect.name == "sqlite"
            else PostgresTermIndex()
        )
        self._rebuild = IndexRebuild(database, vault, self._index)
        self._preparers: RecentValues[str, DocumentPreparer] = RecentValues(16)
        self._languages: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def store_documents(
        self, owner: str, documents: Iterable[LibraryDocument]
    ) -> LibraryWriteCounts:
        """Store and index documents, replacing those of the same id; unchanged ones are skipped."""
        added = replaced = unchanged = 0
        for group in _split_into_groups(documents):
            written = await self._retry_on_conflict(partial(self._store_group, owner, group))
            added += written.added
            replaced += written.replaced
            unchanged += written.unchanged
        self._languages.pop(owner, None)
        return LibraryWriteCounts(added=added, replaced=replaced, unchanged=unchanged)

    async def load_document(self, owner: str, document_id: str) -> LibraryDocument:
        """Raises NotFound if the owner has no such document."""
        chain = await self._vault.find_keychain(owner)
        name = rows.hash_document_name(chain, document_id) if chain else ""
        found = (
            await self._database.select_rows(rows.SELECT_DOCUMENT, {"name": name}) if chain else []
        )
        chain = (
            await self._vault.find_covering_keychain(owner, [found[0][-1], found[0][-2]])
            if found
            else None
        )
        if chain is None:
            raise NotFound("No document of the library has this id.")
        return rows.decrypt_document(chain, found[0])

    async def delete_documents(self, owner: str, document_ids: Iterable[str]) -> int:
        """Remove documents, and return how many of them existed."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return 0
        gone = 0
        names = [
            rows.hash_document_name(chain, document_id)
            for document_id in dict.fromkeys(document_ids)
        ]
        for start in range(0, len(names), _MAX_GROUP_DOCUMENTS):
            group = names[start : start + _MAX_GROUP_DOCUMENTS]
            gone += await self._retry_on_conflict(partial(self._remove_group, owner, group))
        self._languages.pop(owner, None)
        return gone

    async def list_cards(
        self, owner: str, *, limit: int = 100, after: DocumentCard | None = None
    ) -> tuple[DocumentCard, ...]:
        """Documents without their text, oldest first; for the next page pass the last card as `after`."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "limit": limit,
            "row": after.row if after else 0,
        }
        found = await self._database.select_rows(rows.SELECT_CARDS, params)
        return await self._decrypt_cards(owner, found)

    async def find_cards(self, owner: str, document_ids: Iterable[str]) -> tuple[DocumentCard, ...]:
        """Those of the documents that the owner has, without their text, in any order."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        names = [
            rows.hash_document_name(chain, document_id)
            for document_id in dict.fromkeys(document_ids)
        ]
        cards: list[DocumentCard] = []
        for start in range(0, len(names), _MAX_GROUP_DOCUMENTS):
            sql, params = rows.build_in_query(
                rows.SELECT_NAMED_CARDS, names[start : start + _MAX_GROUP_DOCUMENTS]
            )
            found = await self._database.select_rows(sql, params)
            cards += await self._decrypt_cards(owner, found)
        return tuple(cards)

    async def search_library(
        self,
        owner: str,
        query: str,
        *,
        filters: LibraryFilters | None = None,
        language: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> tuple[LibraryMatch, ...]:
        """Best matches first; quoted phrases must occur, but not every other word must."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        chosen = filters or LibraryFilters()
        want = parse_query_terms(query, language=language)
        languages = await self._choose_query_languages(owner, chain, language)
        wanted = rows.build_term_query(
            chain, want, languages, chosen.published_after, chosen.published_before
        )
        facets = (rows.hash_facet(chain, *facet) for facet in _collect_filter_facets(chosen))
        wanted = replace(wanted, facets=tuple(facets))
        if not (wanted.words or wanted.phrases or wanted.facets):
            return ()
        ranked = await self._select_ranked_rows(
            wanted, chain.tag, limit=max(1, min(limit, _MAX_MATCHES)), offset=max(0, offset)
        )
        seek = frozenset((*want.words, *(word for phrase in want.phrases for word in phrase)))
        return await self._decrypt_matches(owner, ranked, seek)

    async def count_stored_documents(self, owner: str) -> int:
        tag = await self._vault.hash_owner_tag(owner)
        found = await self._database.select_rows(rows.SELECT_DOCUMENT_COUNT, {"owner": tag})
        return int(found[0][0]) if found else 0

    async def clear_library(self, owner: str) -> int:
        """Remove all documents of the owner, and return their number."""
        gone = await self._clear_at_once(owner)
        chain = await self._vault.find_keychain(owner)
        while chain is not None and (
            count := await self._retry_on_conflict(partial(self._remove_oldest, owner, chain))
        ):
            gone += count
        self._languages.pop(owner, None)
        return gone

    async def clear_for_erasure(self, owner: str) -> None:
        """Take the owner's documents out of the index and remove them, if they can be decrypted."""
        try:
            await self.clear_library(owner)
        except DecryptionFailed:
            # Their terms cannot be taken out of the index one by one, so it is built anew before the next search.
            await self._change_rows(rows.REQUEST_REINDEX)

    def forget_owner(self, owner: str) -> None:
        self._languages.pop(owner, None)
        self._preparers.drop_value(owner)

    async def rebuild_index(self) -> int:
        """Rebuild the full-text index from the stored documents, and return their number."""
        return await self._rebuild.restart_rebuild()

    async def _store_group(
        self, owner: str, group: Sequence[LibraryDocument]
    ) -> LibraryWriteCounts:
        chain = await self._vault.ensure_keychain(owner)
        preparer = self._reuse_preparer(chain)
        latest = {rows.hash_document_name(chain, document.card.id): document for document in group}
        known = await self._load_known_rows(list(latest))
        kept = {
            name: document
            for name, document in latest.items()
            if name not in known or known[name][2] != rows.hash_document_content(chain, document)
        }
        now = self._clock()
        fresh = await asyncio.to_thread(
            lambda: [preparer.prepare_document(document, now) for document in kept.values()]
        )
        stale = [known[name] for name in kept if name in known]
        removed = await self._prepare_removal(owner, stale)
        if kept:
            await self._write_documents(chain, fresh, removed)
        return LibraryWriteCounts(
            added=len(kept) - len(stale), replaced=len(stale), unchanged=len(group) - len(kept)
        )

    async def _remove_group(self, owner: str, names: list[str]) -> int:
        chain = await self._vault.find_keychain(owner)
        known = await self._load_known_rows(names)
        if not known or chain is None:
            return 0
        return await self._remove_rows(owner, chain, list(known.values()))

    async def _remove_oldest(self, owner: str, chain: OwnerKeychain) -> int:
        found = await self._database.select_rows(
            rows.SELECT_OWNER_DOCUMENTS, {"owner": chain.tag, "limit": _MAX_GROUP_DOCUMENTS}
        )
        return await self._remove_rows(owner, chain, found) if found else 0

    async def _remove_rows(self, owner: str, chain: OwnerKeychain, found: Sequence[SqlRow]) -> int:
        removed = await self._prepare_removal(owner, found)
        await self._write_documents(chain, [], removed)
        return len(removed)

    async def _clear_at_once(self, owner: str) -> int:
        """Remove the documents without decrypting them, if the engine can; return their number."""
        count = await self.count_stored_documents(owner)
        shortcut = self._index.build_clearing_shortcut(await self._vault.hash_owner_tag(owner))
        if not count or not shortcut:
            return 0
        try:
            _, deleted, *_ = await self._database.execute_batch(shortcut)
        except BatchRolledBack:
            return 0  # other owners have documents
        return deleted.changed_rows

    async def _write_documents(
        self,
        chain: OwnerKeychain,
        fresh: Sequence[fulltext_index.PreparedDocument],
        removed: Sequence[fulltext_index.RemovedDocument],
    ) -> None:
        """In one batch; the owner's totals come first, so that concurrent writers wait for each other there."""
        total: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "documents": len(fresh) - len(removed),
            "length": sum(row.terms.length for row in fresh) - sum(row.length for row in removed),
        }
        await self._database.execute_batch(
            [
                self._vault.build_owner_guard(chain),
                SqlStatement(sql=rows.UPSERT_LIBRARY_TOTALS, params=total),
                *self._index.build_document_removal(removed),
                *self._index.build_document_inserts(fresh),
            ]
        )

    async def _load_known_rows(self, names: Sequence[str]) -> dict[str, SqlRow]:
        """Rows of SELECT_KNOWN_DOCUMENTS, by document name."""
        sql, params = rows.build_in_query(rows.SELECT_KNOWN_DOCUMENTS, names)
        found = await self._database.select_rows(sql, params)
        return {row[1]: row for row in found}

    async def _prepare_removal(
        self, owner: str, stale: Sequence[SqlRow]
    ) -> list[fulltext_index.RemovedDocument]:
        terms = await self._collect_stored_terms(owner, stale) if self._index.needs_terms else {}
        return [
            fulltext_index.RemovedDocument(
                row_id=row_id, stamp=stamp, length=length, terms=terms.get(row_id)
            )
            for row_id, _, stamp, length in stale
        ]

    async def _collect_stored_terms(
        self, owner: str, stale: Sequence[SqlRow]
    ) -> dict[int, fulltext_index.DocumentTerms]:
        """The terms of stored documents by row id; documents that changed meanwhile roll back later."""
        if not stale:
            return {}
        sql, params = rows.build_in_query(rows.SELECT_WHOLE_DOCUMENTS, [row[0] for row in stale])
        stored = await self._database.select_rows(sql, params)
        bodies = [body for row in stored for body in row[-2:]]
        chain = await self._vault.find_covering_keychain(owner, bodies)
        if chain is None:
            raise BatchRolledBack("The owner's keys are gone.")
        preparer = self._reuse_preparer(chain)

        def collect() -> dict[int, fulltext_index.DocumentTerms]:
            return {
                row[0]: preparer.collect_terms(rows.decrypt_document(chain, row)) for row in stored
            }

        return await asyncio.to_thread(collect)

    async def _select_ranked_rows(
        self, wanted: fulltext_index.TermQuery, tag: str, *, limit: int, offset: int
    ) -> list[SqlRow]:
        asked = self._index.build_count_query(wanted, owner=tag)
        counted = await self._database.select_rows(*asked) if asked else []
        counts = {token: int(documents) for token, documents in counted}
        ranked: list[SqlRow] = []
        for query in self._index.build_index_queries(wanted, owner=tag, counts=counts):
            ranked = await self._database.select_rows(
                query.sql, query.params | {"limit": limit, "offset": offset}
            )
            if len(ranked) >= limit:
                break
        return ranked

    async def _decrypt_cards(self, owner: str, found: Sequence[SqlRow]) -> tuple[DocumentCard, ...]:
        chain = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(rows.decrypt_card(chain, row) for row in found) if chain is not None else ()

    async def _decrypt_matches(
        self, owner: str, ranked: Sequence[SqlRow], seek: Collection[str]
    ) -> tuple[LibraryMatch, ...]:
        bodies = [body for row in ranked for body in row[-2:]]
        chain = await self._vault.find_covering_keychain(owner, bodies)
        if chain is None:
            return ()
        return await run_off_loop_if_large(
            sum(map(len, bodies)),
            lambda: tuple(_decrypt_match(chain, row, score, seek) for score, *row in ranked),
        )

    async def _choose_query_languages(
        self, owner: str, chain: OwnerKeychain, language: str | None
    ) -> tuple[str, ...]:
        """Languages to stem the query in: the given one, or all that occur in the library."""
        if language:
            return (language,)
        held = self._languages.get(owner)
        if held is not None and self._clock() < held[0]:
            return held[1]
        await self._rebuild.complete_rebuild()
        facets = {rows.hash_facet(chain, "language", code): code for code in STEMMER_LANGUAGES}
        found = await self._database.select_rows(*self._index.build_facet_query(list(facets)))
        present = {token for (token,) in found}
        spoken = tuple(code for token, code in facets.items() if token in present) or ("en",)
        self._languages[owner] = (self._clock() + _LANGUAGES_TTL_SECONDS, spoken)
        return spoken

    async def _retry_on_conflict(self, work: Callable[[], Awaitable[T]]) -> T:
        for _ in range(_MAX_WRITE_ATTEMPTS):
            try:
                return await work()
            except BatchRolledBack:
                continue  # another process changed the same documents
        raise WriteContended("Other writers kept changing the library. Try again.")

    def _reuse_preparer(self, chain: OwnerKeychain) -> DocumentPreparer:
        kept = self._preparers.find_recent_value(chain.owner)
        if kept is None or kept.chain is not chain:
            kept = DocumentPreparer(chain)
            self._preparers.add_recent_value(chain.owner, kept, 1)
        return kept


def _split_into_groups(documents: Iterable[LibraryDocument]) -> Iterator[list[LibraryDocument]]:
    group: list[LibraryDocument] = []
    size = 0
    for document in documents:
        group.append(document)
        size += len(document.text)
        if len(group) >= _MAX_GROUP_DOCUMENTS or size >= _MAX_GROUP_CHARS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _collect_filter_facets(filters: LibraryFilters) -> list[tuple[str, str]]:
    named = (
        ("site", filters.site),
        ("kind", filters.kind),
        ("tag", filters.tag),
        ("language", filters.language and filters.language[:2]),
    )
    chosen = [(name, value.lower()) for name, value in named if value]
    dated = filters.published_after is not None or filters.published_before is not None
    return chosen or ([("every", "")] if dated else [])


def _decrypt_match(
    chain: OwnerKeychain, row: Sequence[Any], score: float, seek: Collection[str]
) -> LibraryMatch:
    document = rows.decrypt_document(chain, tuple(row))
    snippet = extract_query_excerpt(document.text, seek)
    opening = document.text[:_MAX_OPENING_CHARS]
    return LibraryMatch(card=document.card, score=score, snippet=snippet, opening=opening)
