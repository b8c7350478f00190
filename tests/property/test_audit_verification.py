"""Any change to the bytes of the audit log is noticed, and the first bad row named."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.audit.audit_segments import (
    AuditEntry,
    AuditEvent,
    AuditHead,
    AuditSegment,
    pack_entries,
)
from citewell.audit.audit_verification import AuditFault, AuditVerification, verify_audit_log
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from citewell.store.encryption import OwnerKeychain, compress_body
from tests.requirements import requires

SEGMENT_SIZES = (3, 1, 5, 2)
ROWS = sum(SEGMENT_SIZES)

Linked = list[tuple[AuditEntry, bytes]]


@dataclass(frozen=True)
class Log:
    """A sealed log in memory, with what verification asks of a store."""

    head: AuditHead
    segments: tuple[AuditSegment, ...]
    store: object

    async def load_head(self) -> AuditHead:
        return self.head

    async def load_chain(self) -> object:
        return await self.store.load_chain()  # type: ignore[attr-defined]

    async def load_waiting_entries(self) -> list[object]:
        return []

    async def load_segments(self, *, after: int = 0) -> list[AuditSegment]:
        return [segment for segment in self.segments if segment.number > after]


@pytest.fixture(scope="module")
def sealed() -> Iterator[Log]:
    async def build(folder: Path) -> Log:
        state = StateStore(Settings(data_dir=folder))
        for number, size in enumerate(SEGMENT_SIZES):
            for row in range(size):
                event = AuditEvent(
                    happened_at=100.0 * number + row, tenant_id="acme", user_id=f"user{row}"
                )
                await state.audit.append_event(f"acme/user{row}", event)
            await state.audit.seal_waiting_rows()
        log = Log(
            await state.audit.load_head(), tuple(await state.audit.load_segments()), state.audit
        )
        await state.aclose()
        return log

    with tempfile.TemporaryDirectory() as folder:
        yield asyncio.run(build(Path(folder)))


def verify(log: Log, segments: list[AuditSegment]) -> AuditVerification:
    return asyncio.run(verify_audit_log(replace(log, segments=tuple(segments))))  # type: ignore[arg-type]


def repack(segment: AuditSegment, rows: Linked) -> AuditSegment:
    """The segment with other rows, and everything else about it made to fit."""
    times = [entry.happened_at for entry, _ in rows] or [0.0]
    body = compress_body(pack_entries([one for one, _ in rows], [link for _, link in rows]))
    return replace(segment, row_count=len(rows), opened=min(times), closed=max(times), body=body)


def rebuild(log: Log, rows: Linked) -> list[AuditSegment]:
    """All segments again, with the rows spread over them as before and the rest in the last one."""
    built, first = [], 1
    for segment, size in zip(log.segments, SEGMENT_SIZES, strict=True):
        is_last = segment is log.segments[-1]
        taken = rows[first - 1 :] if is_last else rows[first - 1 : first - 1 + size]
        built.append(replace(repack(segment, taken), first_row=first))
        first += len(taken)
    return built


def flatten(log: Log) -> Linked:
    return [row for segment in log.segments for row in segment.unpack_rows()]


def test_the_untouched_log_verifies(sealed: Log) -> None:
    assert verify(sealed, rebuild(sealed, flatten(sealed))).is_intact


@requires("audit.chain")
@given(data=st.data())
def test_an_edited_field_of_any_row_is_found_at_that_row(sealed: Log, data: st.DataObject) -> None:
    rows = flatten(sealed)
    place = data.draw(st.integers(0, ROWS - 1))
    name = data.draw(st.sampled_from(["id", "owner", "facts", "personal", "mac"]))
    entry, link = rows[place]
    value = getattr(entry, name)
    at = data.draw(st.integers(0, len(value) - 1))
    other = (
        value[:at] + ("x" if value[at] != "x" else "y") + value[at + 1 :]
        if isinstance(value, str)
        else value[:at] + bytes([value[at] ^ data.draw(st.integers(1, 255))]) + value[at + 1 :]
    )
    changed: dict[str, Any] = {name: other}
    rows[place] = (replace(entry, **changed), link)

    found = verify(sealed, rebuild(sealed, rows))

    assert (found.fault, found.row) == (AuditFault.ROW_ALTERED, place + 1)


@requires("audit.chain")
@given(data=st.data())
def test_rows_deleted_moved_or_repeated_are_found_where_they_begin(
    sealed: Log, data: st.DataObject
) -> None:
    before = flatten(sealed)
    order = data.draw(
        st.lists(st.integers(0, ROWS - 1), max_size=ROWS + 3).filter(
            lambda chosen: chosen != list(range(ROWS))
        )
    )

    found = verify(sealed, rebuild(sealed, [before[place] for place in order]))

    same = next((at for at, place in enumerate(order) if place != at), min(len(order), ROWS))
    assert not found.is_intact
    assert found.row is not None
    assert found.row <= same + 1


@requires("audit.chain")
@given(data=st.data())
def test_any_changed_byte_of_a_stored_body_is_noticed(sealed: Log, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(sealed.segments) - 1))
    segment = sealed.segments[number]
    at = data.draw(st.integers(1, len(segment.body) - 1))
    flipped = segment.body[at] ^ data.draw(st.integers(1, 255))
    changed = segment.body[:at] + bytes([flipped]) + segment.body[at + 1 :]
    segments = list(sealed.segments)
    segments[number] = replace(segment, body=changed)

    assert not verify(sealed, segments).is_intact


@requires("audit.chain")
@given(keep=st.sets(st.integers(0, len(SEGMENT_SIZES) - 1), max_size=len(SEGMENT_SIZES) - 1))
def test_missing_segments_are_noticed_also_at_the_end(sealed: Log, keep: set[int]) -> None:
    segments = [segment for place, segment in enumerate(sealed.segments) if place in keep]
    first_missing = next(place for place in range(len(SEGMENT_SIZES)) if place not in keep)

    found = verify(sealed, segments)

    assert (found.fault, found.row) == (
        AuditFault.ROWS_MISSING,
        sum(SEGMENT_SIZES[:first_missing]) + 1,
    )


@given(secret=st.binary(min_size=32, max_size=32))
def test_a_head_signed_with_another_key_is_not_accepted(sealed: Log, secret: bytes) -> None:
    from citewell.audit.audit_segments import AuditChain

    facts = sealed.head.encode_head()
    chain: AuditChain = asyncio.run(sealed.load_chain())  # type: ignore[assignment]

    assert chain.open_head(facts, chain.sign_head(facts)) == sealed.head
    assert chain.open_head(facts, AuditChain(secret).sign_head(facts)) is None


def test_a_derived_secret_depends_on_key_and_purpose() -> None:
    chains = [
        OwnerKeychain("", "", {0: bytes([number]) * 32}, randomness=bytes) for number in (1, 2)
    ]

    found = {chain.derive_secret(purpose) for chain in chains for purpose in ("a", "b")}

    assert len(found) == 4
