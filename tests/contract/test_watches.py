"""What the store of watches promises on either engine."""

from __future__ import annotations

from typing import Any

from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.server.state.state_store import StateStore
from citewell.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord
from tests.contract.states import Kept

ANN, BEN = "acme/ann", "acme/ben"
DAY = 86_400


def watch(number: int, owner: str = ANN, **more: Any) -> WatchRecord:
    definition = {"name": "refs.bib", "references": [{"raw": "日本語 🧪 ' OR 1=1"}]}
    return WatchRecord(
        id=f"{owner}-{number}", owner=owner, kind="references", definition=definition, **more
    )


def news(number: int, record: WatchRecord) -> WatchNewsItem:
    return WatchNewsItem(
        id=f"{record.id}-n{number}", watch=record.id, content={"kind": "retracted", "text": "gone"}
    )


def test_a_watch_and_its_news_come_back_as_they_were_stored(store: Kept) -> None:
    made = watch(1, state={"a": {"is_live": True}}, due=7.0)

    async def scenario(state: StateStore) -> Any:
        assert await state.watches.add_watch(ANN, made, most=5, news=[news(1, made)])
        return await state.watches.list_watches(ANN), await state.watches.list_news(ANN)

    (found,), (item,) = store.run(scenario)

    assert (found.definition, found.state, found.owner, found.due) == (
        made.definition,
        made.state,
        ANN,
        7.0,
    )
    assert item.content == {"kind": "retracted", "text": "gone"}


def test_an_owner_has_so_many_watches_of_a_kind_and_no_more(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        return [await state.watches.add_watch(ANN, watch(n), most=2) for n in range(3)]

    assert store.run(scenario) == [True, True, False]


def test_of_two_checks_of_one_watch_the_first_is_stored(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.watches.add_watch(ANN, watch(1), most=5)
        (record,) = await state.watches.list_watches(ANN)
        kept = [
            await state.watches.save_check(
                ANN, record, state={"by": number}, due=9.0, news=[news(number, record)]
            )
            for number in (1, 2)
        ]
        (after,) = await state.watches.list_watches(ANN)
        return kept, after.state, len(await state.watches.list_news(ANN))

    assert store.run(scenario) == ([True, False], {"by": 1}, 1)


def test_what_is_due_is_listed_for_all_owners_and_what_is_past_its_time_for_nobody(
    store: Kept,
) -> None:
    async def scenario(state: StateStore) -> Any:
        now = store.clock.now
        await state.watches.add_watch(ANN, watch(1, due=now - 1), most=5)
        await state.watches.add_watch(BEN, watch(1, BEN, due=now - 2, expires=now + DAY), most=5)
        await state.watches.add_watch(BEN, watch(2, BEN, due=now + DAY), most=5)
        first = await state.watches.list_due_watches(limit=10)
        store.clock.now += 2 * DAY
        second = await state.watches.list_due_watches(limit=10)
        removed = await state.watches.delete_expired()
        return [(one.owner, one.id) for one in first], [one.id for one in second], removed

    first, second, removed = store.run(scenario)

    assert first == [(BEN, f"{BEN}-1"), (ANN, f"{ANN}-1")]
    assert second == [f"{ANN}-1", f"{BEN}-2"]
    assert removed == 1


def test_without_consent_nothing_is_stored_where_it_is_needed(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        first = await state.watches.add_watch(ANN, watch(1), most=5, purpose="monitoring")
        owner = Owner(tenant="acme", user="ann")
        consents = ConsentService(state.consents, clock=store.clock)
        await consents.grant_consent(owner, "monitoring", decided_from="admin")
        return first, await state.watches.add_watch(ANN, watch(1), most=5, purpose="monitoring")

    assert store.run(scenario) == (False, True)


def test_nobody_removes_what_another_watches(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.watches.add_watch(ANN, watch(1), most=5)
        return (
            await state.watches.remove_watch(BEN, f"{ANN}-1"),
            await state.watches.remove_watch(ANN, f"{ANN}-1"),
            await state.watches.list_watches(ANN),
        )

    assert store.run(scenario) == (False, True, ())


def test_the_webhook_is_told_each_piece_of_news_until_it_has_taken_it(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        told = SqlWatchStore(state.database, state.vault, clock=store.clock, has_receiver=True)
        made = watch(1)
        await told.add_watch(ANN, made, most=5, news=[news(1, made), news(2, made)])
        waiting = await told.list_untold_news(limit=10)
        await told.mark_news_told([waiting[0].id])
        return [one.id for one in waiting], [
            one.id for one in await told.list_untold_news(limit=10)
        ]

    first, second = store.run(scenario)

    assert len(first) == 2
    assert second == first[1:]


def test_news_beyond_the_limit_displace_the_oldest(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        small = SqlWatchStore(state.database, state.vault, clock=store.clock, max_news=2)
        made = watch(1)
        await small.add_watch(ANN, made, most=5)
        for number in range(3):
            store.clock.now += 1
            (record,) = await small.list_watches(ANN)
            await small.save_check(ANN, record, state={}, due=0.0, news=[news(number, record)])
        return [one.id for one in await small.list_news(ANN)]

    assert store.run(scenario) == [f"{ANN}-1-n2", f"{ANN}-1-n1"]
