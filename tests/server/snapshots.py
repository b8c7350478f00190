"""A snapshot of the dashboard in which every text from outside is hostile."""

from __future__ import annotations

from citewell.server.pages.dashboard_figures import (
    CacheFigures,
    CallFigures,
    DashboardSnapshot,
    FailureFigures,
    JobFigures,
    MinuteFigures,
    NamedFact,
    ProviderFigures,
    ProviderOverview,
    SpendingFigures,
    SpendingOverview,
    TenantFigures,
    TenantOverview,
    ToolFigures,
)

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\" onload='x"
AT = "2026-03-01T14:05:09Z"


def build_snapshot(text: str = HOSTILE) -> DashboardSnapshot:
    minutes = tuple(
        MinuteFigures(at=f"2026-03-01T13:{number:02d}:00Z", calls=number % 4, errors=number % 2)
        for number in range(60)
    )
    return DashboardSnapshot(
        taken_at=AT,
        started_at="2026-02-27T10:00:00Z",
        uptime_seconds=187_509,
        version="1.2.3",
        is_ready=True,
        calls=CallFigures(total=2000, errors=150, cache_hits=400, minutes=minutes),
        tools=(
            ToolFigures(
                name=text,
                calls=2000,
                errors=150,
                cache_hits=400,
                median_ms=12.0,
                slow_ms=1834.0,
                slowest_ms=64_000.0,
            ),
        ),
        failures=(FailureFigures(tool=text, kind=text, count=3, last_at="2026-02-28T09:00:00Z"),),
        providers=ProviderOverview(
            configured=(
                ProviderFigures(
                    name="p",
                    title=text,
                    offers=("web",),
                    state="resting",
                    failures=5,
                    last_error=text,
                    retry_after_seconds=95,
                ),
                ProviderFigures(name="q", title=text, offers=(), state="unused"),
            ),
            unconfigured=(text,),
        ),
        tenants=TenantOverview(
            tenants=(TenantFigures(name=text, calls=10, errors=2, users=3, last_call_at=AT),),
            dropped=4,
        ),
        server=(NamedFact(name=text, text=text),),
        jobs=JobFigures(by_status={"running": 2, text: 1}, oldest_waiting_seconds=61),
        spending=SpendingOverview(
            providers=(
                SpendingFigures(
                    provider=text, day_cents=5, month_cents=1250, total_cents=123_456, jobs=9
                ),
            ),
            reserved_cents=150,
        ),
        cache=CacheFigures(
            memory_hits=3,
            disk_hits=1,
            misses=4,
            unreadable=1,
            entries=12,
            size_bytes=5 * 2**20,
            limit_bytes=512 * 2**20,
            warnings=(text,),
        ),
        limits=(NamedFact(name=text, text=text, tone="warn"),),
        audit=None,
        absent={"audit": text},
    )
