from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import NotFound
from citewell.core.values.search_queries import SearchQuery
from citewell.library import library_documents
from citewell.library.library_access import (
    READ_PAGE_TAG,
    DocumentSelection,
    OwnerLibraryIndex,
    ReadPageKeeper,
)
from citewell.server.state.state_store import StateStore
from citewell.store.failures import StoreFull
from citewell.text.language.detection import detect_language
from tests.library.library import ME, Shelf
from tests.reading.reading import page

PAGE = "https://docs.example.org/guide?utm_source=x"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def filled(shelf: Shelf, tmp_path: Path) -> Shelf:
    """A file tagged `mine` and a page."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "notes.md").write_text("# Harbour lights\n\nThe keeper wrote about the beacon.\n")
    shelf.web[PAGE] = page(
        PAGE, "How to light a beacon and keep it.", title="Guide", published="2026-10-05"
    )
    shelf.add(folder, tags=("mine",))
    shelf.add(PAGE)
    return shelf


def searched(shelf: Shelf, query: SearchQuery, owner: str | None = ME) -> Any:
    async def scenario(state: StateStore) -> Any:
        index = OwnerLibraryIndex(state.library, owner=lambda: owner, clock=shelf.clock)
        return await index.search_documents(query)

    return shelf.run(scenario)


def test_a_name_tells_no_path_and_stays_the_same() -> None:
    path = Path("/papers/secret-plans.pdf")

    name = library_documents.build_file_id(path)

    assert library_documents.is_document_id(name)
    assert name == library_documents.build_file_id(path)
    assert "secret" not in name


def test_one_page_has_one_name() -> None:
    assert library_documents.build_address_id(
        "http://example.org/a/?utm_source=x#top"
    ) == library_documents.build_address_id("https://example.org/a")


@pytest.mark.parametrize(
    "bad", ["library:", "library:xyz", "library:" + "a" * 33, "x", "library:../x"]
)
def test_what_is_no_name_is_known_as_such(bad: str) -> None:
    assert not library_documents.is_document_id(bad)


def test_hits_cite_pages_by_address_and_files_by_their_name(filled: Shelf) -> None:
    hits = searched(filled, SearchQuery(text="beacon", count=5)).hits

    assert {hit.title: hit.url.partition(":")[0] for hit in hits} == {
        "Harbour lights": "library",
        "Guide": "https",
    }
    assert all("papers" not in repr(hit) for hit in hits)
    assert hits[0].score == 1.0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (SearchQuery(text="beacon", sites=("example.org",)), ["Guide"]),
        (SearchQuery(text="beacon", sites=("example.com",)), []),
        (SearchQuery(text="beacon", exact_terms="keeper wrote"), ["Harbour lights"]),
        (SearchQuery(text="beacon", time_range="year"), ["Guide"]),
        (SearchQuery(text="beacon", time_range="day"), []),
    ],
)
def test_constraints_of_a_search_are_met_by_the_index(
    filled: Shelf, query: Any, expected: Any
) -> None:
    filled.clock.now = 1_793_000_000.0  # 2026-10-26

    assert [hit.title for hit in searched(filled, query).hits] == expected


def test_nobody_asking_and_strangers_find_nothing(filled: Shelf) -> None:
    assert searched(filled, SearchQuery(text="beacon"), owner=None).hits == ()
    assert searched(filled, SearchQuery(text="beacon"), owner="other/user").hits == ()


def test_a_document_is_read_as_a_page_by_its_owner_alone(filled: Shelf) -> None:
    name = filled.cards()["Harbour lights"].id

    def other_index(state: StateStore, owner: str | None) -> OwnerLibraryIndex:
        return OwnerLibraryIndex(state.library, owner=lambda: owner)

    async def scenario(state: StateStore) -> Any:
        mine = await OwnerLibraryIndex(state.library, owner=lambda: ME).read_library_page(name)
        for owner in (None, "other/user"):
            with pytest.raises(NotFound, match="No document of the library has this id"):
                await other_index(state, owner).read_library_page(name)
        return mine

    read = filled.run(scenario)

    assert (read.url, read.final_url, read.title) == (name, name, "Harbour lights")
    assert "beacon" in read.content
    assert "papers" not in repr(read)


def test_a_file_that_is_gone_is_missing(filled: Shelf, tmp_path: Path) -> None:
    (tmp_path / "papers" / "notes.md").unlink()

    assert DocumentSelection(missing_files_only=True).covers_card(filled.cards()["Harbour lights"])
    assert not DocumentSelection(missing_files_only=True).covers_card(filled.cards()["Guide"])


def kept(shelf: Shelf, *pages: Any, owner: str | None = ME) -> None:
    async def scenario(state: StateStore) -> None:
        keeper = ReadPageKeeper(state.library, owner=lambda: owner, clock=shelf.clock)
        for reading in pages:
            await keeper(reading)

    shelf.run(scenario)


def test_a_page_that_was_read_is_kept_once_and_anew_when_it_changes(shelf: Shelf) -> None:
    kept(shelf, *(page(PAGE, text, title="Guide") for text in ("Old.", "Old.", "New words.")))

    card = shelf.cards()["Guide"]
    assert card.tags == (READ_PAGE_TAG,)
    assert shelf.found("words") == ["Guide"]


def test_keeping_a_page_leaves_the_tags_it_was_given(filled: Shelf) -> None:
    filled.add(PAGE, tags=("mine",))

    kept(filled, page(PAGE, "Changed words.", title="Guide"))

    assert filled.cards()["Guide"].tags == ("mine",)
    assert filled.found("changed") == ["Guide"]


def test_pages_of_nobody_and_doubtful_ones_are_not_kept(shelf: Shelf) -> None:
    kept(shelf, page(PAGE, "Words."), owner=None)
    kept(shelf, page(PAGE, ""), page(PAGE, "Words.", quality="partial"))

    assert shelf.cards() == {}


def test_a_store_that_fails_costs_no_page() -> None:
    class Brimming:
        async def load_document(self, owner: Any, document_id: Any) -> None:
            raise StoreFull("The disk is full.")

    full: Any = Brimming()
    asyncio.run(ReadPageKeeper(full, owner=lambda: ME)(page(PAGE, "Words.")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat on the mat and it was not at all clear to them why this had been so. " * 2, "en"),
        ("Der Hund ist nicht im Haus, und die Katze sitzt auf dem Dach und wartet auf den Regen. " * 2, "de"),
        ("東京都に住んでいます。水が好きです。毎日学校へ行きます。", "ja"),
        ("机器学习是人工智能的一个分支，它研究如何让计算机从数据中学习。", "zh"),
        ("기계 학습은 인공지능의 한 분야이며 데이터에서 배우는 방법을 연구한다", "ko"),
        ("Книги лежали на столе, и он не знал, что это было и как они там были. " * 3, "ru"),
        ("0x3f 17 22 91 44 " * 20, None),
        ("short", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_language_is_detected_or_left_open(text: str, expected: str | None) -> None:
    assert detect_language(text) == expected
