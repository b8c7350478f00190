"""What the library promises when it is large: whole batches, bounded queries, removal that leaves nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.library.library_rows import DocumentCard, IndexRebuild, LibraryDocument
from citewell.library.library_store import LibraryFilters
from citewell.library.postgres_index import PostgresTermIndex, RowLimits
from citewell.server.state.state_store import StateStore
from citewell.store.failures import BatchRolledBack, StoreError
from citewell.store.sql.database import POSTGRES_DIALECT, SqlDatabase, SqlStatement
from citewell.store.sql.migrations import load_migrations
from tests.contract.states import Kept, kept

SMALL_LIMITS = RowLimits(exact=20, candidates=(10, 30))
_MIGRATION_NUMBER = 12  # the one that counts tiers


@pytest.fixture
def limited(tmp_path: Path) -> Kept:
    """A library on PostgreSQL."""
    return kept("postgres", tmp_path)


def document(name: str, text: str, **card: Any) -> LibraryDocument:
    return LibraryDocument(card=DocumentCard(id=name, **card), text=text)


def common_documents(count: int) -> list[LibraryDocument]:
    """Each has both frequent words, but never one beside the other."""
    return [
        document(f"common {number}", f"harbour of number {number} where the lantern is", kind="txt")
        for number in range(count)
    ]


def names(matches: Any) -> list[str]:
    return [match.card.id for match in matches]


def search_with_limits(store: Kept, documents: Any, query: str, **options: Any) -> list[str]:
    async def scenario(state: StateStore) -> Any:
        state.library._index = PostgresTermIndex(SMALL_LIMITS)
        await state.library.store_documents("someone", documents)
        return names(await state.library.search_library("someone", query, **options))

    return store.run(scenario)


async def list_counts(state: StateStore) -> dict[str, int]:
    return dict(
        await state.database.select_rows("SELECT token, documents FROM term_count ORDER BY token")
    )


@pytest.mark.parametrize("query", ["harbour", "harbour lantern", "lantern number"])
def test_of_frequent_words_the_densest_document_comes_first(limited: Kept, query: str) -> None:
    dense = document("dense", "harbour lantern number harbour lantern number", title=query)

    found = search_with_limits(limited, [*common_documents(100), dense], query)

    assert found[0] == "dense"
    assert len(found) == 10


def test_a_rare_word_beside_a_frequent_one_is_found(limited: Kept) -> None:
    rare = document("rare", "a cormorant in a long text about many other things " * 5)

    found = search_with_limits(limited, [*common_documents(100), rare], "harbour cormorant")

    assert found[0] == "rare"


def test_a_phrase_of_frequent_words_is_found_wherever_it_is(limited: Kept) -> None:
    beside = document("beside", "many other words and then a harbour lantern " + "and more " * 90)

    found = search_with_limits(limited, [*common_documents(100), beside], '"harbour lantern"')

    assert found == ["beside"]


def test_a_filter_beside_frequent_words_finds_all_that_pass_it(limited: Kept) -> None:
    chosen = [document(f"chosen {n}", "harbour " + "word " * 90, tags=("red",)) for n in range(3)]

    found = search_with_limits(
        limited, [*common_documents(100), *chosen], "harbour", filters=LibraryFilters(tag="red")
    )

    assert sorted(found) == ["chosen 0", "chosen 1", "chosen 2"]


def test_documents_of_a_frequent_kind_are_listed_in_pages(limited: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        state.library._index = PostgresTermIndex(SMALL_LIMITS)
        await state.library.store_documents("someone", common_documents(50))
        kind = LibraryFilters(kind="txt")
        return [
            names(
                await state.library.search_library(
                    "someone", "", filters=kind, limit=20, offset=offset
                )
            )
            for offset in (0, 20, 40)
        ]

    pages = limited.run(scenario)

    assert [name for page in pages for name in page] == [f"common {n}" for n in range(50)]


def test_pages_of_frequent_words_go_on_to_the_last_document(limited: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        state.library._index = PostgresTermIndex(SMALL_LIMITS)
        await state.library.store_documents("someone", common_documents(60))
        return len(await state.library.search_library("someone", "harbour", limit=60))

    assert limited.run(scenario) == 60


def test_nothing_is_counted_once_all_documents_are_gone(limited: Kept) -> None:
    long = document(
        "long", "harbour " * 40 + "lantern word " * 7, title="Harbour 東京", tags=("t",)
    )

    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [*common_documents(40), long])
        full = await list_counts(state)
        await state.library.store_documents("someone", [document("long", "changed")])
        await state.library.delete_documents("someone", ["long"])
        await state.library.clear_library("someone")
        return full, await list_counts(state)

    full, emptied = limited.run(scenario)

    assert max(full.values()) == 41
    assert any(len(token) == 9 for token in full)  # with a level
    assert emptied == {}


def test_documents_of_an_older_release_are_counted_by_the_migration(limited: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", common_documents(40))
        counted = await list_counts(state)
        plain = await state.database.select_rows(
            "SELECT DISTINCT jsonb_object_keys(counts) FROM document"
        )
        plain_counts = [(token, counted[token]) for (token,) in plain]
        steps = load_migrations("state", POSTGRES_DIALECT)[_MIGRATION_NUMBER - 1]

        async def migrate_again(link: Any) -> None:
            await link.execute("DROP INDEX document_tiers, document_owner_row")
            await link.execute("DROP FUNCTION list_tier_terms")
            await link.execute("DELETE FROM term_count")
            await link.executemany("INSERT INTO term_count VALUES ($1, $2)", plain_counts)
            for sql in steps:
                await link.execute(sql)

        await state.database.run_in_transaction(migrate_again)  # type: ignore[attr-defined] # of PostgreSQL
        return counted, await list_counts(state)

    counted, migrated = limited.run(scenario)

    assert migrated == counted


def test_rebuilding_counts_the_same(limited: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("a", common_documents(12))
        await state.library.store_documents("b", common_documents(9))
        counted = await list_counts(state)
        await state.library.rebuild_index()
        return counted, await list_counts(state)

    counted, rebuilt = limited.run(scenario)

    assert rebuilt == counted


class InterruptedDatabase:
    """A database whose process ends before a certain batch."""

    def __init__(self, database: SqlDatabase, *, batches: int) -> None:
        self._database = database
        self._left = batches

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def execute_batch(self, batch: Any) -> Any:
        if self._left == 0:
            raise StoreError("The process was killed.")
        self._left -= 1
        return await self._database.execute_batch(batch)


def test_an_interrupted_rebuild_is_continued_by_the_next_search(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", common_documents(12))
        await state.library.store_documents("other", common_documents(3))
        broken = InterruptedDatabase(state.database, batches=4)
        rebuild = IndexRebuild(broken, state.vault, state.library._index, group_documents=4)
        with pytest.raises(StoreError):
            await rebuild.restart_rebuild()
        await state.library.delete_documents("someone", ["common 0", "common 11"])
        await state.library.store_documents("someone", [document("new", "harbour")])
        return (
            len(await state.library.search_library("someone", "harbour", limit=50)),
            len(await state.library.search_library("other", "harbour", limit=50)),
            await state.library.count_stored_documents("someone"),
            await state.database.select_rows("SELECT name FROM chore"),
        )

    assert store.run(scenario) == (11, 3, 11, [])


def test_two_processes_rebuild_together(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", common_documents(30))
        rebuilds = [
            IndexRebuild(state.database, state.vault, state.library._index, group_documents=4)
            for _ in range(2)
        ]
        done = await asyncio.gather(*(one.restart_rebuild() for one in rebuilds))
        matches = await state.library.search_library("someone", "harbour", limit=50)
        return sum(done) >= 30, len(matches)

    assert store.run(scenario) == (True, 30)


def test_rows_of_one_statement_are_written_together_or_not_at_all(store: Kept) -> None:
    sql = "INSERT INTO chore (name, since) VALUES (:name, :since)"
    rows: list[dict[str, Any]] = [{"name": name, "since": 0.0} for name in ("a", "b", "a")]

    async def scenario(state: StateStore) -> Any:
        await state.database.execute_batch([SqlStatement(sql=sql, param_rows=rows[1:])])
        with pytest.raises(BatchRolledBack):
            await state.database.execute_batch(
                [
                    SqlStatement(sql="DELETE FROM chore"),
                    SqlStatement(sql=sql, param_rows=rows),
                ]
            )
        return await state.database.select_rows("SELECT name FROM chore ORDER BY name")

    assert store.run(scenario) == [("a",), ("b",)]


@pytest.mark.parametrize("others", [0, 2])
def test_clearing_leaves_the_documents_of_others_and_a_working_index(
    store: Kept, others: int
) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("leaving", common_documents(5))
        await state.library.store_documents("staying", common_documents(others))
        gone = await state.library.clear_library("leaving")
        after = names(await state.library.search_library("leaving", "harbour"))
        await state.library.store_documents("leaving", [document("new", "harbour")])
        return (
            gone,
            after,
            names(await state.library.search_library("leaving", "harbour")),
            len(await state.library.search_library("staying", "harbour")),
            await state.library.count_stored_documents("leaving"),
        )

    assert store.run(scenario) == (5, [], ["new"], others, 1)


def test_cards_are_found_by_their_ids(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", common_documents(3))
        await state.library.store_documents("other", [document("theirs", "text")])
        cards = await state.library.find_cards("someone", ["common 2", "theirs", "common 0"])
        return sorted(card.id for card in cards)

    assert store.run(scenario) == ["common 0", "common 2"]


def test_two_writers_and_a_reader_count_alike(store: Kept) -> None:
    async def scenario(first: StateStore) -> Any:
        async with store.opened() as second:
            await asyncio.gather(
                *(
                    state.library.store_documents("someone", common_documents(20))
                    for state in (first, second, first)
                )
            )
            stored = await first.database.select_rows("SELECT COUNT(*) FROM document")
            return stored[0][0], await second.library.count_stored_documents("someone")

    assert store.run(scenario) == (20, 20)
