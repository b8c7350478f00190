from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest

from citewell.config import Settings
from citewell.errors import Misconfigured, NotFound
from citewell.model.search import Query
from citewell.services.library import export, language, names
from citewell.services.library.asking import Privacy, answering, asker, asking, sharing
from citewell.services.library.catalogue import Chosen, Library
from citewell.services.library.index import Index
from citewell.services.library.keeping import TAG, Keeper
from citewell.store.failures import Full
from citewell.store.library_rows import Card, Document
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


def searched(shelf: Shelf, query: Query, owner: str | None = ME):
    async def scenario(state):
        index = Index(state.library, owner=lambda: owner, clock=shelf.clock)
        return await index.search(query)

    return shelf.run(scenario)


def test_a_name_tells_no_path_and_stays_the_same():
    path = Path("/papers/secret-plans.pdf")

    name = names.of_file(path)

    assert names.is_id(name)
    assert name == names.of_file(path)
    assert "secret" not in name


def test_one_page_has_one_name():
    assert names.of_address("http://example.org/a/?utm_source=x#top") == names.of_address(
        "https://example.org/a"
    )


@pytest.mark.parametrize(
    "bad", ["library:", "library:xyz", "library:" + "a" * 33, "x", "library:../x"]
)
def test_what_is_no_name_is_known_as_such(bad):
    assert not names.is_id(bad)


def test_hits_cite_pages_by_address_and_files_by_their_name(filled: Shelf):
    hits = searched(filled, Query(text="beacon", count=5)).hits

    assert {hit.title: hit.url.partition(":")[0] for hit in hits} == {
        "Harbour lights": "library",
        "Guide": "https",
    }
    assert all("papers" not in repr(hit) for hit in hits)
    assert hits[0].score == 1.0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(text="beacon", sites=("example.org",)), ["Guide"]),
        (Query(text="beacon", sites=("example.com",)), []),
        (Query(text="beacon", exact_terms="keeper wrote"), ["Harbour lights"]),
        (Query(text="beacon", time_range="year"), ["Guide"]),
        (Query(text="beacon", time_range="day"), []),
    ],
)
def test_constraints_of_a_search_are_met_by_the_index(filled: Shelf, query, expected):
    filled.clock.now = 1_793_000_000.0  # 2026-10-26

    assert [hit.title for hit in searched(filled, query).hits] == expected


def test_nobody_asking_and_strangers_find_nothing(filled: Shelf):
    assert searched(filled, Query(text="beacon"), owner=None).hits == ()
    assert searched(filled, Query(text="beacon"), owner="other/user").hits == ()


def test_a_document_is_read_as_a_page_by_its_owner_alone(filled: Shelf):
    name = filled.cards()["Harbour lights"].id

    async def scenario(state):
        mine = await Index(state.library, owner=lambda: ME).page(name)
        for owner in (None, "other/user"):
            with pytest.raises(NotFound, match="No document of the library has this id"):
                await Index(state.library, owner=lambda owner=owner: owner).page(name)
        return mine

    read = filled.run(scenario)

    assert (read.url, read.final_url, read.title) == (name, name, "Harbour lights")
    assert "beacon" in read.content
    assert "papers" not in repr(read)


def test_a_call_is_private_only_where_it_was_said_to_be():
    seen = [(asker(), answering())]
    with asking("a/b", private=True):
        seen.append((asker(), answering()))
        with sharing():
            seen.append((asker(), answering()))
        with asking("c/d", private=False):
            seen.append((asker(), answering()))
        seen.append((asker(), answering()))

    assert seen == [
        (None, None), ("a/b", "a/b"), ("a/b", None), ("c/d", None), ("a/b", "a/b"),
    ]  # fmt: skip


def test_tasks_know_for_whom_they_run():
    async def scenario():
        async def task():
            await asyncio.sleep(0)
            return answering()

        async def caller(owner):
            with asking(owner, private=True):
                return await asyncio.create_task(task())

        return await asyncio.gather(caller("a"), caller("b"))

    assert asyncio.run(scenario()) == ["a", "b"]


@pytest.mark.parametrize(
    ("settings", "arguments", "expected"),
    [
        ({}, {"query": "library science"}, False),
        ({}, {"query": "x", "provider": "library"}, True),
        ({}, {"query": "x", "provider": " Library "}, True),
        ({}, {"url": "library:0123"}, True),
        ({}, {"urls": ["https://example.org", "library:0123"]}, True),
        ({}, {"num_results": 5}, False),
        ({"search_provider": "library"}, {"query": "x"}, True),
        ({"search_routing": "brave,library"}, {"query": "x"}, True),
        ({"search_routing": "brave,library"}, {"url": "https://example.org"}, False),
    ],
)
def test_a_call_the_library_may_answer_is_private(settings, arguments, expected):
    assert Privacy(Settings(**settings)).covers(arguments) is expected


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Chosen(), {"Harbour lights", "Guide"}),
        (Chosen(tag="Mine"), {"Harbour lights"}),
        (Chosen(site="example.org"), {"Guide"}),
        (Chosen(kind="markdown"), {"Harbour lights"}),
        (Chosen(names=("https://docs.example.org/guide",)), {"Guide"}),
        (Chosen(names=("library:",)), set()),
        (Chosen(names=("/nowhere",)), set()),
        (Chosen(missing=True), set()),
        (Chosen(tag="mine", kind="html"), set()),
    ],
)
def test_documents_are_chosen_by_what_they_are(filled: Shelf, chosen, expected):
    async def scenario(state):
        return {card.title async for card in Library(state.library, ME).cards(chosen)}

    assert filled.run(scenario) == expected


def test_a_file_is_chosen_by_path_directory_and_beginning_of_its_id(filled: Shelf, tmp_path: Path):
    card = filled.cards()["Harbour lights"]

    for name in (tmp_path / "papers", tmp_path / "papers" / "notes.md", card.id, card.id[:16]):
        assert Chosen(names=(str(name),)).fits(card)
    assert not Chosen(names=(str(tmp_path / "pap"),)).fits(card)


def test_a_file_that_is_gone_is_missing(filled: Shelf, tmp_path: Path):
    (tmp_path / "papers" / "notes.md").unlink()

    assert Chosen(missing=True).fits(filled.cards()["Harbour lights"])
    assert not Chosen(missing=True).fits(filled.cards()["Guide"])


def test_lines_hold_everything_known_and_the_text(filled: Shelf, tmp_path: Path):
    out = io.StringIO()

    count = filled.run(lambda state: export.to_lines(Library(state.library, ME).documents(), out))

    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert count == len(records) == 2
    assert records[0]["path"] == str(tmp_path / "papers" / "notes.md")
    assert records[0]["tags"] == ["mine"]
    assert "keeper" in records[0]["text"]
    assert records[1]["url"] == "https://docs.example.org/guide"
    assert "stamp" not in records[0]


def test_a_directory_of_markdown_is_the_same_each_time(filled: Shelf, tmp_path: Path):
    out = tmp_path / "out" / "deep"

    for _ in range(2):
        filled.run(lambda state: export.to_directory(Library(state.library, ME).documents(), out))

    files = sorted(out.iterdir())
    assert len(files) == 2
    assert files[1].name.startswith("Harbour-lights-")
    assert files[1].read_text().startswith('---\nid: "library:')
    assert files[1].read_text().endswith("beacon.\n")


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d", "", ".", "x" * 500, "標題"])
def test_a_title_cannot_leave_the_directory(title):
    name = export.file_name(Card(id="library:0123456789abcdef", title=title))

    assert Path(name).name == name
    assert not name.startswith(".")
    assert len(name) < 100


def test_an_export_that_fails_leaves_the_former_file(filled: Shelf, tmp_path: Path):
    path = tmp_path / "library.jsonl"
    path.write_text("former")

    async def failing():
        yield Document(card=Card(id="library:1"), text="x")
        raise Full("The disk is full.")

    with pytest.raises(Full):
        asyncio.run(export.to_file(failing(), path))

    assert path.read_text() == "former"
    assert [one.name for one in tmp_path.iterdir() if "jsonl" in one.name] == ["library.jsonl"]


def test_a_place_that_cannot_be_written_is_named(filled: Shelf, tmp_path: Path):
    async def scenario(state):
        await export.to_file(Library(state.library, ME).documents(), tmp_path / "no" / "x.jsonl")

    with pytest.raises(Misconfigured, match="cannot be written"):
        filled.run(scenario)


def kept(shelf: Shelf, *pages, owner: str | None = ME):
    async def scenario(state):
        keeper = Keeper(state.library, owner=lambda: owner, clock=shelf.clock)
        for one in pages:
            await keeper(one)

    shelf.run(scenario)


def test_a_page_that_was_read_is_kept_once_and_anew_when_it_changes(shelf: Shelf):
    kept(shelf, *(page(PAGE, text, title="Guide") for text in ("Old.", "Old.", "New words.")))

    card = shelf.cards()["Guide"]
    assert card.tags == (TAG,)
    assert shelf.found("words") == ["Guide"]


def test_keeping_a_page_leaves_the_tags_it_was_given(filled: Shelf):
    filled.add(PAGE, tags=("mine",))

    kept(filled, page(PAGE, "Changed words.", title="Guide"))

    assert filled.cards()["Guide"].tags == ("mine",)
    assert filled.found("changed") == ["Guide"]


def test_pages_of_nobody_and_doubtful_ones_are_not_kept(shelf: Shelf):
    kept(shelf, page(PAGE, "Words."), owner=None)
    kept(shelf, page(PAGE, ""), page(PAGE, "Words.", quality="partial"))

    assert shelf.cards() == {}


def test_a_store_that_fails_costs_no_page():
    class Brimming:
        async def get(self, owner, document_id):
            raise Full("The disk is full.")

    asyncio.run(Keeper(Brimming(), owner=lambda: ME)(page(PAGE, "Words.")))


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
def test_a_language_is_guessed_or_left_open(text, expected):
    assert language.guess(text) == expected
