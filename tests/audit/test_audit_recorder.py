"""Recording: durable before it returns, quiet about floods of refusals, and off the way of calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from citewell.audit.audit_recorder import (
    MAX_WINDOW_SOURCES,
    WINDOW_SECONDS,
    AuditRecorder,
    AuditSealer,
    AuditUpkeep,
    RefusalPacer,
)
from citewell.audit.audit_segments import AuditEvent, AuditEventType
from citewell.core.config import Settings
from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.http.authentication import record_audit_event
from citewell.server.state.state_store import StateStore
from citewell.store.failures import StoreError
from tests.clocks import Clock
from tests.requirements import requires

DAY = 86400.0


def with_app(folder: Path, scenario: Callable[[App], Awaitable[Any]], **settings: Any) -> Any:
    async def run() -> Any:
        app = App(Settings(data_dir=folder, cache_enabled=False, **settings))
        try:
            return await scenario(app)
        finally:
            await app.aclose()

    return asyncio.run(run())


async def lines(state: StateStore) -> list[dict[str, Any]]:
    return [row.build_line() async for row in state.audit.iterate_rows()]


def read_back(folder: Path) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        state = StateStore(Settings(data_dir=folder))
        try:
            return await lines(state)
        finally:
            await state.aclose()

    return asyncio.run(run())


@requires("audit.events")
def test_an_action_of_an_administrator_is_stored_with_secrets_masked(tmp_path: Path) -> None:
    async def scenario(app: App) -> list[dict[str, Any]]:
        await record_audit_event(
            app,
            AuditEventType.ADMIN_ACTION,
            owner=Owner(tenant="acme", user="ada"),
            source_ip="192.0.2.1",
            request_id="r1",
            metadata={"action": "erase", "note": "token=abcdefghij"},
        )
        return await lines(app.open_state())

    (line,) = with_app(tmp_path, scenario)

    assert (line["event_type"], line["user_id"], line["source_ip"]) == (
        "admin_action",
        "ada",
        "192.0.2.1",
    )
    assert line["metadata"] == {"action": "erase", "note": "token=***"}
    assert line["success"]


def test_nothing_is_stored_if_nothing_is_audited(tmp_path: Path) -> None:
    with_app(
        tmp_path,
        lambda app: record_audit_event(app, AuditEventType.ADMIN_ACTION),
        audit_enabled=False,
    )

    assert not (tmp_path / "state.db").exists()


@requires("audit.events")
def test_a_flood_of_refused_callers_makes_few_rows_and_is_counted(tmp_path: Path) -> None:
    async def scenario(app: App) -> None:
        for number in range(5000):
            await record_audit_event(
                app,
                AuditEventType.AUTH_REFUSED,
                source_ip=f"192.0.2.{number % 250}",
                error_code="invalid_token",
            )

    with_app(tmp_path, scenario)

    rows = read_back(tmp_path)
    assert len(rows) <= 2 * (MAX_WINDOW_SOURCES + 1)
    assert {row["event_type"] for row in rows} == {"auth_refused"}
    assert not any(row["success"] for row in rows)
    assert sum(row["metadata"].get("repeats", 0) + (not row["metadata"]) for row in rows) == 5000


def test_refusals_are_counted_anew_in_each_window() -> None:
    clock = Clock(now=1000.0)
    pacer = RefusalPacer(clock=clock)

    first = [pacer.is_first_refusal("a", "expired") for _ in range(3)]
    early = pacer.take_summaries()
    clock.now += WINDOW_SECONDS
    (summary,) = pacer.take_summaries()

    assert first == [True, False, False]
    assert early == ()
    assert (summary.source_ip, summary.error_code, summary.repeats) == ("a", "expired", 2)
    assert pacer.is_first_refusal("a", "expired")
    assert pacer.is_first_refusal("a", "no_scope")


def build_recorder(state: StateStore, clock: Clock) -> AuditRecorder:
    sealer = AuditSealer(state.audit, state.leases, retention_days=180, clock=clock)
    return AuditRecorder(state.audit, AuditUpkeep([sealer]), clock=clock)


def test_an_event_of_a_cancelled_call_is_stored_too(tmp_path: Path) -> None:
    async def run() -> list[dict[str, Any]]:
        state = StateStore(Settings(data_dir=tmp_path))
        recorder = build_recorder(state, Clock(now=1000.0))
        event = AuditEvent(happened_at=1.0, tenant_id="acme", user_id="ada")
        call = asyncio.create_task(recorder.record_event(event))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        await recorder.aclose()
        found = await lines(state)
        await state.aclose()
        return found

    assert [line["row"] for line in asyncio.run(run())] == [1]


def test_sealing_removes_what_is_older_than_the_retention(tmp_path: Path) -> None:
    async def run() -> list[Any]:
        clock = Clock(now=1000.0)
        clock.now = 400 * DAY
        state = StateStore(Settings(data_dir=tmp_path))
        sealer = AuditSealer(state.audit, state.leases, retention_days=180, clock=clock)
        for day in (1, 219, 221, 400):
            event = AuditEvent(happened_at=day * DAY, tenant_id="acme", user_id="ada")
            await state.audit.append_event("acme/ada", event)
            await state.audit.seal_waiting_rows()
        await sealer.run_round()
        found = [line["row"] for line in await lines(state)]
        await state.aclose()
        return found

    assert asyncio.run(run()) == [3, 4]


def test_upkeep_goes_on_after_a_failure() -> None:
    class Failing:
        rounds = 0

        def __init__(self) -> None:
            self.again = asyncio.Event()

        async def run_round(self) -> float:
            self.rounds += 1
            if self.rounds == 1:
                raise StoreError("The disk is full.")
            self.again.set()
            return 0.0

        async def finish_work(self) -> None:
            raise CitewellError("still broken")

    async def run() -> int:
        work = Failing()

        async def pause(_: float) -> None:
            await asyncio.sleep(0)

        upkeep = AuditUpkeep([work], pause=pause)
        upkeep.ensure_running()
        async with asyncio.timeout(60):
            await work.again.wait()
        await upkeep.aclose()
        return work.rounds

    assert asyncio.run(run()) >= 2


@requires("audit.chain")
def test_one_process_seals_while_the_other_holds_no_lease(tmp_path: Path) -> None:
    async def run() -> tuple[bool, bool]:
        first, second = (StateStore(Settings(data_dir=tmp_path)) for _ in range(2))
        leader = AuditSealer(first.audit, first.leases, retention_days=180, clock=Clock(now=1000.0))
        other = AuditSealer(
            second.audit, second.leases, retention_days=180, clock=Clock(now=1000.0)
        )
        await leader.run_round()
        await second.audit.append_event("acme/ada", AuditEvent(happened_at=1.0))
        await other.run_round()
        waited = await second.audit.has_waiting_rows()
        await leader.run_round()
        sealed = not await second.audit.has_waiting_rows()
        await first.aclose()
        await second.aclose()
        return waited, sealed

    assert asyncio.run(run()) == (True, True)


def test_the_rows_of_an_owner_with_a_slash_in_the_name_are_erased_with_the_owner(
    tmp_path: Path,
) -> None:
    owner = Owner(tenant="acme", user="https://id.example/ada")

    async def scenario(app: App) -> tuple[int, list[bool]]:
        await record_audit_event(app, AuditEventType.TOKEN_CREATED, owner=owner)
        state = app.open_state()
        exported = len(await state.audit.export_owner(str(owner)))
        await state.erase_owner(str(owner))
        return exported, [line.get("erased", False) for line in await lines(state)]

    assert with_app(tmp_path, scenario, audit_enabled=True) == (1, [True])
