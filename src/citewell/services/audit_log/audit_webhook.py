"""Sends sealed audit rows to a webhook, at least once and in order; the log itself is the queue."""

from __future__ import annotations

import json
import logging
from typing import Any

from citewell.net.http.signed_webhook import SignedWebhook
from citewell.store.audit.audit_chain import AuditHead
from citewell.store.audit.audit_reading import AuditRow
from citewell.store.audit.audit_store import SqlAuditStore
from citewell.store.coordination.leases import LeaseTable

logger = logging.getLogger(__name__)
MAX_BATCH_ROWS = 500
POLL_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 300.0
_CURSOR, _LEASE, _LEASE_SECONDS = "webhook", "audit-webhook", 30.0


class AuditWebhook:
    """Delivers from the place that the store remembers. While the receiver fails, the rows wait in the log."""

    def __init__(self, store: SqlAuditStore, leases: LeaseTable, webhook: SignedWebhook) -> None:
        self._store = store
        self._leases = leases
        self._webhook = webhook
        self._failures = 0

    async def run_round(self) -> float:
        """Deliver everything that is sealed; after a failure, the seconds to wait grow to five minutes."""
        if not await self._leases.take_lease(_LEASE, seconds=_LEASE_SECONDS):
            return POLL_SECONDS
        while await self._deliver_batch():
            if not await self._leases.take_lease(_LEASE, seconds=_LEASE_SECONDS):
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
