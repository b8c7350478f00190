"""Records audit events durably: a call is answered only after its row is committed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from citewell.errors import CitewellError
from citewell.model.audit_event import AuditEvent, AuditEventType
from citewell.services.audit_log.audit_upkeep import AuditUpkeep
from citewell.services.audit_log.refusal_pacing import RefusalPacer
from citewell.store.audit.audit_store import SqlAuditStore
from citewell.tooling import Owner

logger = logging.getLogger(__name__)
# Its key encrypts the addresses of callers who were refused. No owner has this name, which has no slash.
UNVERIFIED_OWNER = "audit unverified"


class AuditRecorder:
    def __init__(
        self, store: SqlAuditStore, upkeep: AuditUpkeep, *, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._upkeep = upkeep
        self._clock = clock
        self._refusals = RefusalPacer(clock=clock)
        self._writes: set[asyncio.Task[None]] = set()
        self.failures = 0  # rows that could not be stored

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
        write = asyncio.create_task(self._store.append_event(_name_owner(event), event))
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


def _name_owner(event: AuditEvent) -> str:
    """The owner whose key encrypts the personal parts of the event."""
    if event.tenant_id is None or event.user_id is None:
        return UNVERIFIED_OWNER
    return str(Owner(tenant=event.tenant_id, user=event.user_id))


def _log_write_failure(write: asyncio.Task[None]) -> None:
    error = None if write.cancelled() else write.exception()
    if isinstance(error, CitewellError):
        logger.error("An audit row could not be stored. %s", error.message)
