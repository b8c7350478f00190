"""What the audit log promises on either engine: nothing lost, every change noticed, no erased person readable."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.audit.audit_segments import AuditEvent, AuditFilter
from citewell.audit.audit_verification import (
    AuditAnchor,
    AuditFault,
    AuditVerification,
    verify_audit_log,
)
from citewell.server.state.state_store import StateStore
from citewell.store.failures import WrongMasterKey
from citewell.store.sql.database import SqlStatement
from tests.contract.states import Kept
from tests.requirements import requires

OLD, NEW = "0a" * 32, "0b" * 32
DAY = 86400.0


def event(name: str, *, at: float = 1000.0, **more: Any) -> AuditEvent:
    return AuditEvent(
        happened_at=at,
        tenant_id="acme",
        user_id=f"user-{name}",
        tool_name="web_search",
        request_id=name,
        **more,
    )


async def fill(state: StateStore, *names: str, at: float = 1000.0) -> None:
    """One sealed segment with a row for each name."""
    for name in names:
        await state.audit.append_event(f"acme/user-{name}", event(name, at=at))
    await state.audit.seal_waiting_rows()


async def change(state: StateStore, sql: str, **params: Any) -> None:
    await state.database.execute_batch([SqlStatement(sql=sql, params=params)])


async def lines(state: StateStore, **wanted: Any) -> list[dict[str, Any]]:
    return [row.build_line() async for row in state.audit.iterate_rows(AuditFilter(**wanted))]


def test_rows_are_read_back_in_order_before_and_after_sealing(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a", "b")
        await state.audit.append_event("acme/user-c", event("c", metadata={"query_length": 3}))
        return await lines(state)

    found = store.run(scenario)

    assert [(one["row"], one["user_id"]) for one in found] == [
        (1, "user-a"),
        (2, "user-b"),
        (None, "user-c"),
    ]
    assert found[2]["metadata"] == {"query_length": 3}


@requires("audit.chain")
def test_an_untouched_log_verifies_over_many_segments(store: Kept) -> None:
    async def scenario(state: StateStore) -> AuditVerification:
        for number in range(40):
            await fill(state, f"a{number}", f"b{number}")
        await state.audit.append_event("acme/user-c", event("c"))
        return await verify_audit_log(state.audit)

    found = store.run(scenario)

    assert found.is_intact
    assert found.head
    assert (found.head.rows, found.waiting) == (80, 1)


def test_an_empty_log_verifies(store: Kept) -> None:
    found = store.run(lambda state: verify_audit_log(state.audit))

    assert found.is_intact


TAMPERINGS: dict[str, tuple[str, AuditFault, int | None]] = {
    "segment deleted": ("DELETE FROM audit_segment WHERE number = 2", AuditFault.ROWS_MISSING, 3),
    "first deleted": ("DELETE FROM audit_segment WHERE number = 1", AuditFault.ROWS_MISSING, 1),
    "end cut off": ("DELETE FROM audit_segment WHERE number = 3", AuditFault.ROWS_MISSING, 5),
    "all deleted": ("DELETE FROM audit_segment", AuditFault.ROWS_MISSING, 1),
    "head deleted": ("DELETE FROM audit_head", AuditFault.HEAD_ALTERED, None),
    "head replaced": ("UPDATE audit_head SET facts = mac", AuditFault.HEAD_ALTERED, None),
    "segments moved": (
        "UPDATE audit_segment SET body = (SELECT body FROM audit_segment WHERE number = 1) WHERE number = 3",
        AuditFault.ROW_ALTERED,
        5,
    ),
    "time changed": (
        "UPDATE audit_segment SET closed = 1.0 WHERE number = 2",
        AuditFault.ROW_ALTERED,
        3,
    ),
    "segment added": (
        "INSERT INTO audit_segment SELECT 4, 7, row_count, opened, closed, body FROM audit_segment WHERE number = 3",
        AuditFault.ROW_INSERTED,
        7,
    ),
}  # fmt: skip


@requires("audit.chain")
@pytest.mark.parametrize("name", sorted(TAMPERINGS))
def test_tampering_is_noticed_and_the_first_bad_row_named(name: str, store: Kept) -> None:
    sql, fault, row = TAMPERINGS[name]

    async def scenario(state: StateStore) -> AuditVerification:
        for pair in (("a", "b"), ("c", "d"), ("e", "f")):
            await fill(state, *pair)
        await change(state, sql)
        return await verify_audit_log(state.audit)

    found = store.run(scenario)

    assert (found.fault, found.row) == (fault, row)
    assert found.message


def test_a_row_forged_before_it_is_sealed_is_noticed(store: Kept) -> None:
    async def scenario(state: StateStore) -> list[AuditVerification]:
        await fill(state, "a")
        await state.audit.append_event("acme/user-b", event("b"))
        await change(
            state,
            "INSERT INTO audit_waiting (id, owner, facts, personal, mac) "
            "SELECT 'x', owner, facts, personal, mac FROM audit_waiting",
        )
        waiting = await verify_audit_log(state.audit)
        await state.audit.seal_waiting_rows()
        return [waiting, await verify_audit_log(state.audit)]

    waiting, sealed = store.run(scenario)

    assert (waiting.fault, waiting.row) == (AuditFault.ROW_UNSIGNED, None)
    assert (sealed.fault, sealed.row) == (AuditFault.ROW_UNSIGNED, 3)


def test_nothing_is_sealed_over_a_head_that_was_altered_and_no_row_is_lost(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[str, int]:
        await fill(state, "a")
        await change(state, "UPDATE audit_head SET facts = mac")
        await state.audit.append_event("acme/user-b", event("b"))
        try:
            await state.audit.seal_waiting_rows()
        except Exception as error:  # noqa: BLE001 - its name is the result
            return type(error).__name__, len(await state.audit.load_waiting_entries())
        return "sealed", 0

    assert store.run(scenario) == ("AuditLogAltered", 1)


def test_an_anchor_finds_a_log_that_was_rolled_back_with_its_head(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a", "b")
        (before,) = await state.database.select_rows("SELECT revision, facts, mac FROM audit_head")
        await fill(state, "c")
        head = await state.audit.load_head()
        anchor = AuditAnchor(rows=head.rows, link=head.link)
        good = await verify_audit_log(state.audit, anchor)
        await fill(state, "d")
        later = await verify_audit_log(state.audit, anchor)
        await change(state, "DELETE FROM audit_segment WHERE number > 1")
        await change(
            state,
            "UPDATE audit_head SET revision = :revision, facts = :facts, mac = :mac",
            **dict(zip(("revision", "facts", "mac"), before, strict=True)),
        )
        return good, later, await verify_audit_log(state.audit, anchor)

    good, later, rolled_back = store.run(scenario)

    assert good.is_intact
    assert later.is_intact
    assert rolled_back.fault is AuditFault.ANCHOR_MISSED


def test_old_rows_are_removed_and_the_rest_still_verifies(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for day in range(6):
            await fill(state, f"a{day}", f"b{day}", at=day * DAY)
        removed = await state.audit.remove_rows_before(2.5 * DAY)
        again = await state.audit.remove_rows_before(2.5 * DAY)
        rest = [line["row"] for line in await lines(state)]
        after = await verify_audit_log(state.audit)
        await fill(state, "new", at=7 * DAY)
        await state.audit.remove_rows_before(100 * DAY)
        return removed, again, rest, after, await verify_audit_log(state.audit)

    removed, again, rest, after, emptied = store.run(scenario)

    assert (removed, again) == (6, 0)
    assert rest == [7, 8, 9, 10, 11, 12]
    assert after.is_intact
    assert after.message == "Rows 7 to 12 are intact."
    assert emptied.is_intact


def test_rows_deleted_behind_the_back_of_retention_are_noticed(store: Kept) -> None:
    async def scenario(state: StateStore) -> AuditVerification:
        for day in range(4):
            await fill(state, f"a{day}", at=day * DAY)
        await state.audit.remove_rows_before(1.5 * DAY)
        await change(state, "DELETE FROM audit_segment WHERE number = 3")
        return await verify_audit_log(state.audit)

    found = store.run(scenario)

    assert (found.fault, found.row) == (AuditFault.ROWS_MISSING, 3)


def test_a_wrong_master_key_is_not_taken_for_tampering(store: Kept) -> None:
    store.with_settings(master_key=OLD).run(lambda state: fill(state, "a"))

    async def scenario(state: StateStore) -> None:
        with pytest.raises(WrongMasterKey):
            await verify_audit_log(state.audit)

    store.with_settings(master_key=NEW).run(scenario)


def test_the_log_verifies_after_the_master_key_was_replaced(store: Kept) -> None:
    store.with_settings(master_key=OLD).run(lambda state: fill(state, "a"))

    async def rotate(state: StateStore) -> None:
        await state.vault.rotate_keys()
        await fill(state, "b")

    store.with_settings(master_key=NEW, master_key_previous=OLD).run(rotate)

    async def scenario(state: StateStore) -> Any:
        return await verify_audit_log(state.audit), await lines(state)

    found, read = store.with_settings(master_key=NEW).run(scenario)

    assert found.is_intact
    assert [line["user_id"] for line in read] == ["user-a", "user-b"]


@requires("audit.erasure")
def test_an_erased_person_is_unreadable_and_the_chain_still_verifies(store: Kept) -> None:
    marker = "plantedmarkerxyzzy"

    async def scenario(state: StateStore) -> Any:
        secret = event(marker, source_ip=marker, session_id=marker, metadata={"query": marker})
        await fill(state, "a")
        await state.audit.append_event(f"acme/user-{marker}", secret)
        await state.audit.seal_waiting_rows()
        await state.audit.append_event(f"acme/user-{marker}", secret)
        mine = await state.audit.export_owner(f"acme/user-{marker}")
        await state.erase_owner(f"acme/user-{marker}")
        after = await state.audit.export_owner(f"acme/user-{marker}")
        await state.audit.seal_waiting_rows()
        return mine, after, await lines(state), await verify_audit_log(state.audit)

    mine, after, read, found = store.run(scenario)

    assert [line["metadata"] for line in mine] == [{"query": marker}] * 2
    assert marker not in json.dumps(after)
    assert marker not in json.dumps(read)
    assert [line.get("erased", False) for line in read] == [False, True, True]
    assert [line["tool_name"] for line in read] == ["web_search"] * 3
    assert found.is_intact
    assert marker.encode() not in store.on_disk()


def test_a_call_after_an_erasure_elsewhere_is_written_with_new_keys(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a")
        async with store.opened() as other:
            await other.erase_owner("acme/user-a")
        await state.audit.append_event("acme/user-a", event("a"))
        return await lines(state)

    read = store.run(scenario)

    assert [line.get("user_id") for line in read] == [None, "user-a"]


def test_an_export_holds_the_rows_of_one_person_alone(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a", "b", "a")
        await fill(state, "b")
        return await state.audit.export_owner("acme/user-a")

    assert [line["row"] for line in store.run(scenario)] == [1, 3]


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        ({"user": "user-b"}, [2]),
        ({"tenant": "acme"}, [1, 2, 3, 4]),
        ({"tenant": "other"}, []),
        ({"tool": "answer"}, []),
        ({"since": 2 * DAY}, [3, 4]),
        ({"until": 2 * DAY}, [1, 2]),
        ({"since": 1.0, "until": 1.5 * DAY, "user": "user-b"}, [2]),
    ],
)
def test_rows_are_filtered(wanted: dict[str, Any], rows: list[int], store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a", "b", at=DAY)
        await fill(state, "c", "d", at=2 * DAY)
        return await lines(state, **wanted)

    assert [line["row"] for line in store.run(scenario)] == rows


def test_two_processes_seal_and_write_at_once_and_nothing_is_lost(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async def write(chosen: StateStore, name: str) -> None:
            for number in range(40):
                await chosen.audit.append_event(f"acme/user-{name}", event(name, at=number))
                if number % 5 == 0:
                    await chosen.audit.seal_waiting_rows()

        async with store.opened() as other:
            await asyncio.gather(write(state, "a"), write(other, "b"), write(state, "c"))
            await other.audit.seal_waiting_rows()
        return await verify_audit_log(state.audit), await lines(state)

    found, read = store.run(scenario)

    assert found.is_intact
    assert found.head
    assert found.head.rows == 120
    assert len({line["id"] for line in read}) == 120


def test_rows_are_verified_while_others_are_sealed_and_removed(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        for day in range(70):
            await fill(state, "a", at=day * DAY)

        async def go_on(other: StateStore) -> None:
            for day in range(30):
                await fill(other, "b", at=(70 + day) * DAY)
                await other.audit.remove_rows_before(day * DAY)

        async with store.opened() as other:
            found, _ = await asyncio.gather(verify_audit_log(state.audit), go_on(other))
        return found

    assert store.run(scenario).is_intact


def test_a_receiver_keeps_its_place(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, "a", "b", "c")
        await fill(state, "d")
        before = await state.audit.load_cursor("webhook")
        await state.audit.save_cursor("webhook", 2)
        await state.audit.save_cursor("webhook", 1)
        rows = await state.audit.load_rows_after(1, most=2)
        rest = await state.audit.load_rows_after(3, most=2)
        return before, await state.audit.load_cursor("webhook"), rows, rest

    before, after, rows, rest = store.run(scenario)

    assert (before, after) == (None, 1)
    assert [row.number for row in rows] == [2, 3]
    assert [row.number for row in rest] == [4]
