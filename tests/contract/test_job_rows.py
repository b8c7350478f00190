"""The totals that operators see, the same on both engines."""

from __future__ import annotations

from citewell.core.values.research import TICKS_PER_CENT
from citewell.jobs.durable_job import JobOrder
from citewell.jobs.store.job_rows import (
    SECONDS_PER_DAY,
    load_job_totals,
    load_reserved_cents,
    load_spending_totals,
)
from citewell.server.state.state_store import StateStore
from citewell.store.sql.database import SqlStatement
from tests.contract.states import Kept

NOW = 4e9
SETTLE = (
    "INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job, provider) "
    "VALUES (:id, :id, 1, :entered, 'settle', :cents, 0, :job, :provider)"
)


def test_totals_add_up_what_all_owners_have(store: Kept) -> None:
    async def fill(state: StateStore) -> None:
        for owner in ("a/x", "b/y"):
            order = JobOrder(kind="research", args={}, cap=5 * TICKS_PER_CENT)
            await state.jobs.create_job(owner, f"job of {owner}", order)
        rows = [
            ("a", "openai", 7, NOW - 40 * SECONDS_PER_DAY),
            ("b", "openai", 30, NOW - 2 * SECONDS_PER_DAY),
            ("c", "exa", 4, NOW - 60),
        ]
        await state.database.execute_batch(
            [
                SqlStatement(
                    sql=SETTLE,
                    params={
                        "id": name,
                        "job": name,
                        "provider": provider,
                        "cents": cents,
                        "entered": entered,
                    },
                )
                for name, provider, cents, entered in rows
            ]
        )

    async def check(state: StateStore) -> None:
        empty = await load_job_totals(state.database)
        assert (dict(empty.by_status), empty.oldest_waiting_at) == ({}, None)
        await fill(state)
        jobs = await load_job_totals(state.database)
        spent = await load_spending_totals(state.database, now=NOW)
        assert dict(jobs.by_status) == {"pending": 2}
        assert jobs.oldest_waiting_at is not None
        assert [
            (one.provider, one.day_cents, one.month_cents, one.total_cents, one.jobs)
            for one in spent
        ] == [("openai", 0, 30, 37, 2), ("exa", 4, 4, 4, 1)]
        assert await load_reserved_cents(state.database) == 10

    store.run(check)
