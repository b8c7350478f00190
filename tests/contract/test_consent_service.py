"""What the store of consents promises on either engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept, kept

ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="acme", user="ben")
NAMESAKE = Owner(tenant="other", user="ann")


def serve(store: Kept, state: StateStore, local: Owner | None = None) -> ConsentService:
    return ConsentService(state.consents, local_owner=local, clock=store.clock)


def test_a_decision_is_kept_with_who_when_and_where(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await serve(store, state).grant_consent(
            ANN, "memory", terms_version="2026-01", decided_from="admin"
        )
        return await state.consents.export_owner(str(ANN))

    assert store.run(scenario) == [
        {
            "tenantId": "acme",
            "userId": "ann",
            "purpose": "memory",
            "granted": True,
            "termsVersion": "2026-01",
            "decidedAt": "2027-01-15T08:00:00Z",
            "decidedFrom": "admin",
        }
    ]


def test_consent_holds_for_one_user_and_one_purpose(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents = serve(store, state)
        await consents.grant_consent(ANN, "memory", decided_from="admin")
        asked = [(ANN, "memory"), (ANN, "analytics"), (BEN, "memory"), (NAMESAKE, "memory")]
        return [await consents.has_consent(owner, purpose) for owner, purpose in asked]  # type: ignore[arg-type]

    assert store.run(scenario) == [True, False, False, False]


def test_the_latest_decision_counts(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents = serve(store, state)
        told = []
        for decide in (consents.grant_consent, consents.withdraw_consent, consents.grant_consent):
            store.clock.now += 1
            await decide(ANN, "workspace", decided_from="admin")
            told.append(await consents.has_consent(ANN, "workspace"))
        return told, len(await consents.list_consents(ANN))

    assert store.run(scenario) == ([True, False, True], 1)


def test_the_local_user_consents_by_the_setting_but_not_to_sharing(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        local = serve(store, state, ANN)
        purposes = ("memory", "analytics", "monitoring", "workspace")
        told = [await local.has_consent(ANN, purpose) for purpose in purposes]  # type: ignore[arg-type]
        records = await local.list_consents(ANN)
        return (
            told,
            {record.decided_from for record in records},
            await local.has_consent(BEN, "memory"),
        )

    assert store.run(scenario) == ([True, True, True, False], {"STDIO_USER_ID"}, False)


def test_a_withdrawal_wins_over_the_setting(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await serve(store, state).withdraw_consent(ANN, "memory", decided_from="admin")
        return await serve(store, state, ANN).has_consent(ANN, "memory")

    assert store.run(scenario) is False


def test_of_an_erased_user_no_consent_is_left(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        consents = serve(store, state)
        for owner in (ANN, BEN):
            await consents.grant_consent(owner, "memory", decided_from="admin")
        await state.erase_owner(str(ANN))
        left = await state.consents.export_owner(str(ANN))
        return (
            left,
            await consents.has_consent(ANN, "memory"),
            await consents.has_consent(BEN, "memory"),
        )

    assert store.run(scenario) == ([], False, True)


def test_a_user_who_was_erased_elsewhere_can_consent_again(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await serve(store, state).grant_consent(ANN, "memory", decided_from="admin")
        async with store.opened() as other:
            await other.erase_owner(str(ANN))
        await serve(store, state).grant_consent(ANN, "memory", decided_from="again")
        return [one["decidedFrom"] for one in await state.consents.export_owner(str(ANN))]

    assert store.run(scenario) == ["again"]


def test_names_do_not_lie_open_on_disk(store: Kept) -> None:
    person = Owner(tenant="acme-tenant-consented", user="ann-user-consented")

    async def scenario(state: StateStore) -> None:
        await serve(store, state).grant_consent(
            person, "memory", terms_version="terms-consented", decided_from="place-consented"
        )

    store.run(scenario)

    assert b"-consented" not in store.on_disk()


@pytest.mark.parametrize(
    ("owner", "purpose", "word"),
    [
        (ANN, "everything", "purpose"),
        (ANN, "", "purpose"),
        (Owner(), "memory", "user_id"),
        (Owner(tenant="", user="c"), "memory", "tenant_id"),
        (Owner(tenant="a", user="x" * 10_000_000), "memory", "maximum"),
        (Owner(tenant="a", user="a\x00b"), "memory", "invisible"),
    ],
)
def test_an_unusable_decision_is_refused_by_name(
    tmp_path: Path, owner: Owner, purpose: str, word: str
) -> None:
    store = kept("sqlite", tmp_path)

    async def scenario(state: StateStore) -> None:
        await serve(store, state).grant_consent(owner, purpose, decided_from="admin")

    with pytest.raises(InvalidInput, match=word):
        store.run(scenario)
