"""The sections of the dashboard as HTML, by the id of the element that holds each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from citewell.core.values.counted_words import pluralize
from citewell.server.pages.dashboard_figures import (
    CacheFigures,
    DashboardSnapshot,
    JobFigures,
    MinuteFigures,
    NamedFact,
    ProviderFigures,
    SpendingOverview,
    format_bytes,
    format_cents,
    format_count,
    format_day_time,
    format_duration,
    format_milliseconds,
    format_share,
    render_sparkline,
)
from citewell.server.pages.front_page import (
    TableColumn,
    render_facts,
    render_table,
    render_time,
)
from citewell.server.pages.page_frame import (
    SafeMarkup,
    build_element,
    join_markup,
    render_status,
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
    return {
        "tiles": _render_tiles(snapshot),
        "tools": _render_tools(snapshot),
        "failures": _render_failures(snapshot),
        "providers": _render_providers(snapshot),
        "jobs": _render_optional(snapshot, "jobs", _render_job_figures),
        "spending": _render_optional(snapshot, "spending", _render_spending_figures),
        "cache": _render_optional(snapshot, "cache", _render_cache_figures),
        "limits": _render_optional(snapshot, "limits", render_facts),
        "tenants": _render_tenants(snapshot),
        "audit": _render_optional(snapshot, "audit", render_facts),
        "server": _render_server(snapshot),
    }


def _render_optional(
    snapshot: DashboardSnapshot, name: str, render: Callable[..., SafeMarkup]
) -> SafeMarkup:
    value = getattr(snapshot, name)
    if value is None:
        return _render_nothing(snapshot.absent.get(name, "This part is not switched on."))
    return render(value)


def _render_tiles(snapshot: DashboardSnapshot) -> SafeMarkup:
    calls, providers = snapshot.calls, snapshot.providers.configured
    resting = [provider for provider in providers if provider.state == "resting"]
    is_high = calls.errors > _HIGH_ERROR_SHARE * calls.total
    used = sum(provider.state != "unused" for provider in providers)
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
                ", ".join(provider.title for provider in resting[:3])
                if resting
                else f"{used} of {len(providers)} usable ones were asked",
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
        format_cents(sum(figures.day_cents for figures in spending.providers)),
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
        *_list_number_columns("Calls", "Errors", "From cache"),
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
    columns = (TableColumn("Tool"), TableColumn("Reason"), *_list_number_columns("Errors", "Last"))
    rows = (
        (
            build_element("code", failure.tool),
            failure.kind.replace("_", " "),
            format_count(failure.count),
            render_time(failure.last_at, snapshot.taken_at),
        )
        for failure in snapshot.failures
    )
    return render_table(
        "The last hundred errors, by tool and reason", columns, rows, key="failures"
    )


def _render_providers(snapshot: DashboardSnapshot) -> SafeMarkup:
    overview = snapshot.providers
    used = [provider for provider in overview.configured if provider.state != "unused"]
    unused = [provider.title for provider in overview.configured if provider.state == "unused"]
    columns = (
        TableColumn("Provider"),
        TableColumn("State"),
        TableColumn("Failures in a row", is_number=True),
        TableColumn("Last error"),
    )
    rows = (
        (
            provider.title,
            _render_provider_state(provider),
            format_count(provider.failures),
            (provider.last_error or "–").replace("_", " "),
        )
        for provider in used
    )
    return join_markup(
        (
            render_table("Providers that were asked", columns, rows, key="providers")
            if used
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


def _render_spending_figures(spending: SpendingOverview) -> SafeMarkup:
    if not spending.providers:
        return _render_nothing("Nothing was spent.")
    columns = (
        TableColumn("Provider"),
        *_list_number_columns("24 hours", "30 days", "In all", "Jobs"),
    )
    rows = (
        (
            figures.provider or "unknown",
            format_cents(figures.day_cents),
            format_cents(figures.month_cents),
            format_cents(figures.total_cents),
            format_count(figures.jobs),
        )
        for figures in spending.providers
    )
    return render_table("Paid research by provider, all tenants", columns, rows, key="spending")


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
        *_list_number_columns("Calls", "Errors", "Users", "Last call"),
    )
    rows = (
        (
            tenant.name,
            format_count(tenant.calls),
            _render_errors(tenant.errors, tenant.calls),
            format_count(tenant.users),
            render_time(tenant.last_call_at, snapshot.taken_at),
        )
        for tenant in overview.tenants
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


def _list_number_columns(*names: str) -> Iterator[TableColumn]:
    return (TableColumn(name, is_number=True) for name in names)


def _render_nothing(text: str) -> SafeMarkup:
    return build_element("p", text, class_="off")
