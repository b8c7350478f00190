"""API tokens on every engine: found by their secret, kept as hashes, ended by time or by hand."""

from __future__ import annotations

import asyncio

import pytest

from citewell.people.token_store import (
    API_TOKEN_PREFIX,
    REMEMBERED_SECONDS,
    ApiTokenRecord,
    CreatedToken,
)
from citewell.server.state.state_store import StateStore
from tests.contract.states import Kept
from tests.requirements import requires

OWNER = "acme/alice"


@requires("http.api_tokens")
def test_a_token_is_found_by_its_secret_alone(store: Kept) -> None:
    async def play(state: StateStore) -> tuple[CreatedToken, list[ApiTokenRecord | None]]:
        made = await state.tokens.create_token(
            OWNER, name="laptop", scopes=["tool:b", "tool:a", "tool:a"], lifetime=60
        )
        text, record = made.secret_text, made.record
        tried = (
            text,
            text[:-1] + ("A" if text[-1] != "A" else "B"),
            text + "A",
            text.upper(),
            f"{API_TOKEN_PREFIX}{record.id}_{'A' * 43}",
            f"{API_TOKEN_PREFIX}{'a' * 16}_{text[-43:]}",
            f"{API_TOKEN_PREFIX}' OR 1=1 --",
            "",
        )
        return made, [await state.tokens.find_token(one) for one in tried]

    made, found = store.run(play)

    assert found[0] == made.record
    assert found[0] is not None
    assert (found[0].owner, found[0].name, found[0].scopes) == (
        OWNER,
        "laptop",
        ("tool:a", "tool:b"),
    )
    assert found[1:] == [None] * 7


@requires("http.api_tokens")
def test_neither_the_token_nor_its_owner_is_readable_in_the_store(store: Kept) -> None:
    async def play(state: StateStore) -> str:
        return (await state.tokens.create_token(OWNER, name="laptop")).secret_text

    text = store.run(play)

    on_disk = store.on_disk()
    secret = text[-43:].encode()
    assert secret not in on_disk
    assert b"alice" not in on_disk
    assert b"laptop" not in on_disk


@requires("http.api_tokens")
def test_a_token_ends_by_time_and_by_hand(store: Kept) -> None:
    async def play(state: StateStore) -> list[bool]:
        short = await state.tokens.create_token(OWNER, lifetime=60)
        endless = await state.tokens.create_token(OWNER)
        now = store.clock()
        seen = [short.record.is_valid_at(now + 59), short.record.is_valid_at(now + 60)]
        seen.append(endless.record.is_valid_at(now + 10**9))
        seen.append(await state.tokens.revoke_token(endless.record.id))
        seen.append(await state.tokens.revoke_token(endless.record.id))
        seen.append(await state.tokens.revoke_token("unknown"))
        found = await state.tokens.find_token(endless.secret_text)
        seen.append(found is not None and found.is_valid_at(now))
        return seen

    assert store.run(play) == [True, False, True, True, False, False, False]


@requires("http.api_tokens")
def test_a_revocation_holds_at_once_here_and_within_seconds_elsewhere(store: Kept) -> None:
    async def play() -> list[bool]:
        async with store.opened() as one, store.opened() as other:
            made = await one.tokens.create_token(OWNER)
            seen = [await is_valid(state, made) for state in (one, other)]
            await one.tokens.revoke_token(made.record.id)
            seen.append(await is_valid(one, made))
            store.clock.now += REMEMBERED_SECONDS
            seen.append(await is_valid(other, made))
            return seen

    async def is_valid(state: StateStore, made: CreatedToken) -> bool:
        found = await state.tokens.find_token(made.secret_text)
        return found is not None and found.is_valid_at(store.clock())

    assert asyncio.run(play()) == [True, True, False, False]


def test_tokens_are_listed_for_one_owner_or_for_all(store: Kept) -> None:
    async def play(state: StateStore) -> tuple[list[str], list[str]]:
        for owner in (OWNER, "acme/bob", OWNER):
            store.clock.now += 1
            await state.tokens.create_token(owner)
        own = [record.owner for record in await state.tokens.list_tokens(OWNER)]
        return own, [record.owner for record in await state.tokens.list_tokens()]

    assert store.run(play) == ([OWNER, OWNER], [OWNER, "acme/bob", OWNER])


def test_the_tokens_of_an_erased_user_are_gone_at_once(store: Kept) -> None:
    async def play(state: StateStore) -> tuple[bool, int, int, int]:
        mine = await state.tokens.create_token(OWNER)
        theirs = await state.tokens.create_token("acme/bob")
        before = await state.tokens.find_token(mine.secret_text)
        await state.erase_owner(OWNER)
        after = await state.tokens.find_token(mine.secret_text)
        other = await state.tokens.find_token(theirs.secret_text)
        exported = await state.tokens.export_owner("acme/bob")
        return (
            before is not None and after is None,
            int(other is not None),
            len(exported),
            len(await state.tokens.list_tokens()),
        )

    assert store.run(play) == (True, 1, 1, 1)


def test_an_export_has_nothing_that_could_be_used_as_a_token(store: Kept) -> None:
    async def play(state: StateStore) -> tuple[str, list[dict[str, object]]]:
        made = await state.tokens.create_token(OWNER, name="laptop", scopes=["tool:*"], lifetime=60)
        return made.secret_text, await state.tokens.export_owner(OWNER)

    text, (exported,) = store.run(play)

    assert text[-43:] not in str(exported)
    assert exported.keys() == {
        "id", "owner", "name", "scopes", "createdAt", "expiresAt", "revokedAt"
    }  # fmt: skip
    assert exported["name"] == "laptop"


@pytest.mark.parametrize("days", [91, 200])
def test_ended_tokens_are_forgotten_after_a_while(days: int, store: Kept) -> None:
    async def play(state: StateStore) -> int:
        await state.tokens.create_token(OWNER, lifetime=1)
        store.clock.now += days * 86400
        await state.tokens.create_token(OWNER)
        return len(await state.tokens.list_tokens(OWNER))

    assert store.run(play) == 1
