"""What the store of memories promises on either engine."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.people.memory_store import FoundMemories, MemoryRecord, SqlMemoryStore
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept
from tests.requirements import requires

ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="acme", user="ben")
NAMESAKE = Owner(tenant="other", user="ann")
DAY = 86_400


def note(number: int, text: str = "", owner: Owner = ANN, **more: Any) -> MemoryRecord:
    return MemoryRecord(
        id=f"{owner}-{number}",
        tenant=owner.tenant,
        user=owner.user,
        note=text or f"note {number}",
        **more,
    )


async def consent(store: Kept, state: StateStore, *owners: Owner) -> ConsentService:
    consents = ConsentService(state.consents, clock=store.clock)
    for owner in owners:
        await consents.grant_consent(owner, "memory", decided_from="admin")
    return consents


async def save(store: Kept, state: StateStore, *notes: MemoryRecord) -> None:
    for one in notes:
        store.clock.now += 1
        assert await state.memories.add_memory(f"{one.tenant}/{one.user}", one) is not None


def list_notes(found: FoundMemories) -> list[str]:
    return [memory.note for memory in found.memories]


def test_a_memory_comes_back_as_it_was_saved(store: Kept) -> None:
    odd = note(
        1, "日本語 🧪 \ud800 ' OR 1=1", topic="Zellen", url="https://example.org/a", tags=("x", "é")
    )

    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(store, state, odd)
        found = await state.memories.list_memories(str(ANN), limit=20)
        return found, await state.memories.export_owner(str(ANN))

    found, exported = store.run(scenario)

    (memory,) = found.memories
    assert (memory.note, memory.topic, memory.url, memory.tags) == (
        odd.note, "Zellen", "https://example.org/a", ("x", "é"),
    )  # fmt: skip
    assert exported == [memory.to_json()]
    assert list(exported[0]) == [
        "id", "tenantId", "userId", "topic", "note", "url", "tags", "createdAt",
    ]  # fmt: skip


def test_the_newest_come_first_page_by_page(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(store, state, *map(note, range(5)))
        first = await state.memories.list_memories(str(ANN), limit=2)
        last = await state.memories.list_memories(str(ANN), limit=2, offset=4)
        return list_notes(first), first.total, list_notes(last)

    assert store.run(scenario) == (["note 4", "note 3"], 5, ["note 0"])


@requires("memory_recall.own")
def test_users_recall_their_own_memories_only(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN, BEN, NAMESAKE)
        for owner in (ANN, BEN, NAMESAKE):
            await save(store, state, note(1, f"the secret of {owner}", owner, topic="secret"))
        told = []
        for owner in (ANN, BEN, NAMESAKE, Owner(tenant="acme", user="eve")):
            memories = state.memories
            told.append(
                {
                    *list_notes(await memories.list_memories(str(owner), limit=9)),
                    *list_notes(await memories.list_memories(str(owner), topic="secret", limit=9)),
                    *list_notes(await memories.search_memories(str(owner), "secret", limit=9)),
                }
            )
        return told

    assert store.run(scenario) == [
        {"the secret of acme/ann"}, {"the secret of acme/ben"}, {"the secret of other/ann"}, set(),
    ]  # fmt: skip


def test_a_topic_is_found_whatever_its_case_and_spaces(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(store, state, note(1, topic="Cell  Ageing"), note(2, topic="tax"), note(3))
        found = await state.memories.list_memories(str(ANN), topic="cell ageing", limit=9)
        none = await state.memories.list_memories(str(ANN), topic="cell", limit=9)
        return list_notes(found), found.total, none

    assert store.run(scenario) == (["note 1"], 1, FoundMemories())


@requires("memory_recall.query")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("battery", ["b", "a"]),  # the shorter note about it is the better match
        ("batteries", ["b", "a"]),
        ("sodium battery", ["a", "b"]),  # the rarer word counts for more
        ("the of and", []),
        ("perovskite", ["c"]),  # words of the topic and of tags count
        ("tagged", ["d"]),
        ("電池", ["e"]),
        ("Haus", ["f"]),  # German, where the plural changes the vowel
        ("maison", ["g"]),
        ("battery batteries", ["b", "a"]),  # one word in two forms counts once
        ("nothing like it", []),
        ('"sodium battery" -- ; DROP', ["a", "b"]),
    ],
)
def test_a_query_finds_the_best_match_first(store: Kept, query: str, expected: list[str]) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN, BEN)
        texts = {
            "a": "A battery with sodium lasts longer in the cold than others that were measured in the same trial.",
            "b": "Battery prices fell.",
            "c": "Its efficiency is contested.",
            "d": "An unrelated remark.",
            "e": "電池の寿命について",
            "f": "Die Häuser in der Stadt wurden nach dem Krieg wieder aufgebaut.",
            "g": "Les maisons de la ville ont été reconstruites après la guerre.",
        }
        kept_notes = [
            MemoryRecord(
                id=key, tenant="acme", user="ann", note=text,
                topic="Perovskites" if key == "c" else None,
                tags=("tagged",) if key == "d" else (),
            )
            for key, text in texts.items()
        ]  # fmt: skip
        await save(store, state, *kept_notes, note(1, "battery battery sodium 電池", BEN))
        found = await state.memories.search_memories(str(ANN), query, limit=9)
        assert found.total == len(found.memories)
        return [memory.id for memory in found.memories]

    assert store.run(scenario) == expected


def test_a_query_within_a_topic_is_paged(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(
            store,
            state,
            *(note(number, f"cells {number}", topic="x") for number in range(4)),
            note(9, "cells elsewhere", topic="y"),
        )
        found = await state.memories.search_memories(
            str(ANN), "cells", topic="X", limit=2, offset=2
        )
        return list_notes(found), found.total

    assert store.run(scenario) == (["cells 1", "cells 0"], 4)


@requires("memory_save.consent")
def test_without_consent_nothing_is_stored(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        never = await state.memories.add_memory(str(ANN), note(1, "marker-one"))
        consents = await consent(store, state, ANN)
        await consents.withdraw_consent(ANN, "memory", decided_from="admin")
        withdrawn = await state.memories.add_memory(str(ANN), note(2, "marker-two"))
        return never, withdrawn, await state.memories.export_owner(str(ANN))

    assert store.run(scenario) == (None, None, [])


@requires("memory_save.retention")
def test_a_memory_ends_with_its_retention(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(store, state, note(1, "cells"))
        store.clock.now += 89 * DAY
        alive = await state.memories.list_memories(str(ANN), limit=9)
        kept_back = await state.memories.delete_expired()
        store.clock.now += 1 * DAY
        hidden = [
            await state.memories.list_memories(str(ANN), limit=9),
            await state.memories.search_memories(str(ANN), "cells", limit=9),
        ]
        terms = "SELECT COUNT(*) FROM memory_term"
        counts = [await state.database.select_rows(terms)]
        gone = await state.memories.delete_expired()
        counts.append(await state.database.select_rows(terms))
        return list_notes(alive), kept_back, hidden, gone, counts

    assert store.run(scenario) == (["cells"], 0, [FoundMemories()] * 2, 1, [[(1,)], [(0,)]])


@requires("memory_save.limit")
def test_beyond_the_limit_a_users_own_oldest_goes(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN, BEN)
        small = SqlMemoryStore(
            state.database, state.vault, retention=DAY, clock=store.clock, max_memories=2
        )
        await save(store, state, note(0, owner=BEN))
        for number in range(4):
            store.clock.now += 1
            await small.add_memory(str(ANN), note(number))
        found = [await small.list_memories(str(owner), limit=9) for owner in (ANN, BEN)]
        return [list_notes(one) for one in found]

    assert store.run(scenario) == [["note 3", "note 2"], ["note 0"]]


def test_of_an_erased_user_no_memory_and_no_term_is_left(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN, BEN)
        await save(store, state, note(1, "cells"), note(1, "cells", BEN))
        async with store.opened() as other:
            await other.erase_owner(str(ANN))
        refused = await state.memories.add_memory(str(ANN), note(2))
        left = await state.memories.export_owner(str(ANN))
        ((rows,),) = await state.database.select_rows("SELECT COUNT(*) FROM memory_term")
        await consent(store, state, ANN)
        await save(store, state, note(3, "again"))
        found = await state.memories.list_memories(str(ANN), limit=9)
        return refused, left, rows, list_notes(found)

    assert store.run(scenario) == (None, [], 1, ["again"])


def test_no_word_of_a_memory_lies_open_on_disk(store: Kept) -> None:
    marked = note(
        1,
        "a wordmemorable in it",
        topic="topicmemorable",
        url="https://urlmemorable.example",
        tags=("tagmemorable",),
    )

    async def scenario(state: StateStore) -> None:
        await consent(store, state, ANN)
        await save(store, state, marked)

    store.run(scenario)

    assert b"memorable" not in store.on_disk()


def test_memories_stay_readable_after_a_change_of_keys(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await consent(store, state, ANN)
        await save(store, state, note(1, "cells before"))
        async with store.opened() as other:
            await other.vault.rotate_keys()
            await save(store, other, note(2, "cells after"))
        found = await state.memories.search_memories(str(ANN), "cells", limit=9)
        return sorted(list_notes(found))

    assert store.run(scenario) == ["cells after", "cells before"]
