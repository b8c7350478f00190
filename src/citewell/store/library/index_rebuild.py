"""Builds the full-text index of all libraries anew from the stored documents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from itertools import groupby

from citewell.store.failures import BatchRolledBack, DecryptionFailed
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.library import library_rows as rows
from citewell.store.library.fulltext_index import DocumentTerms, TermIndex
from citewell.store.library.library_rows import DocumentPreparer
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlStatement

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
        await self._database.execute_batch([SqlStatement(sql=rows.REQUEST_REINDEX)])
        return await self.complete_rebuild()

    async def complete_rebuild(self) -> int:
        """Go on with a rebuild that was requested or interrupted, if there is one."""
        done = 0
        while found := await self._database.select_rows(rows.SELECT_REINDEX_CHORE):
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
            document = rows.decrypt_document(preparer.chain, (row_id, name, *rest))
        except DecryptionFailed as error:
            logger.warning("Document %d of the library is not indexed. %s", row_id, error.message)
        else:
            found.append((row_id, preparer.collect_terms(document)))
    return found
