"""What the dashboard shows of the HTTP server itself, its limits and its audit log."""

from __future__ import annotations

from collections import Counter

from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.server.http.auth.auth_ways import list_auth_ways
from citewell.server.http.observing.readiness import OK, ReadinessMonitor
from citewell.server.http.observing.server_state import ServerState
from citewell.server.pages.dashboard_collection import (
    FactList,
    FactSources,
    SectionAbsent,
    format_moment,
)
from citewell.server.pages.dashboard_snapshot import NamedFact
from citewell.server.pages.value_texts import format_count, format_day_time
from citewell.services.limits.limit_rules import LimitRules
from citewell.store.audit.audit_store import AuditLogAltered
from citewell.store.state_store import has_stored_state
from citewell.tooling import Owner

_NO_LIMITS_TEXT = (
    "Callers are not limited: nobody has to prove who is calling, and no limit was set for that."
)
_NO_AUDIT_TEXT = "The audit log is switched off (AUDIT_ENABLED=false)."
_NO_ROWS_TEXT = "No call has been audited yet."
_ALTERED_TEXT = "altered or not ours: run citewell audit-log verify"
_SHOWN_LINK_CHARS = 12  # enough to compare with an anchor that was kept elsewhere


def build_fact_sources(app: App, state: ServerState, readiness: ReadinessMonitor) -> FactSources:
    async def is_ready() -> bool:
        return (await readiness.judge_readiness()).is_ready

    async def describe_server() -> FactList:
        report = await readiness.judge_readiness()
        failed = [
            NamedFact(name=f"Check of {name}", text=result.replace("_", " "), tone="bad")
            for name, result in report.results.items()
            if result != OK
        ]
        return [*failed, *_describe_server_state(state)]

    async def describe_limits() -> FactList:
        return _describe_call_limits(app)

    async def describe_audit() -> FactList:
        return await _describe_audit_head(app)

    return FactSources(
        is_ready=is_ready,
        describe_server=describe_server,
        describe_limits=describe_limits,
        describe_audit=describe_audit,
    )


def _describe_call_limits(app: App) -> list[NamedFact]:
    """The limits that hold and what they refused; raises SectionAbsent if none holds."""
    settings = app.settings
    # Limits of single tenants in the limits file are not shown: these hold for all others.
    somebody = Owner(tenant="somebody", user="somebody") if list_auth_ways(settings) else Owner()
    limits = LimitRules(settings, {}).find_owner_limits(somebody)
    held = (
        ("each user", limits.user_per_minute, "a minute"),
        ("each user", limits.user_per_day, "a day"),
        ("each user", limits.user_concurrent, "at a time"),
        ("each tenant", limits.tenant_per_minute, "a minute"),
        ("each tenant", limits.tenant_per_day, "a day"),
        ("each tenant", limits.tenant_concurrent, "at a time"),
        ("each network address", settings.rate_limit_per_ip, "a minute"),
        ("everybody", limits.all_per_second, "a second"),
        ("everybody", settings.max_calls_per_day, "a day"),
    )
    if not any(calls for _, calls, _ in held):
        raise SectionAbsent(_NO_LIMITS_TEXT)
    counters = app.limits.counters
    facts = [NamedFact(name="Admitted calls", text=format_count(counters.admitted))]
    facts += [
        NamedFact(
            name=f"Refused by {kind.replace('-', ' ')}", text=format_count(count), tone="warn"
        )
        for kind, count in counters.refused.most_common()
    ]
    facts += [
        NamedFact(name=f"Calls of {whose}", text=f"{format_count(calls)} {per}")
        for whose, calls, per in held
        if calls
    ]
    return facts


async def _describe_audit_head(app: App) -> list[NamedFact]:
    """How far the chain reaches; raises SectionAbsent if nothing is audited or stored yet."""
    settings = app.settings
    if app.audit is None:
        raise SectionAbsent(_NO_AUDIT_TEXT)
    if not has_stored_state(settings):
        raise SectionAbsent(_NO_ROWS_TEXT)
    store = app.open_state().audit
    try:
        head = await store.load_head()
    except AuditLogAltered:
        return [NamedFact(name="Chain", text=_ALTERED_TEXT, tone="bad")]
    has_waiting = await store.has_waiting_rows()
    facts = [
        NamedFact(name="Sealed rows", text=format_count(head.rows)),
        NamedFact(name="Waiting to be sealed", text="yes" if has_waiting else "none"),
        NamedFact(
            name="Kept for",
            text=f"{settings.audit_retention_days} {pluralize(settings.audit_retention_days, 'day')}",
        ),
        NamedFact(name="Sent to a webhook", text="yes" if settings.audit_webhook_url else "no"),
    ]
    if head.rows:
        facts[1:1] = [
            NamedFact(name="Last sealed", text=format_day_time(format_moment(head.sealed_at))),
            NamedFact(name="Head", text=f"{head.rows}:{head.link[:_SHOWN_LINK_CHARS]}…"),
        ]
    return facts


def _describe_server_state(state: ServerState) -> list[NamedFact]:
    by_class: Counter[str] = Counter()
    for (_, _, status), count in state.responses.items():
        by_class[f"{status // 100}xx"] += count
    facts = [
        NamedFact(name="Requests under way", text=format_count(state.active_requests)),
        NamedFact(name="Connections", text=format_count(state.count_connections())),
        NamedFact(name="MCP sessions", text=format_count(state.count_sessions())),
    ]
    facts += [
        NamedFact(
            name=f"Responses {kind}",
            text=format_count(by_class[kind]),
            tone="warn" if kind == "5xx" else "",
        )
        for kind in sorted(by_class)
    ]
    if state.is_draining:
        facts.append(NamedFact(name="Ending", text="no new calls are accepted", tone="warn"))
    return facts
