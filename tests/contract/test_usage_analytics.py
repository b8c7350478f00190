"""What the store of usage promises on either engine, and who is counted."""

from __future__ import annotations

import asyncio
from typing import Any

from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.people.usage_analytics import MAX_RECENT_TOOLS, ToolUse, UsageAnalytics
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept
from tests.requirements import requires

ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="acme", user="ben")
NAMESAKE = Owner(tenant="other", user="ann")


def serve(
    store: Kept, state: StateStore, local: Owner | None = None
) -> tuple[ConsentService, UsageAnalytics]:
    consents = ConsentService(state.consents, local_owner=local, clock=store.clock)
    return consents, UsageAnalytics(state.analytics, consents, clock=store.clock)


def test_calls_are_counted_by_tool(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, usage = serve(store, state)
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        for tool in ("web_search", "scrape_page", "web_search"):
            store.clock.now += 1
            usage.record_call(ANN, tool)
        answer = await usage.describe_usage(ANN)
        await usage.aclose()
        return answer.to_wire(), await state.analytics.export_owner(str(ANN))

    answer, exported = store.run(scenario)

    assert answer == {
        "status": "ok",
        "analytics": {
            "tenantId": "acme",
            "userId": "ann",
            "totalCalls": 3,
            "toolCounts": {"scrape_page": 1, "web_search": 2},
            "firstSeen": "2027-01-15T08:00:01Z",
            "lastSeen": "2027-01-15T08:00:03Z",
            "recentTools": ["web_search", "scrape_page", "web_search"],
        },
    }
    assert exported == answer["analytics"]


@requires("get_my_analytics.consent")
def test_only_calls_under_consent_are_counted(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, usage = serve(store, state)
        usage.record_call(ANN, "before")
        store.clock.now += 1
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        first = (await usage.describe_usage(ANN)).status
        usage.record_call(ANN, "during")
        await usage.write_calls()
        usage.record_call(ANN, "not written before the withdrawal")
        store.clock.now += 1
        await consents.withdraw_consent(ANN, "analytics", decided_from="admin")
        usage.record_call(ANN, "after")
        refused = (await usage.describe_usage(ANN)).status
        await usage.aclose()
        return first, refused, await state.analytics.export_owner(str(ANN))

    first, refused, exported = store.run(scenario)

    assert (first, refused) == ("empty", "no_consent")
    assert exported["toolCounts"] == {"during": 1}


def test_a_withdrawal_in_another_process_stops_what_waits_here(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, usage = serve(store, state)
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        usage.record_call(ANN, "web_search")
        async with store.opened() as other:
            await serve(store, other)[0].withdraw_consent(ANN, "analytics", decided_from="x")
        kept_back = await state.analytics.add_uses(
            str(ANN), tenant="acme", user="ann", uses=[ToolUse(tool="x", at=store.clock())]
        )
        await usage.aclose()
        return kept_back, await state.analytics.export_owner(str(ANN))

    assert store.run(scenario) == (False, None)


def test_calls_are_written_by_themselves(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents = ConsentService(state.consents, clock=store.clock)
        waited = asyncio.Event()

        async def pause(_: float) -> None:
            waited.set()

        usage = UsageAnalytics(state.analytics, consents, clock=store.clock, pause=pause)
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        usage.record_call(ANN, "web_search")
        async with asyncio.timeout(120):
            await waited.wait()
            while await state.analytics.find_summary(str(ANN)) is None:  # noqa: ASYNC110 - the store tells nobody
                await asyncio.sleep(0)
        await usage.aclose()

    store.run(scenario)


def test_the_local_user_is_counted_from_the_first_call(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        _, usage = serve(store, state, ANN)
        store.clock.now += 1
        usage.record_call(ANN, "web_search")
        usage.record_call(Owner(), "web_search")
        await usage.aclose()
        return await state.analytics.export_owner(str(ANN)), await state.analytics.export_owner(
            str(Owner())
        )

    counted, anonymous = store.run(scenario)

    assert counted["totalCalls"] == 1
    assert anonymous is None


def test_processes_that_write_at_once_lose_no_call(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, _ = serve(store, state)
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        uses = [ToolUse(tool="web_search", at=store.clock())]
        await asyncio.gather(
            *(
                state.analytics.add_uses(str(ANN), tenant="acme", user="ann", uses=uses)
                for _ in range(8)
            )
        )
        return (await state.analytics.export_owner(str(ANN)))["totalCalls"]  # type: ignore[index]

    assert store.run(scenario) == 8


def test_the_list_of_recent_tools_is_short(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, usage = serve(store, state)
        await consents.grant_consent(ANN, "analytics", decided_from="admin")
        for number in range(MAX_RECENT_TOOLS + 5):
            usage.record_call(ANN, f"tool_{number}")
        await usage.aclose()
        return await state.analytics.export_owner(str(ANN))

    exported = store.run(scenario)

    assert exported["recentTools"][0] == f"tool_{MAX_RECENT_TOOLS + 4}"
    assert len(exported["recentTools"]) == MAX_RECENT_TOOLS


def test_administrators_see_the_users_of_one_tenant(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents, usage = serve(store, state)
        for owner in (BEN, ANN, NAMESAKE):
            await consents.grant_consent(owner, "analytics", decided_from="admin")
            usage.record_call(owner, "web_search")
        await usage.aclose()
        listed = await state.analytics.list_tenant("acme")
        await state.erase_owner(str(ANN))
        return [one.user for one in listed], [
            one.user for one in await state.analytics.list_tenant("acme")
        ]

    assert store.run(scenario) == (["ann", "ben"], ["ben"])
