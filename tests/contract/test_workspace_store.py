"""What the store of workspaces promises on either engine."""

from __future__ import annotations

from typing import Any

from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.people.workspace_service import WorkspaceMembers
from citewell.people.workspace_store import SharedFinding, SqlWorkspaceStore
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept
from tests.requirements import requires

ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="beta", user="ben")
EVE = Owner(tenant="acme", user="eve")
HOUR = 3600


def find(number: int, owner: Owner, workspace: str = "team") -> SharedFinding:
    return SharedFinding(
        id=f"{owner.user}-{number}",
        workspace_id=workspace,
        tenant=owner.tenant,
        user=owner.user,
        note=f"finding {number} of {owner.user}",
        url="https://example.org/a",
        tags=("x", "y"),
    )


async def join(store: Kept, state: StateStore, *owners: Owner, workspace: str = "team") -> None:
    consents = ConsentService(state.consents, clock=store.clock)
    for owner in owners:
        await consents.grant_consent(owner, "workspace", decided_from="admin")
        await WorkspaceMembers(state.workspaces).add_member(workspace, owner)


async def share(store: Kept, state: StateStore, owner: Owner, count: int) -> None:
    for number in range(count):
        store.clock.now += 1
        assert await state.workspaces.add_finding(str(owner), find(number, owner)) is not None


async def read(state: StateStore, owner: Owner, workspace: str = "team") -> list[str]:
    found, total = await state.workspaces.list_findings(str(owner), workspace, limit=100)
    assert total == len(found)
    return [one.id for one in found]


def test_members_of_two_tenants_read_what_each_shared(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN, BEN)
        await share(store, state, ANN, 2)
        await share(store, state, BEN, 1)
        return await state.workspaces.list_findings(str(BEN), "team", limit=2, offset=1)

    found, total = store.run(scenario)

    assert total == 3
    assert [(one.tenant, one.user, one.note, one.url, one.tags) for one in found] == [
        ("acme", "ann", f"finding {number} of ann", "https://example.org/a", ("x", "y"))
        for number in (1, 0)
    ]


def test_membership_is_asked_for_at_every_read_and_write(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN, BEN)
        await join(store, state, EVE, workspace="elsewhere")
        await share(store, state, ANN, 1)
        members = WorkspaceMembers(state.workspaces)
        told = [await read(state, BEN), await read(state, EVE)]
        refused = await state.workspaces.add_finding(str(EVE), find(1, EVE))
        assert await members.remove_member("team", BEN)
        assert not await members.remove_member("team", BEN)
        told.append(await read(state, BEN))
        return told, refused, await read(state, ANN)

    assert store.run(scenario) == ([["ann-0"], [], []], None, ["ann-0"])


def test_members_are_listed_for_the_host(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        members = WorkspaceMembers(state.workspaces)
        added = []
        for owner in (ANN, BEN, ANN):
            store.clock.now += 1
            added.append(await members.add_member("team", owner))
        listed = await members.list_members("team")
        own = await members.list_memberships(BEN)
        return added, [(m.tenant, m.user) for m in listed], [m.workspace_id for m in own]

    added, listed, own = store.run(scenario)

    assert added == [True, True, False]
    assert listed == [("acme", "ann"), ("beta", "ben")]
    assert own == ["team"]


def test_without_consent_nothing_is_shared_and_what_was_is_hidden(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN, BEN)
        await share(store, state, ANN, 1)
        consents = ConsentService(state.consents, clock=store.clock)
        await consents.withdraw_consent(ANN, "workspace", decided_from="admin")
        refused = await state.workspaces.add_finding(str(ANN), find(7, ANN))
        hidden = await read(state, BEN)
        await consents.grant_consent(ANN, "workspace", decided_from="admin")
        return refused, hidden, await read(state, BEN)

    assert store.run(scenario) == (None, [], ["ann-0"])


def test_findings_end_with_their_time_to_live(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN)
        await share(store, state, ANN, 1)
        store.clock.now += 719 * HOUR
        alive = await read(state, ANN), await state.workspaces.delete_expired()
        store.clock.now += 1 * HOUR
        return alive, await read(state, ANN), await state.workspaces.delete_expired()

    assert store.run(scenario) == ((["ann-0"], 0), [], 1)


@requires("workspace_contribute.limit")
def test_a_full_workspace_drops_the_contributors_own_oldest(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN, BEN, EVE)
        small = SqlWorkspaceStore(
            state.database, state.vault, ttl=HOUR, clock=store.clock, max_contributions=3
        )
        for number, owner in enumerate((ANN, BEN, ANN, BEN, EVE)):
            store.clock.now += 1
            await small.add_finding(str(owner), find(number, owner))
        found, _ = await small.list_findings(str(ANN), "team", limit=10)
        return [one.id for one in found]

    assert store.run(scenario) == ["eve-4", "ben-3", "ann-2"]


def test_of_an_erased_contributor_nothing_is_left_to_read(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await join(store, state, ANN, BEN)
        await share(store, state, ANN, 2)
        await share(store, state, BEN, 1)
        exported = await state.workspaces.export_owner(str(ANN))
        async with store.opened() as other:
            await other.erase_owner(str(ANN))
        left = await state.workspaces.export_owner(str(ANN))
        refused = await state.workspaces.add_finding(str(ANN), find(9, ANN))
        members = await WorkspaceMembers(state.workspaces).list_members("team")
        return exported, left, refused, await read(state, BEN), [m.user for m in members]

    exported, left, refused, read_by_ben, members = store.run(scenario)

    assert [one["note"] for one in exported["contributions"]] == [
        "finding 0 of ann",
        "finding 1 of ann",
    ]
    assert [one["workspaceId"] for one in exported["memberships"]] == ["team"]
    assert left == {"memberships": [], "contributions": []}
    assert (refused, read_by_ben, members) == (None, ["ben-0"], ["ben"])


def test_neither_names_nor_notes_lie_open_on_disk(store: Kept) -> None:
    person = Owner(tenant="tenant-marker", user="user-marker")

    async def scenario(state: StateStore) -> None:
        await join(store, state, person, workspace="team-marker")
        finding = find(1, person, "team-marker")
        assert await state.workspaces.add_finding(str(person), finding) is not None

    store.run(scenario)

    data = store.on_disk()
    assert b"tenant-marker" not in data
    assert b"team-marker" not in data
    assert b"finding 1" not in data
