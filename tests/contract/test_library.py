"""What the library promises on either engine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import NotFound
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.library.library_store import LibraryFilters, LibraryWriteCounts
from citewell.server.state.state_store import StateStore
from tests.contract.states import ENGINES, Kept, kept

FILLER = [f"unrelated filler number {number} about nothing in particular" for number in range(12)]


def document(name: str, text: str, **card: Any) -> LibraryDocument:
    return LibraryDocument(card=DocumentCard(id=name, **card), text=text)


def filler() -> list[LibraryDocument]:
    return [document(f"filler {number}", text) for number, text in enumerate(FILLER)]


def names(matches: Any) -> list[str]:
    return [match.card.id for match in matches]


def found(store: Kept, documents: Any, *queries: Any, **options: Any) -> Any:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [*filler(), *documents])
        return [
            names(await state.library.search_library("someone", one, **options)) for one in queries
        ]

    return store.run(scenario)


def test_a_document_comes_back_whole(store: Kept) -> None:
    whole = document(
        "file:///a.pdf",
        "Text with 日本語, \ud800 and 🧪.\n" * 3000,
        title="A title",
        url="https://docs.example.org/a.pdf",
        site="docs.example.org",
        kind="pdf",
        tags=("one", "two"),
        language="en",
        published=1_700_000_000.0,
        extra={"author": "somebody"},
    )

    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [whole])
        return await state.library.load_document("someone", "file:///a.pdf")

    got = store.run(scenario)

    assert got.text == whole.text
    assert got.card.characters == len(whole.text)
    assert got.card.added == store.clock.now
    assert (got.card.tags, got.card.extra) == (("one", "two"), {"author": "somebody"})


def test_words_are_found_in_any_form(store: Kept) -> None:
    text = "The quick brown foxes were jumping over lazy dogs"

    assert found(store, [document("a", text)], "fox", "JUMP", "dog jumped", "cat") == [
        ["a"],
        ["a"],
        ["a"],
        [],
    ]


def test_a_quoted_phrase_must_occur(store: Kept) -> None:
    documents = [
        document("in order", "climate change policy of the city"),
        document("apart", "a change of policy in the city, and of the climate"),
    ]

    assert found(store, documents, '"climate change"', "climate change") == [
        ["in order"],
        ["in order", "apart"],
    ]


@pytest.mark.parametrize(
    ("text", "language", "query"),
    [
        ("東京都に住んでいます。", "ja", "東京"),
        ("水が好きです。", "ja", "水"),
        ("机器学习是人工智能的一个分支", "zh", "人工智能"),
        ("기계 학습은 인공지능의 한 분야이다", "ko", "인공지능"),
        ("Viele Häuser stehen leer", "de", "Haus"),
        ("Les chevaux étaient fatigués", "fr", "fatiguée"),
        ("Книги лежали на столе", "ru", "книга"),
        ("مكتبات عامة في المدينة", "ar", "مكتبات"),
        ("Un café très noir", "fr", "cafe"),
        ("ภาษาไทยเขียนติดกัน", "th", "ภาษาไทย"),
    ],
)
def test_other_languages_are_found_without_being_named(
    store: Kept, text: str, language: str, query: str
) -> None:
    assert found(store, [document("a", text, language=language)], query) == [["a"]]


def test_the_better_match_comes_first(store: Kept) -> None:
    documents = [
        document("once", "ships and " + "other things entirely " * 40 + "lighthouse"),
        document("often", "lighthouse keepers and the lighthouse they keep"),
        document("title", "keepers of the coast and what they keep", title="Lighthouse"),
    ]

    assert found(store, documents, "lighthouse") == [["title", "often", "once"]]


def test_both_engines_rank_alike(tmp_path: Path) -> None:
    words = ["harbour", "lighthouse", "keeper", "storm", "ship", "rope", "signal", "coast"]
    documents = [
        document(str(number), " ".join(words[(number * step) % 8] for step in range(1, 9 + number)))
        for number in range(24)
    ]
    ranks = {}
    for name in ENGINES:
        opened = kept(name, tmp_path / name)

        async def scenario(state: StateStore) -> Any:
            await state.library.store_documents("someone", [*filler(), *documents])
            matches = await state.library.search_library("someone", "rope signal storm", limit=24)
            return [(match.card.id, round(match.score, 6)) for match in matches]

        ranks[name] = opened.run(scenario)

    assert ranks["postgres"] == ranks["sqlite"]
    assert len(ranks["sqlite"]) > 10


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (LibraryFilters(site="example.org"), {"a", "b"}),
        (LibraryFilters(site="docs.example.org"), {"a"}),
        (LibraryFilters(site="example.com"), {"c"}),
        (LibraryFilters(kind="PDF"), {"a", "c"}),
        (LibraryFilters(tag="Red"), {"b", "c"}),
        (LibraryFilters(language="de"), {"c"}),
        (LibraryFilters(published_after=200.0), {"b", "c"}),
        (LibraryFilters(published_before=200.0), {"a"}),
        (LibraryFilters(published_after=150.0, published_before=250.0), {"b"}),
        (LibraryFilters(site="example.org", tag="red", published_after=100.0), {"b"}),
        (LibraryFilters(tag="none"), set()),
    ],
)
@pytest.mark.parametrize("query", ["subject", ""])
def test_filters_narrow_the_matches(store: Kept, filters: Any, expected: Any, query: str) -> None:
    documents = [
        document("a", "subject", site="docs.example.org", kind="pdf", published=100.0),
        document("b", "subject", site="example.org", kind="html", tags=("red",), published=200.0),
        document("c", "subject", site="www.example.com", kind="pdf", tags=("red", "x"), published=300.0, language="de"),
    ]  # fmt: skip
    (matches,) = found(store, documents, query, filters=filters)

    assert set(matches) == expected


def test_a_changed_document_takes_the_place_of_the_former(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        first = await state.library.store_documents(
            "someone", [*filler(), document("a", "old words")]
        )
        same = await state.library.store_documents("someone", [document("a", "old words")])
        changed = await state.library.store_documents("someone", [document("a", "new terms")])
        searches = [
            names(await state.library.search_library("someone", one)) for one in ("old", "terms")
        ]
        return first, same, changed, searches, await state.library.count_stored_documents("someone")

    first, same, changed, searches, count = store.run(scenario)

    assert first == LibraryWriteCounts(added=13)
    assert same == LibraryWriteCounts(unchanged=1)
    assert changed == LibraryWriteCounts(replaced=1)
    assert searches == [[], ["a"]]
    assert count == 13


def test_what_was_got_can_be_put_again_without_change(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [document("a", "words", tags=("x",))])
        return await state.library.store_documents(
            "someone", [await state.library.load_document("someone", "a")]
        )

    assert store.run(scenario) == LibraryWriteCounts(unchanged=1)


def test_a_removed_document_is_neither_found_nor_got(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents(
            "someone", [*filler(), document("a", "words"), document("b", "words")]
        )
        gone = await state.library.delete_documents("someone", ["a", "absent", "a"])
        with pytest.raises(NotFound):
            await state.library.load_document("someone", "a")
        return gone, names(await state.library.search_library("someone", "words"))

    assert store.run(scenario) == (1, ["b"])


def test_owners_never_meet(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("a", [*filler(), document("x", "secret words")])
        await state.library.store_documents("b", [*filler(), document("y", "secret words")])
        with pytest.raises(NotFound):
            await state.library.load_document("b", "x")
        assert await state.library.delete_documents("b", ["x"]) == 0
        assert await state.library.search_library("c", "secret") == ()
        assert await state.library.list_cards("c") == ()
        return [names(await state.library.search_library(owner, "secret")) for owner in "ab"]

    assert store.run(scenario) == [["x"], ["y"]]


def test_cards_are_listed_in_pages(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [document(str(n), "text") for n in range(7)])
        await state.library.store_documents("other", [document("x", "text")])
        listed, last = [], None
        while page := await state.library.list_cards("someone", limit=3, after=last):
            listed += [card.id for card in page]
            last = page[-1]
        return listed

    assert store.run(scenario) == [str(n) for n in range(7)]


def test_matches_come_in_pages(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents(
            "someone", [*filler(), *(document(str(n), "word") for n in range(9))]
        )
        return [
            names(await state.library.search_library("someone", "word", limit=4, offset=at))
            for at in (0, 4, 8, 12)
        ]

    pages = store.run(scenario)

    assert [len(page) for page in pages] == [4, 4, 1, 0]
    assert len({name for page in pages for name in page}) == 9


def test_a_snippet_shows_where_the_words_are(store: Kept) -> None:
    text = "Introduction. " * 300 + "The lighthouse keeper wrote every day. " + "Epilogue. " * 300

    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [*filler(), document("a", text)])
        (match,) = await state.library.search_library("someone", "lighthouse keepers")
        return match.snippet

    snippet = store.run(scenario)

    assert "lighthouse keeper" in snippet
    assert len(snippet) <= 310


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "' OR x=x --", "* : ^ ( ) NEAR AND", "\x00", "\ud800"]
)
def test_odd_queries_find_nothing_and_break_nothing(store: Kept, query: str) -> None:
    assert found(store, [document("a", "text")], query) in ([[]], [["a"]])


def test_two_writers_of_one_library_lose_nothing(store: Kept) -> None:
    async def scenario(first: StateStore) -> Any:
        async with store.opened() as second:
            puts = [
                state.library.store_documents(
                    "someone", [document(f"{n % 15}", f"word {n % 15} by {place}")]
                )
                for n in range(30)
                for place, state in enumerate((first, second))
            ]
            await asyncio.gather(*puts)
            matches = await first.library.search_library("someone", "word by", limit=50)
            return await first.library.count_stored_documents("someone"), len(matches)

    assert store.run(scenario) == (15, 15)


def test_the_index_can_be_made_anew(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents(
            "someone", [*filler(), document("a", "rare words", tags=("t",))]
        )
        before = await state.library.search_library("someone", "rare")
        assert await state.library.rebuild_index() == 13
        await state.library.delete_documents("someone", ["filler 3"])
        after = await state.library.search_library(
            "someone", "rare", filters=LibraryFilters(tag="t")
        )
        return names(before), names(after), await state.library.count_stored_documents("someone")

    assert store.run(scenario) == (["a"], ["a"], 12)


def test_a_very_long_document_is_kept_and_found(store: Kept) -> None:
    text = " ".join(f"word{number}" for number in range(60_000)) + " lighthouse"

    async def scenario(state: StateStore) -> Any:
        await state.library.store_documents("someone", [*filler(), document("long", text)])
        whole = await state.library.load_document("someone", "long")
        return len(whole.text), names(await state.library.search_library("someone", "word17"))

    assert store.run(scenario) == (len(text), ["long"])
