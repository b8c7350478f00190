"""Calls per tenant, for a limited number of tenants."""

from __future__ import annotations

from collections import Counter

from citewell.server.middleware.call_metrics import MeasuredCall

OTHER_TENANTS = "_other"


class TenantTallies:
    """Counts the calls of the first `max_tenants` tenants one by one, and all others together."""

    def __init__(self, max_tenants: int) -> None:
        self._max_tenants = max_tenants
        self._known: set[str] = set()
        self.calls: Counter[tuple[str, str]] = Counter()  # by tenant and outcome

    def record_call(self, call: MeasuredCall) -> None:
        tenant = call.owner.tenant
        if tenant not in self._known:
            if len(self._known) < self._max_tenants:
                self._known.add(tenant)
            else:
                tenant = OTHER_TENANTS
        self.calls[tenant, "error" if call.is_error else "ok"] += 1
