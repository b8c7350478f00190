"""The sections of the dashboard as HTML, by the id of the element that holds each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citewell.model.counted_words import pluralize
from citewell.server.pages.dashboard_snapshot import (
    CacheFigures,
    DashboardSnapshot,
    JobFigures,
    MinuteFigures,
    NamedFact,
    ProviderFigures,
    SpendingOverview,
)
from citewell.server.pages.html_elements import SafeMarkup, build_element, join_markup
from citewell.server.pages.page_parts import render_status
from citewell.server.pages.page_tables import TableColumn, render_facts, render_table, render_time
from citewell.server.pages.sparklines import render_sparkline
from citewell.server.pages.value_texts import (
    format_bytes,
    format_cents,
    format_count,
    format_day_time,
    format_duration,
    format_milliseconds,
    format_share,
)

_PROVIDER_STATES = {
    "ready": ("good", "ready"),
    "unused": ("idle", "not asked yet"),
    "probing": ("warn", "being tried again"),
    "resting": ("bad", "resting"),
}
_JOB_STATUSES = (
    ("pending", "Waiting"),
    ("running", "Running"),
    ("synthesizing", "Writing the report"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("cancelled", "Cancelled"),
    ("uncertain", "Answer lost, perhaps charged"),
)
_HIGH_ERROR_SHARE = 0.05
# Id and title of each section below the tiles: the wide column, then the narrow one.
SECTION_COLUMNS = (
    (
        ("tools", "Tools"),
        ("failures", "Errors"),
        ("providers", "Providers"),
        ("tenants", "Tenants"),
        ("spending", "Spending"),
    ),
    (
        ("server", "Server"),
        ("jobs", "Research jobs"),
        ("cache", "Cache"),
        ("limits", "Limits"),
        ("audit", "Audit"),
    ),
)


def render_sections(snapshot: DashboardSnapshot) -> dict[str, SafeMarkup]:
    """The content of every section, by the id of its element."""
    makers: dict[str, Callable[[DashboardSnapshot], SafeMarkup]] = {
        "tiles": _render_tiles,
        "tools": _render_tools,
        "failures": _render_failures,
        "providers": _render_providers,
        "jobs": _render_jobs,
        "spending": _render_spending,
        "cache": _render_cache,
        "limits": _render_limits,
        "tenants": _render_tenants,
        "audit": _render_audit,
        "server": _render_server,
    }
    return {name: make(snapshot) for name, make in makers.items()}


def _render_tiles(snapshot: DashboardSnapshot) -> SafeMarkup:
    calls, providers = snapshot.calls, snapshot.providers.configured
    resting = [one for one in providers if one.state == "resting"]
    is_high = calls.errors > _HIGH_ERROR_SHARE * calls.total
    asked = sum(one.state != "unused" for one in providers)
    return join_markup(
        (
            _render_tile(
                "Calls since the start",
                format_count(calls.total),
                f"{format_share(calls.cache_hits, calls.total)} answered from the cache",
                more=_render_call_chart(calls.minutes),
            ),
            _render_tile(
                "Calls with an error",
                format_share(calls.errors, calls.total),
                f"{format_count(calls.errors)} of {format_count(calls.total)} {pluralize(calls.total, 'call')}",
                tone="warn" if is_high else "",
            ),
            _render_tile(
                "Providers that rest",
                format_count(len(resting)),
                ", ".join(one.title for one in resting[:3])
                if resting
                else f"{asked} of {len(providers)} usable ones were asked",
                tone="bad" if resting else "",
            ),
            _render_spending_tile(snapshot.spending, snapshot.absent),
        )
    )


def _render_call_chart(minutes: Sequence[MinuteFigures]) -> SafeMarkup:
    """The chart, and below it what its ends mean; the text of the chart says the same to others."""
    ends = build_element(
        "div",
        build_element("span", "an hour ago"),
        build_element("span", "calls each minute"),
        build_element("span", "now"),
        class_="spark-line",
        aria_hidden="true",
    )
    return join_markup((render_sparkline(minutes), ends))


def _render_spending_tile(spending: SpendingOverview | None, absent: dict[str, str]) -> SafeMarkup:
    if spending is None:
        return _render_tile("Spent in 24 hours", "–", absent.get("spending", ""))
    return _render_tile(
        "Spent in 24 hours",
        format_cents(sum(one.day_cents for one in spending.providers)),
        f"{format_cents(spending.reserved_cents)} reserved for research under way",
    )


def _render_tile(
    name: str, figure: str, under: str, *, tone: str = "", more: SafeMarkup | None = None
) -> SafeMarkup:
    return build_element(
        "div",
        build_element("h3", name),
        build_element("p", figure, class_=f"figure {tone}".strip()),
        build_element("p", under, class_="under"),
        more,
        class_="tile",
    )


def _render_tools(snapshot: DashboardSnapshot) -> SafeMarkup:
    if not snapshot.tools:
        return _render_nothing("No tool has been called since the start.")
    columns = (
        TableColumn("Tool"),
        TableColumn("Calls", is_number=True),
        TableColumn("Errors", is_number=True),
        TableColumn("From cache", is_number=True),
        TableColumn(
            "Median", is_number=True, title="Half of the last calls took at most this long"
        ),
        TableColumn(
            "p95", is_number=True, title="95 of 100 of the last calls took at most this long"
        ),
        TableColumn("Slowest", is_number=True),
    )
    rows = (
        (
            build_element("code", tool.name),
            format_count(tool.calls),
            _render_errors(tool.errors, tool.calls),
            format_share(tool.cache_hits, tool.calls),
            format_milliseconds(tool.median_ms),
            format_milliseconds(tool.slow_ms),
            format_milliseconds(tool.slowest_ms),
        )
        for tool in snapshot.tools
    )
    return render_table("Calls and how long they took, by tool", columns, rows, key="tools")


def _render_failures(snapshot: DashboardSnapshot) -> SafeMarkup:
    if not snapshot.failures:
        return _render_nothing("No call has failed since the start.")
    columns = (
        TableColumn("Tool"),
        TableColumn("Reason"),
        TableColumn("Errors", is_number=True),
        TableColumn("Last", is_number=True),
    )
    rows = (
        (
            build_element("code", one.tool),
            one.kind.replace("_", " "),
            format_count(one.count),
            render_time(one.last_at, snapshot.taken_at),
        )
        for one in snapshot.failures
    )
    return render_table(
        "The last hundred errors, by tool and reason", columns, rows, key="failures"
    )


def _render_providers(snapshot: DashboardSnapshot) -> SafeMarkup:
    overview = snapshot.providers
    asked = [one for one in overview.configured if one.state != "unused"]
    unused = [one.title for one in overview.configured if one.state == "unused"]
    columns = (
        TableColumn("Provider"),
        TableColumn("State"),
        TableColumn("Failures in a row", is_number=True),
        TableColumn("Last error"),
    )
    rows = (
        (
            one.title,
            _render_provider_state(one),
            format_count(one.failures),
            (one.last_error or "–").replace("_", " "),
        )
        for one in asked
    )
    return join_markup(
        (
            render_table("Providers that were asked", columns, rows, key="providers")
            if asked
            else _render_nothing("No provider has been asked since the start."),
            _render_fold("unused", f"{len(unused)} usable ones were not asked yet", unused),
            _render_fold(
                "unconfigured",
                f"{len(overview.unconfigured)} more need a key",
                overview.unconfigured,
            ),
        )
    )


def _render_provider_state(provider: ProviderFigures) -> SafeMarkup:
    tone, text = _PROVIDER_STATES[provider.state]
    if provider.retry_after_seconds is not None:
        text = f"{text} for {format_duration(provider.retry_after_seconds)}"
    return render_status(tone, text)


def _render_fold(key: str, summary: str, names: Sequence[str]) -> SafeMarkup | None:
    if not names:
        return None
    return build_element(
        "details",
        build_element("summary", summary),
        build_element("p", ", ".join(names), class_="soft"),
        class_="fold",
        id=f"fold-{key}",
    )


def _render_jobs(snapshot: DashboardSnapshot) -> SafeMarkup:
    return _render_optional(snapshot, "jobs", snapshot.jobs, _render_job_figures)


def _render_job_figures(jobs: JobFigures) -> SafeMarkup:
    known = dict(_JOB_STATUSES)
    names = [*known, *(name for name in jobs.by_status if name not in known)]
    facts = [
        NamedFact(name=known.get(name, name), text=format_count(jobs.by_status[name]))
        for name in names
        if jobs.by_status.get(name)
    ]
    if jobs.oldest_waiting_seconds is not None:
        waited = format_duration(jobs.oldest_waiting_seconds)
        facts.append(NamedFact(name="The oldest one waits for", text=waited))
    return render_facts(facts) if facts else _render_nothing("There is no research job.")


def _render_spending(snapshot: DashboardSnapshot) -> SafeMarkup:
    return _render_optional(snapshot, "spending", snapshot.spending, _render_spending_figures)


def _render_spending_figures(spending: SpendingOverview) -> SafeMarkup:
    if not spending.providers:
        return _render_nothing("Nothing was spent.")
    columns = (
        TableColumn("Provider"),
        TableColumn("24 hours", is_number=True),
        TableColumn("30 days", is_number=True),
        TableColumn("In all", is_number=True),
        TableColumn("Jobs", is_number=True),
    )
    rows = (
        (
            one.provider or "unknown",
            format_cents(one.day_cents),
            format_cents(one.month_cents),
            format_cents(one.total_cents),
            format_count(one.jobs),
        )
        for one in spending.providers
    )
    return render_table("Paid research by provider, all tenants", columns, rows, key="spending")


def _render_cache(snapshot: DashboardSnapshot) -> SafeMarkup:
    return _render_optional(snapshot, "cache", snapshot.cache, _render_cache_figures)


def _render_cache_figures(cache: CacheFigures) -> SafeMarkup:
    hits = cache.memory_hits + cache.disk_hits
    facts = [
        NamedFact(name="Hit rate", text=format_share(hits, hits + cache.misses)),
        NamedFact(name="Hits in memory", text=format_count(cache.memory_hits)),
        NamedFact(name="Hits on disk", text=format_count(cache.disk_hits)),
        NamedFact(name="Misses", text=format_count(cache.misses)),
    ]
    if cache.entries is not None and cache.size_bytes is not None:
        limit = f" of {format_bytes(cache.limit_bytes)}" if cache.limit_bytes else ""
        facts += [
            NamedFact(name="Entries on disk", text=format_count(cache.entries)),
            NamedFact(name="Size on disk", text=format_bytes(cache.size_bytes) + limit),
        ]
    if cache.unreadable:
        facts.append(NamedFact(name="Unreadable", text=format_count(cache.unreadable), tone="warn"))
    facts += [NamedFact(name="Warning", text=text, tone="warn") for text in cache.warnings]
    return render_facts(facts)


def _render_limits(snapshot: DashboardSnapshot) -> SafeMarkup:
    return _render_optional(snapshot, "limits", snapshot.limits, render_facts)


def _render_audit(snapshot: DashboardSnapshot) -> SafeMarkup:
    return _render_optional(snapshot, "audit", snapshot.audit, render_facts)


def _render_server(snapshot: DashboardSnapshot) -> SafeMarkup:
    state = NamedFact(
        name="State",
        text="ready" if snapshot.is_ready else "not ready",
        tone="good" if snapshot.is_ready else "bad",
    )
    facts = (
        state,
        NamedFact(name="Version", text=snapshot.version),
        NamedFact(name="Started", text=format_day_time(snapshot.started_at)),
        NamedFact(name="Running for", text=format_duration(snapshot.uptime_seconds)),
        *snapshot.server,
    )
    return render_facts(facts)


def _render_tenants(snapshot: DashboardSnapshot) -> SafeMarkup:
    overview = snapshot.tenants
    if not overview.tenants:
        return _render_nothing("No tenant has called since the start.")
    columns = (
        TableColumn("Tenant"),
        TableColumn("Calls", is_number=True),
        TableColumn("Errors", is_number=True),
        TableColumn("Users", is_number=True),
        TableColumn("Last call", is_number=True),
    )
    rows = (
        (
            one.name,
            format_count(one.calls),
            _render_errors(one.errors, one.calls),
            format_count(one.users),
            render_time(one.last_call_at, snapshot.taken_at),
        )
        for one in overview.tenants
    )
    left = (
        build_element("p", f"{format_count(overview.dropped)} more are not listed.", class_="soft")
        if overview.dropped
        else None
    )
    return join_markup(
        (render_table("Calls of this process by tenant", columns, rows, key="tenants"), left)
    )


def _render_errors(errors: int, calls: int) -> str:
    if errors > _HIGH_ERROR_SHARE * calls:
        return render_status("warn", format_count(errors))
    return format_count(errors)


def _render_optional(
    snapshot: DashboardSnapshot, name: str, value: object, render: Callable[..., SafeMarkup]
) -> SafeMarkup:
    if value is None:
        return _render_nothing(snapshot.absent.get(name, "This part is not switched on."))
    return render(value)


def _render_nothing(text: str) -> SafeMarkup:
    return build_element("p", text, class_="off")
