"""The budget of a tenant on either engine: its users share it, and nobody overdraws it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.tooling import Owner
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.store.ledger_store import TenantBalance
from citewell.jobs.store.thread_store import BalanceTooLow, TenantBudgetTooLow
from citewell.server.state.state_store import StateStore
from tests.contract.offices import CENT, Provider, completed, ended, office, order, paying, working
from tests.contract.states import ENGINES, Kept, kept
from tests.requirements import requires

ALICE, BOB, CAROL = "acme/alice", "acme/bob", "globex/carol"


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return kept(request.param, tmp_path).with_settings(research_tenant_budget=100)


async def nothing(run: WorkflowRun) -> Any:
    return None


def list_cents(balance: TenantBalance) -> tuple[int, int, int | None]:
    return balance.reserved_cents, balance.settled_cents, balance.remaining_cents


@requires("limits.budget")
def test_the_users_of_a_tenant_share_one_budget(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        jobs = office(store, state, nothing)
        await jobs.dispatch_job(ALICE, order(cap=60 * CENT))
        with pytest.raises(TenantBudgetTooLow) as raised:
            await jobs.dispatch_job(BOB, order(cap=41 * CENT))
        await jobs.dispatch_job(BOB, order(cap=40 * CENT))
        await jobs.dispatch_job(CAROL, order(cap=100 * CENT))
        return raised.value, await state.ledger.tenants.load_balance(BOB)

    refused, balance = store.run(scenario)

    assert refused.code == "INSUFFICIENT_BALANCE"
    assert refused.extra == {"balanceCents": 40, "requiredCents": 41, "limit": "tenant-budget"}
    assert list_cents(balance) == (100, 0, 0)


@requires("limits.budget")
def test_fifty_orders_of_two_users_at_once_cannot_overdraw_the_budget(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        async with store.opened() as elsewhere:
            offices = [office(store, one, nothing) for one in (state, elsewhere)]
            orders = [
                offices[number % 2].dispatch_job((ALICE, BOB)[number % 2], order(cap=15 * CENT))
                for number in range(50)
            ]
            told = await asyncio.gather(*orders, return_exceptions=True)
        kinds = [type(one).__name__ for one in told]
        return kinds, await state.ledger.tenants.load_balance(ALICE)

    kinds, balance = store.run(scenario)

    assert (kinds.count("JobView"), kinds.count("TenantBudgetTooLow")) == (6, 44)
    assert list_cents(balance) == (90, 0, 10)


def test_what_a_job_really_cost_is_counted_and_the_rest_returned(store: Kept) -> None:
    provider = Provider(polls=[completed(cost=7 * CENT + 1)])

    async def scenario(state: StateStore) -> TenantBalance:
        async with working(store, state, paying(provider)) as jobs:
            view = await jobs.dispatch_job(ALICE, order(cap=60 * CENT))
            await ended(jobs, view.job.id, owner=ALICE)
        return await state.ledger.tenants.load_balance(BOB)

    assert list_cents(store.run(scenario)) == (0, 8, 92)


def test_erasing_a_user_returns_what_their_jobs_held(store: Kept) -> None:
    async def scenario(state: StateStore) -> TenantBalance:
        jobs = office(store, state, nothing)
        await jobs.dispatch_job(ALICE, order(cap=60 * CENT))
        await jobs.dispatch_job(ALICE, order(cap=10 * CENT))
        await jobs.dispatch_job(BOB, order(cap=20 * CENT))
        await state.erase_owner(ALICE)
        return await state.ledger.tenants.load_balance(BOB)

    assert list_cents(store.run(scenario)) == (20, 0, 80)


def test_a_cancelled_job_returns_what_it_held(store: Kept) -> None:
    async def scenario(state: StateStore) -> TenantBalance:
        view = await office(store, state, nothing).dispatch_job(ALICE, order(cap=60 * CENT))
        await state.jobs.request_cancellation(ALICE, view.job.id)
        return await state.ledger.tenants.load_balance(ALICE)

    assert list_cents(store.run(scenario)) == (0, 0, 100)


def test_a_users_own_budget_holds_beside_that_of_the_tenant(store: Kept) -> None:
    limited = store.with_settings(research_budget=30)

    async def scenario(state: StateStore) -> TenantBalance:
        jobs = office(store, state, nothing)
        with pytest.raises(BalanceTooLow):
            await jobs.dispatch_job(ALICE, order(cap=31 * CENT))
        return await state.ledger.tenants.load_balance(ALICE)

    assert list_cents(limited.run(scenario)) == (0, 0, 100)


def test_a_tenant_can_have_a_budget_of_its_own(store: Kept, tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text('[tenants."glo/bex"]\nresearch_budget_cents = 5\n')
    limited = store.with_settings(research_tenant_budget=None, limits_file=file)
    slashed = str(Owner(tenant="glo/bex", user="carol"))

    async def scenario(state: StateStore) -> int | None:
        jobs = office(store, state, nothing)
        await jobs.dispatch_job(ALICE, order(cap=1000 * CENT))
        with pytest.raises(TenantBudgetTooLow):
            await jobs.dispatch_job(slashed, order(cap=6 * CENT))
        return (await state.ledger.tenants.load_balance(ALICE)).remaining_cents

    assert limited.run(scenario) is None
