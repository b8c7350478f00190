"""What the dashboard shows of the HTTP server itself, its limits and its audit log."""

from __future__ import annotations

from collections import Counter

from citewell.server.app import App
from citewell.server.http.observing.readiness import OK, ReadinessMonitor
from citewell.server.http.observing.server_state import ServerState
from citewell.server.pages.dashboard_collection import FactList, FactSources, SectionAbsent
from citewell.server.pages.dashboard_snapshot import NamedFact
from citewell.server.pages.value_texts import format_count

_NO_LIMITS_TEXT = "Callers are not limited."
_NO_AUDIT_TEXT = "The audit log is switched off (AUDIT_ENABLED=false)."


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
        return [*failed, *_describe_server(state)]

    async def describe_limits() -> FactList:
        raise SectionAbsent(_NO_LIMITS_TEXT)

    async def describe_audit() -> FactList:
        if not app.settings.audit_enabled:
            raise SectionAbsent(_NO_AUDIT_TEXT)
        place = app.settings.audit_path
        return [NamedFact(name="Written to", text="a file" if place else "the log (stderr)")]

    return FactSources(
        is_ready=is_ready,
        describe_server=describe_server,
        describe_limits=describe_limits,
        describe_audit=describe_audit,
    )


def _describe_server(state: ServerState) -> list[NamedFact]:
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
