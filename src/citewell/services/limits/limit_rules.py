"""Which limits hold for which caller: those of the settings, unless its tenant has its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citewell.config import Settings
from citewell.store.coordination.limit_file import TenantOverrides
from citewell.tooling import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerLimits:
    """The limits of one caller; 0 for a limit that is off."""

    user_per_minute: int = 0
    tenant_per_minute: int = 0
    all_per_second: int = 0
    user_per_day: int = 0
    tenant_per_day: int = 0
    user_concurrent: int = 0
    tenant_concurrent: int = 0


# The name of each limit in the settings and in the file with overrides.
_SOURCES = {
    "user_per_minute": ("rate_limit_per_user", "user_rate_per_minute"),
    "tenant_per_minute": ("rate_limit_per_tenant", "rate_per_minute"),
    "all_per_second": ("rate_limit_global", None),
    "user_per_day": ("daily_quota_per_user", "user_daily_quota"),
    "tenant_per_day": ("daily_quota_per_tenant", "daily_quota"),
    "user_concurrent": ("max_concurrent_per_user", "user_max_concurrent_calls"),
    "tenant_concurrent": ("max_concurrent_per_tenant", "max_concurrent_calls"),
}
_ANONYMOUS = Owner()


class LimitRules:
    """Without authentication there is one anonymous owner, for whom only limits hold that were set."""

    def __init__(self, settings: Settings, overrides: Mapping[str, TenantOverrides]) -> None:
        self._overrides = overrides
        values = {field: getattr(settings, field) for field, _ in _SOURCES.values()}
        self._named = _collect_limits(values)
        self._anonymous = _collect_limits(
            {field: value for field, value in values.items() if field in settings.model_fields_set}
        )
        self._by_tenant: dict[str, OwnerLimits] = {
            tenant: _collect_limits(values, override) for tenant, override in overrides.items()
        }

    def find_owner_limits(self, owner: Owner) -> OwnerLimits:
        if owner == _ANONYMOUS and owner.tenant not in self._overrides:
            return self._anonymous
        return self._by_tenant.get(owner.tenant, self._named)


def _collect_limits(
    values: Mapping[str, int], override: TenantOverrides | None = None
) -> OwnerLimits:
    chosen = {}
    for name, (field, key) in _SOURCES.items():
        own = getattr(override, key) if override and key else None
        chosen[name] = values.get(field, 0) if own is None else own
    return OwnerLimits(**chosen)
