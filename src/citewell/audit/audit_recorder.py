"""Stores audit events durably and in order, summarises floods of refusals, and seals and sends what is stored."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import platform
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from citewell.audit.audit_segments import AuditEvent, AuditEventType, AuditHead, AuditRow
from citewell.audit.audit_store import AuditLogAltered, SqlAuditStore
from citewell.audit.settings import AuditSettings
from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.net.http.signed_webhook import SignedWebhook
from citewell.store.coordination.leases import LeaseTable

if TYPE_CHECKING:
    from citewell.server.state.state_store import StateStore

MAX_BATCH_ROWS = 500
POLL_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 300.0
_CURSOR, _LEASE, _WEBHOOK_LEASE_SECONDS = "webhook", "audit-webhook", 30.0

logger = logging.getLogger(__name__)
SEAL_SECONDS = 1.0  # between two rounds
_SEAL_LEASE, _LEASE_SECONDS = "audit-seal", 5.0
_RETENTION_SECONDS = 3600.0  # between two removals of old rows
_SECONDS_PER_DAY = 86400.0
# Its key encrypts the addresses of callers who were refused. No owner has this name, which has no slash.
UNVERIFIED_OWNER = "audit unverified"
WINDOW_SECONDS = 300.0  # in which refusals are counted
MAX_WINDOW_SOURCES = 50  # further addresses are counted together

RefusalSource = tuple[
    str | None, str
]  # the address, if it is counted by itself, and the error code


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalSummary:
    """How often one source was refused in a window, after the first time."""

    source_ip: str | None  # None for the addresses that are counted together
    error_code: str
    repeats: int


class RefusalPacer:
    """Lets the first refusal of each address and code in a window pass, and counts the others.

    So a flood of refused requests cannot fill the disk.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._opened = clock()
        self._repeats: dict[RefusalSource, int] = {}

    def is_first_refusal(self, source_ip: str | None, error_code: str) -> bool:
        """Whether to record this refusal by itself; otherwise it becomes part of a summary."""
        source = (source_ip, error_code)
        if source not in self._repeats and len(self._repeats) >= MAX_WINDOW_SOURCES:
            source = (None, error_code)
        first = source not in self._repeats
        self._repeats[source] = self._repeats.get(source, -1) + 1
        return first

    def take_summaries(self, *, is_closing: bool = False) -> tuple[RefusalSummary, ...]:
        """The summaries of a window that has ended, once; empty while it lasts, unless `is_closing`."""
        if not is_closing and self._clock() < self._opened + WINDOW_SECONDS:
            return ()
        counted, self._repeats, self._opened = self._repeats, {}, self._clock()
        return tuple(
            RefusalSummary(source_ip=source_ip, error_code=error_code, repeats=repeats)
            for (source_ip, error_code), repeats in counted.items()
            if repeats
        )


class UpkeepTask(Protocol):
    """A piece of work that is done again and again."""

    async def run_round(self) -> float:
        """Do what there is to do now; returns the seconds until the next round."""
        ...

    async def finish_work(self) -> None:
        """Do what must be done before the process ends."""
        ...


class AuditSealer:
    """Seals waiting rows about every second, and removes those that are older than the retention."""

    def __init__(
        self,
        store: SqlAuditStore,
        leases: LeaseTable,
        *,
        retention_days: int,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._leases = leases
        self._retention_seconds = retention_days * _SECONDS_PER_DAY
        self._clock = clock
        self._next_removal = 0.0

    async def run_round(self) -> float:
        is_due = self._clock() >= self._next_removal
        if (is_due or await self._store.has_waiting_rows()) and await self._leases.take_lease(
            _SEAL_LEASE, seconds=_LEASE_SECONDS
        ):
            await self._store.seal_waiting_rows()
            if is_due:
                self._next_removal = self._clock() + _RETENTION_SECONDS
                await self._store.remove_rows_before(self._clock() - self._retention_seconds)
        return SEAL_SECONDS

    async def finish_work(self) -> None:
        await self._store.seal_waiting_rows()
        await self._leases.release_lease(_SEAL_LEASE)


class AuditUpkeep:
    """Runs upkeep tasks side by side until it is closed; a failure is logged, and tried again."""

    def __init__(
        self,
        tasks: Sequence[UpkeepTask],
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._work = tasks
        self._pause = pause
        self._running: list[asyncio.Task[None]] = []
        self._failing: set[UpkeepTask] = set()

    def ensure_running(self) -> None:
        """Start the tasks on the running event loop, unless they run already."""
        if all(task.done() for task in self._running):
            self._running = [asyncio.create_task(self._repeat_rounds(work)) for work in self._work]

    async def aclose(self) -> None:
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        for work in self._work:
            with self._log_failure(work):
                await work.finish_work()

    async def _repeat_rounds(self, work: UpkeepTask) -> None:
        seconds = SEAL_SECONDS
        while True:
            await self._pause(seconds)
            with self._log_failure(work):
                seconds = await work.run_round()

    @contextlib.contextmanager
    def _log_failure(self, work: UpkeepTask) -> Iterator[None]:
        """Log an error of the store, once until the work has succeeded again."""
        try:
            yield
        except CitewellError as error:
            if work not in self._failing:
                self._failing.add(work)
                level = logging.ERROR if isinstance(error, AuditLogAltered) else logging.WARNING
                logger.log(level, "Work on the audit log is put off. %s", error.message)
        else:
            self._failing.discard(work)


class AuditRecorder:
    """Records audit events: a call is answered only after its row is committed."""

    def __init__(
        self, store: SqlAuditStore, upkeep: AuditUpkeep, *, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._upkeep = upkeep
        self._clock = clock
        self._refusals = RefusalPacer(clock=clock)
        self._writes: set[asyncio.Task[None]] = set()
        self.failures = 0  # rows that could not be stored

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        settings, state = kit.settings[AuditSettings], kit.open_state()
        tasks: list[UpkeepTask] = [
            AuditSealer(
                state.audit,
                state.leases,
                retention_days=settings.audit_retention_days,
                clock=time.time,
            )
        ]
        if settings.audit_webhook_url:
            webhook = kit.network.open_webhook(
                settings.audit_webhook_url,
                secret=settings.audit_webhook_secret,
            )
            tasks.append(AuditWebhook(state.audit, state.leases, webhook))
        return cls(state.audit, AuditUpkeep(tasks), clock=time.time)

    def start_upkeep(self) -> None:
        """Begin to seal, which otherwise begins with the first event."""
        self._upkeep.ensure_running()

    async def record_event(self, event: AuditEvent) -> None:
        """Commit the event, also if the caller is cancelled meanwhile; raises StoreError."""
        await asyncio.shield(self._start_write(event))

    def record_aside(self, event: AuditEvent) -> None:
        """Commit the event a little later; a failure is only logged."""
        self._start_write(event).add_done_callback(_log_write_failure)

    def is_paced_out(self, event: AuditEvent) -> bool:
        """Whether a refusal is one too many to record by itself; it is counted instead."""
        return event.event_type == AuditEventType.AUTH_REFUSED and not (
            self._refusals.is_first_refusal(event.source_ip, event.error_code or "")
        )

    async def aclose(self) -> None:
        """Finish the writes, and seal what waits."""
        self._record_summaries(is_closing=True)
        if self._writes:
            await asyncio.wait(set(self._writes))
        await self._upkeep.aclose()

    def _start_write(self, event: AuditEvent) -> asyncio.Task[None]:
        self._upkeep.ensure_running()
        self._record_summaries()
        owner = UNVERIFIED_OWNER  # whose key encrypts the personal parts of the event
        if event.tenant_id is not None and event.user_id is not None:
            owner = str(Owner(tenant=event.tenant_id, user=event.user_id))
        write = asyncio.create_task(self._store.append_event(owner, event))
        self._writes.add(write)
        write.add_done_callback(self._finish_write)
        return write

    def _finish_write(self, write: asyncio.Task[None]) -> None:
        self._writes.discard(write)
        if not write.cancelled() and write.exception() is not None:
            self.failures += 1

    def _record_summaries(self, *, is_closing: bool = False) -> None:
        for summary in self._refusals.take_summaries(is_closing=is_closing):
            self.record_aside(
                AuditEvent(
                    happened_at=self._clock(),
                    event_type=AuditEventType.AUTH_REFUSED,
                    source_ip=summary.source_ip,
                    success=False,
                    error_code=summary.error_code,
                    metadata={"repeats": summary.repeats},
                )
            )


def _log_write_failure(write: asyncio.Task[None]) -> None:
    error = None if write.cancelled() else write.exception()
    if isinstance(error, CitewellError):
        logger.error("An audit row could not be stored. %s", error.message)


# Records what an operator does on the command line.


async def record_command_event(
    state: StateStore,
    event_type: AuditEventType,
    *,
    owner: Owner | None = None,
    metadata: Mapping[str, Any],
) -> None:
    """Store and seal one event. `owner` is whom it concerns; erasing them makes it unreadable."""
    event = AuditEvent(
        happened_at=time.time(),
        event_type=event_type,
        tenant_id=owner.tenant if owner else None,
        user_id=owner.user if owner else None,
        pod_id=platform.node(),
        metadata={"by": "command line", **metadata},
    )
    await state.audit.append_event(str(owner) if owner else UNVERIFIED_OWNER, event)
    await state.audit.seal_waiting_rows()


# Sends sealed audit rows to a webhook, at least once and in order; the log itself is the queue.


class AuditWebhook:
    """Delivers from the place that the store remembers. While the receiver fails, the rows wait in the log."""

    def __init__(self, store: SqlAuditStore, leases: LeaseTable, webhook: SignedWebhook) -> None:
        self._store = store
        self._leases = leases
        self._webhook = webhook
        self._failures = 0

    async def run_round(self) -> float:
        """Deliver everything that is sealed; after a failure, the seconds to wait grow to five minutes."""
        if not await self._leases.take_lease(_LEASE, seconds=_WEBHOOK_LEASE_SECONDS):
            return POLL_SECONDS
        while await self._deliver_batch():
            if not await self._leases.take_lease(_LEASE, seconds=_WEBHOOK_LEASE_SECONDS):
                break
        return min(MAX_BACKOFF_SECONDS, POLL_SECONDS * 2.0**self._failures)

    async def finish_work(self) -> None:
        await self._leases.release_lease(_LEASE)

    async def _deliver_batch(self) -> bool:
        """Send the next rows; False if there are none, or if they were not accepted."""
        head, cursor = await self._store.load_head(), await self._store.load_cursor(_CURSOR)
        if cursor is None:
            await self._store.save_cursor(_CURSOR, head.rows)  # older rows are not sent
            return False
        if cursor >= head.rows:
            return False
        start = max(cursor, head.removed_rows)
        rows = await self._store.load_rows_after(start, most=MAX_BATCH_ROWS)
        if not rows or not await self._post_rows(rows, head, missed=(cursor + 1, start)):
            return False
        await self._store.save_cursor(_CURSOR, rows[-1].number or start)
        return True

    async def _post_rows(
        self, rows: list[AuditRow], head: AuditHead, *, missed: tuple[int, int]
    ) -> bool:
        payload: dict[str, Any] = {
            "events": [row.build_line() for row in rows],
            "anchor": head.anchor,
        }
        if missed[0] <= missed[1]:
            payload["missed"] = {"first": missed[0], "last": missed[1]}
            logger.error("Audit rows %d to %d were removed before the webhook took them.", *missed)
        body = json.dumps(payload, separators=(",", ":")).encode()
        problem = await self._webhook.find_refusal(body, f"{rows[0].number}-{rows[-1].number}")
        if problem is None:
            self._failures = 0
            return True
        self._failures += 1
        if self._failures == 1:
            logger.warning(
                "The audit webhook did not take rows, which wait in the log. %s", problem
            )
        return False
