"""The routes of all pages, and where they get what they show."""

from __future__ import annotations

from collections import Counter
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citewell import __version__
from citewell.audit.audit_store import AuditLogAltered
from citewell.audit.settings import AuditSettings
from citewell.core.tooling import Owner
from citewell.core.values.counted_words import pluralize
from citewell.server.app import App
from citewell.server.http.auth.auth_ways import list_auth_ways
from citewell.server.http.dashboard_routes import (
    build_dashboard_routes,
    build_server_address,
    find_own_url,
)
from citewell.server.http.observing.readiness import OK, ReadinessMonitor
from citewell.server.http.observing.request_records import ServerState
from citewell.server.limit_rules import LimitRules
from citewell.server.pages import dashboard_collection
from citewell.server.pages.dashboard_figures import (
    CallHistory,
    NamedFact,
    format_count,
    format_day_time,
)
from citewell.server.pages.front_page import FrontPageFacts, render_front_page
from citewell.server.pages.page_frame import build_page_response
from citewell.server.settings import ServerSettings
from citewell.server.state.state_store import has_stored_state
from citewell.text.calendar_dates import format_utc_time

_NO_LIMITS_TEXT = (
    "Callers are not limited: nobody has to prove who is calling, and no limit was set for that."
)
_NO_AUDIT_TEXT = "The audit log is switched off (AUDIT_ENABLED=false)."
_NO_ROWS_TEXT = "No call has been audited yet."
_ALTERED_TEXT = "altered or not ours: run citewell audit-log verify"
_SHOWN_LINK_CHARS = 12  # enough to compare with an anchor that was kept elsewhere


def build_page_routes(app: App, state: ServerState, readiness: ReadinessMonitor) -> list[BaseRoute]:
    """The front page and the dashboard, which say what /health/ready says.

    From now on the calls of the app are counted for the dashboard.
    """
    history = CallHistory()
    app.metrics.add_observer(history.record_call)
    sources = build_fact_sources(app, state, readiness)
    collector = dashboard_collection.DashboardCollector(app, history, sources)

    async def show_front_page(request: Request) -> Response:
        url = find_own_url(request, app.settings[ServerSettings].public_url)
        facts = FrontPageFacts(
            address=build_server_address(url, app.settings),
            version=__version__,
            is_ready=(await readiness.judge_readiness()).is_ready,
            toolsets=app.list_toolsets(),
        )
        return build_page_response("Citewell", render_front_page(facts), script="front.js")

    return [Route("/", show_front_page), *build_dashboard_routes(app.settings, collector)]


# What the dashboard shows of the HTTP server itself, its limits and its audit log.


def build_fact_sources(
    app: App, state: ServerState, readiness: ReadinessMonitor
) -> dashboard_collection.FactSources:
    async def is_ready() -> bool:
        return (await readiness.judge_readiness()).is_ready

    async def describe_server() -> dashboard_collection.FactList:
        report = await readiness.judge_readiness()
        failed = [
            NamedFact(name=f"Check of {name}", text=result.replace("_", " "), tone="bad")
            for name, result in report.results.items()
            if result != OK
        ]
        return (*failed, *_describe_server_state(state))

    return dashboard_collection.FactSources(
        is_ready=is_ready,
        describe_server=describe_server,
        describe_limits=partial(_describe_call_limits, app),
        describe_audit=partial(_describe_audit_head, app),
    )


async def _describe_call_limits(app: App) -> dashboard_collection.FactList:
    """The limits that hold and what they refused; raises SectionAbsent if none holds."""
    settings = app.settings
    server_settings = settings[ServerSettings]
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
        ("each network address", server_settings.rate_limit_per_ip, "a minute"),
        ("everybody", limits.all_per_second, "a second"),
        ("everybody", server_settings.max_calls_per_day, "a day"),
    )
    if not any(calls for _, calls, _ in held):
        raise dashboard_collection.SectionAbsent(_NO_LIMITS_TEXT)
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
    return tuple(facts)


async def _describe_audit_head(app: App) -> dashboard_collection.FactList:
    """How far the chain reaches; raises SectionAbsent if nothing is audited or stored yet."""
    settings = app.settings
    audit_settings = settings[AuditSettings]
    if app.audit is None:
        raise dashboard_collection.SectionAbsent(_NO_AUDIT_TEXT)
    if not has_stored_state(settings):
        raise dashboard_collection.SectionAbsent(_NO_ROWS_TEXT)
    store = app.open_state().audit
    try:
        head = await store.load_head()
    except AuditLogAltered:
        return (NamedFact(name="Chain", text=_ALTERED_TEXT, tone="bad"),)
    has_waiting = await store.has_waiting_rows()
    facts = [
        NamedFact(name="Sealed rows", text=format_count(head.rows)),
        NamedFact(name="Waiting to be sealed", text="yes" if has_waiting else "none"),
        NamedFact(
            name="Kept for",
            text=f"{audit_settings.audit_retention_days} {pluralize(audit_settings.audit_retention_days, 'day')}",
        ),
        NamedFact(
            name="Sent to a webhook",
            text="yes" if audit_settings.audit_webhook_url else "no",
        ),
    ]
    if head.rows:
        facts[1:1] = [
            NamedFact(name="Last sealed", text=format_day_time(format_utc_time(head.sealed_at))),
            NamedFact(name="Head", text=f"{head.rows}:{head.link[:_SHOWN_LINK_CHARS]}…"),
        ]
    return tuple(facts)


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
