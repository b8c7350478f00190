"""What the ledger promises on either engine: nobody spends what is not there, and sums are exact."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.store.ledger_rows import CreditBalance, LedgerEntryType
from citewell.jobs.store.thread_store import BalanceTooLow
from citewell.server.state.state_store import StateStore
from tests.contract.offices import (
    CENT,
    OWNER,
    Provider,
    completed,
    ended,
    office,
    order,
    paying,
    working,
)
from tests.contract.states import Kept
from tests.requirements import requires


async def nothing(run: WorkflowRun) -> Any:
    return None


async def booked(state: StateStore, owner: str = OWNER) -> dict[LedgerEntryType, int]:
    """The sums of the book, by type."""
    sums = dict.fromkeys(LedgerEntryType, 0)
    for entry in await state.ledger.list_transactions(owner, limit=10_000):
        sums[entry.type] += entry.ticks
    return sums


def test_without_a_budget_nothing_is_refused_and_spending_is_counted(store: Kept) -> None:
    provider = Provider(polls=[completed(cost=700 * CENT)])

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        before = await state.ledger.load_balance(OWNER)
        async with working(store, state, paying(provider)) as jobs:
            view = await jobs.dispatch_job(OWNER, order(cap=10**6 * CENT))
            await ended(jobs, view.job.id)
        return (
            before,
            await state.ledger.load_balance(OWNER),
            await state.ledger.list_provider_spending(OWNER),
        )

    before, after, usage = store.run(scenario)

    assert not before.limited
    assert not after.limited
    assert (after.settled, after.reserved) == (700 * CENT, 0)
    assert [(one.provider, one.ticks, one.jobs) for one in usage] == [("double", 700 * CENT, 1)]


def test_what_was_spent_before_the_first_credit_is_not_charged_against_it(store: Kept) -> None:
    provider = Provider(polls=[completed(cost=700 * CENT)])

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        async with working(store, state, paying(provider)) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
        await office(store, state, nothing).dispatch_job(OWNER, order(cap=30 * CENT))
        return await state.ledger.post_credit(OWNER, 500 * CENT), await booked(state)

    balance, sums = store.run(scenario)

    assert balance.limited
    assert balance.cents == 500
    assert balance.credited == sums["credit"] == (700 + 30 + 500) * CENT


@requires("deep.reserve")
def test_fifty_orders_at_once_cannot_spend_more_than_there_is(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit(OWNER, 200 * CENT)
        async with store.opened() as elsewhere:
            offices = [office(store, one, nothing) for one in (state, elsewhere)]
            orders = [
                offices[number % 2].dispatch_job(OWNER, order(cap=15 * CENT))
                for number in range(50)
            ]
            told = await asyncio.gather(*orders, return_exceptions=True)
        kinds = [type(one).__name__ for one in told]
        return kinds, await state.ledger.load_balance(OWNER), await booked(state)

    kinds, balance, sums = store.run(scenario)

    assert kinds.count("JobView") == 13
    assert kinds.count("BalanceTooLow") == 37
    assert (balance.ticks, balance.reserved) == (5 * CENT, 195 * CENT)
    assert sums["reserve"] == balance.reserved


def test_fifty_jobs_at_once_settle_to_the_last_tick(store: Kept) -> None:
    third = 33_333_333

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit(OWNER, 1000 * CENT)

        async def work(run: WorkflowRun) -> str:
            cost = third + run.job.args["number"]
            return await run.run_paid_call("call", Provider(polls=[completed(cost=cost)]))

        async with working(store, state, work, at_once=8, per_owner=100) as jobs:
            orders = [order(cap=10 * CENT, args={"number": number}) for number in range(50)]
            views = await asyncio.gather(*(jobs.dispatch_job(OWNER, one) for one in orders))
            for view in views:
                await ended(jobs, view.job.id)
        balance = await state.ledger.load_balance(OWNER)
        return balance, await booked(state), await state.ledger.list_provider_spending(OWNER)

    balance, sums, usage = store.run(scenario)

    spent = 50 * third + sum(range(50))
    assert balance.settled == sums["settle"] == usage[0].ticks == spent
    assert balance.reserved == sums["reserve"] - sums["settle"] - sums["release"] == 0
    assert balance.ticks == 1000 * CENT - spent
    assert usage[0].jobs == 50


@requires("deep.rounding")
def test_parts_of_cents_add_up_to_whole_ones_by_job_and_by_provider(store: Kept) -> None:
    half = CENT // 2

    async def work(run: WorkflowRun) -> None:
        for name in ("a", "b", "c"):
            bill = Provider(provider=name, polls=[completed(cost=half)])
            await run.run_paid_call(name, bill)

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        async with working(store, state, work) as jobs:
            views = [await jobs.dispatch_job(OWNER, order()) for _ in range(2)]
            ends = [await ended(jobs, view.job.id) for view in views]
        return (
            ends,
            await state.ledger.load_balance(OWNER),
            await state.ledger.list_provider_spending(OWNER),
            await state.ledger.list_transactions(OWNER),
        )

    ends, balance, usage, entries = store.run(scenario)

    assert [dict(view.provider_cents) for view in ends] == [{"a": 1, "b": 0, "c": 1}] * 2
    assert {one.provider: one.cents for one in usage} == {"a": 2, "b": 0, "c": 2}
    assert (balance.settled, balance.settled_cents, balance.cents) == (3 * CENT, 4, 96)
    assert sum(entry.cents for entry in entries if entry.type == "settle") == 4
    assert sum(entry.cents for entry in entries if entry.type == "release") == 2 * 48


def test_shown_and_spendable_are_one_figure(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit(OWNER, 10 * CENT)
        cheap = paying(Provider(polls=[completed(cost=CENT // 2)], estimate_cost=CENT))
        async with working(store, state, cheap) as jobs:
            for _ in range(4):
                view = await jobs.dispatch_job(OWNER, order(cap=CENT))
                await ended(jobs, view.job.id)
            with pytest.raises(BalanceTooLow) as refused:
                await jobs.dispatch_job(OWNER, order(cap=7 * CENT))
        return refused.value.extra, await state.ledger.load_balance(OWNER)

    told, balance = store.run(scenario)

    assert (balance.ticks, balance.cents) == (8 * CENT, 6)
    assert told == {"balanceCents": 6, "requiredCents": 7}


@pytest.mark.parametrize("ticks", [0, -1, -100 * CENT, 10**18])
def test_a_credit_of_nothing_or_less_or_beyond_all_measure_is_refused(
    store: Kept, ticks: Any
) -> None:
    async def scenario(state: StateStore) -> CreditBalance:
        with pytest.raises(InvalidInput):
            await state.ledger.post_credit(OWNER, ticks)
        return await state.ledger.load_balance(OWNER)

    assert not store.run(scenario).limited


def test_a_correction_takes_no_more_than_there_is(store: Kept) -> None:
    async def scenario(state: StateStore) -> CreditBalance:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        await office(store, state, nothing).dispatch_job(OWNER, order(cap=30 * CENT))
        with pytest.raises(InvalidInput):
            await state.ledger.post_credit(OWNER, -71 * CENT, correction=True)
        with pytest.raises(InvalidInput):
            await state.ledger.post_credit(OWNER, 0, correction=True)
        return await state.ledger.post_credit(OWNER, -70 * CENT - 0, correction=True)

    assert store.run(scenario).ticks == 0


def test_a_correction_by_parts_of_a_cent_is_exact(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit(OWNER, 10 * CENT)
        balance = await state.ledger.post_credit(OWNER, -1, correction=True, note="A slip.")
        (latest, *_) = await state.ledger.list_transactions(OWNER)
        return balance, latest

    balance, entry = store.run(scenario)

    assert (balance.ticks, balance.cents) == (10 * CENT - 1, 9)
    assert (entry.ticks, entry.source, entry.note) == (-1, "correction", "A slip.")


def test_concurrent_credits_are_all_kept(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await asyncio.gather(*(state.ledger.post_credit(OWNER, CENT) for _ in range(20)))
        return await state.ledger.load_balance(OWNER), await booked(state)

    balance, sums = store.run(scenario)

    assert balance.credited == sums["credit"] == 20 * CENT


def test_a_configured_budget_limits_every_owner(store: Kept) -> None:
    limited = store.with_settings(research_budget=50)

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        jobs = office(store, state, nothing)
        with pytest.raises(BalanceTooLow):
            await jobs.dispatch_job("a", order(cap=51 * CENT))
        await jobs.dispatch_job("a", order(cap=50 * CENT))
        return await state.ledger.load_balance("a"), await state.ledger.load_balance("b")

    a, b = limited.run(scenario)

    assert (a.limited, a.cents) == (True, 0)
    assert (b.limited, b.cents) == (True, 50)


def test_a_budget_of_nothing_refuses_whatever_costs(store: Kept) -> None:
    limited = store.with_settings(research_budget=0)

    async def scenario(state: StateStore) -> CreditBalance:
        jobs = office(store, state, nothing)
        await jobs.dispatch_job(OWNER, order(cap=0))
        with pytest.raises(BalanceTooLow):
            await jobs.dispatch_job(OWNER, order(cap=1))
        return await state.ledger.load_balance(OWNER)

    balance = limited.run(scenario)

    assert (balance.limited, balance.ticks) == (True, 0)


def test_a_changed_budget_is_in_force_at_the_next_look(store: Kept) -> None:
    async def spend(state: StateStore) -> None:
        await office(store, state, nothing).dispatch_job(OWNER, order(cap=30 * CENT))

    async def look(state: StateStore) -> CreditBalance:
        return await state.ledger.load_balance(OWNER)

    store.with_settings(research_budget=50).run(spend)
    raised = store.with_settings(research_budget=80).run(look)
    lowered = store.with_settings(research_budget=40).run(look)
    below = store.with_settings(research_budget=10).run(look)
    back = store.with_settings(research_budget=50).run(look)

    assert [one.cents for one in (raised, lowered, below, back)] == [50, 10, 0, 20]


def test_accounts_are_their_owners_alone(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        await state.ledger.post_credit("a", 5 * CENT, note="for a")
        return (
            await state.ledger.load_balance("b"),
            await state.ledger.list_transactions("b"),
            await state.ledger.list_provider_spending("b"),
        )

    balance, entries, usage = store.run(scenario)

    assert (balance.credited, balance.limited, entries, usage) == (0, False, (), ())


def test_usage_counts_from_a_moment_on(store: Kept) -> None:
    async def scenario(state: StateStore) -> list[Any]:
        async with working(store, state, paying(Provider())) as jobs:
            for _ in range(2):
                view = await jobs.dispatch_job(OWNER, order())
                await ended(jobs, view.job.id)
                store.clock.now += 1000
        now = store.clock()
        return [
            await state.ledger.list_provider_spending(OWNER, since=now - ago)
            for ago in (1e6, 1500, 500)
        ]

    spends = store.run(scenario)

    assert [[one.jobs for one in spend] for spend in spends] == [[2], [1], []]
