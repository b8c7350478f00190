from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from citewell.errors import Misconfigured, NotFound
from citewell.model.search_queries import SearchQuery
from citewell.services.library import document_ids, library_export
from citewell.services.library.library_search import OwnerLibraryIndex
from citewell.services.library.owner_library import DocumentSelection, OwnerLibrary
from citewell.services.library.page_capture import READ_PAGE_TAG, ReadPageKeeper
from citewell.store.failures import StoreFull
from citewell.store.library.library_rows import DocumentCard, LibraryDocument
from citewell.store.state_store import StateStore
from citewell.text.language.detection import detect_language
from tests.unit.services.library import ME, Shelf
from tests.unit.services.reading import page

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

    name = document_ids.build_file_id(path)

    assert document_ids.is_document_id(name)
    assert name == document_ids.build_file_id(path)
    assert "secret" not in name


def test_one_page_has_one_name() -> None:
    assert document_ids.build_address_id(
        "http://example.org/a/?utm_source=x#top"
    ) == document_ids.build_address_id("https://example.org/a")


@pytest.mark.parametrize(
    "bad", ["library:", "library:xyz", "library:" + "a" * 33, "x", "library:../x"]
)
def test_what_is_no_name_is_known_as_such(bad: str) -> None:
    assert not document_ids.is_document_id(bad)


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


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (DocumentSelection(), {"Harbour lights", "Guide"}),
        (DocumentSelection(tag="Mine"), {"Harbour lights"}),
        (DocumentSelection(site="example.org"), {"Guide"}),
        (DocumentSelection(kind="markdown"), {"Harbour lights"}),
        (DocumentSelection(names=("https://docs.example.org/guide",)), {"Guide"}),
        (DocumentSelection(names=("library:",)), set()),
        (DocumentSelection(names=("/nowhere",)), set()),
        (DocumentSelection(missing_files_only=True), set()),
        (DocumentSelection(tag="mine", kind="html"), set()),
    ],
)
def test_documents_are_chosen_by_what_they_are(filled: Shelf, chosen: Any, expected: Any) -> None:
    async def scenario(state: StateStore) -> Any:
        return {card.title async for card in OwnerLibrary(state.library, ME).iterate_cards(chosen)}

    assert filled.run(scenario) == expected


def test_a_file_is_chosen_by_path_directory_and_beginning_of_its_id(
    filled: Shelf, tmp_path: Path
) -> None:
    card = filled.cards()["Harbour lights"]

    for name in (tmp_path / "papers", tmp_path / "papers" / "notes.md", card.id, card.id[:16]):
        assert DocumentSelection(names=(str(name),)).covers_card(card)
    assert not DocumentSelection(names=(str(tmp_path / "pap"),)).covers_card(card)


def test_a_file_that_is_gone_is_missing(filled: Shelf, tmp_path: Path) -> None:
    (tmp_path / "papers" / "notes.md").unlink()

    assert DocumentSelection(missing_files_only=True).covers_card(filled.cards()["Harbour lights"])
    assert not DocumentSelection(missing_files_only=True).covers_card(filled.cards()["Guide"])


def test_lines_hold_everything_known_and_the_text(filled: Shelf, tmp_path: Path) -> None:
    out = io.StringIO()

    count = filled.run(
        lambda state: library_export.export_json_lines(
            OwnerLibrary(state.library, ME).iterate_documents(), out
        )
    )

    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert count == len(records) == 2
    assert records[0]["path"] == str(tmp_path / "papers" / "notes.md")
    assert records[0]["tags"] == ["mine"]
    assert "keeper" in records[0]["text"]
    assert records[1]["url"] == "https://docs.example.org/guide"
    assert "stamp" not in records[0]


def test_a_directory_of_markdown_is_the_same_each_time(filled: Shelf, tmp_path: Path) -> None:
    out = tmp_path / "out" / "deep"

    for _ in range(2):
        filled.run(
            lambda state: library_export.export_to_directory(
                OwnerLibrary(state.library, ME).iterate_documents(), out
            )
        )

    files = sorted(out.iterdir())
    assert len(files) == 2
    assert files[1].name.startswith("Harbour-lights-")
    assert files[1].read_text().startswith('---\nid: "library:')
    assert files[1].read_text().endswith("beacon.\n")


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d", "", ".", "x" * 500, "標題"])
def test_a_title_cannot_leave_the_directory(title: str) -> None:
    name = library_export.build_export_name(
        DocumentCard(id="library:0123456789abcdef", title=title)
    )

    assert Path(name).name == name
    assert not name.startswith(".")
    assert len(name) < 100


def test_an_export_that_fails_leaves_the_former_file(filled: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "library.jsonl"
    path.write_text("former")

    async def failing() -> AsyncIterator[Any]:
        yield LibraryDocument(card=DocumentCard(id="library:1"), text="x")
        raise StoreFull("The disk is full.")

    with pytest.raises(StoreFull):
        asyncio.run(library_export.export_to_file(failing(), path))

    assert path.read_text() == "former"
    assert [one.name for one in tmp_path.iterdir() if "jsonl" in one.name] == ["library.jsonl"]


def test_a_place_that_cannot_be_written_is_named(filled: Shelf, tmp_path: Path) -> None:
    async def scenario(state: StateStore) -> None:
        await library_export.export_to_file(
            OwnerLibrary(state.library, ME).iterate_documents(), tmp_path / "no" / "x.jsonl"
        )

    with pytest.raises(Misconfigured, match="cannot be written"):
        filled.run(scenario)


def kept(shelf: Shelf, *pages: Any, owner: str | None = ME) -> None:
    async def scenario(state: StateStore) -> None:
        keeper = ReadPageKeeper(state.library, owner=lambda: owner, clock=shelf.clock)
        for one in pages:
            await keeper(one)

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
