from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.http.observing.metrics_collector import ServerMetrics
from citewell.server.http.observing.readiness import build_readiness_monitor
from citewell.server.http.observing.request_records import ServerState
from tests.requirements import requires

RULES = Path("docs/examples/alert_rules.yaml")
GIVEN_BY_PROMETHEUS = {"up"}
FAMILIES = {
    "citewell_build_info",
    "mcp_tool_calls",
    "mcp_tool_errors",
    "mcp_tool_cache_hits",
    "mcp_tool_latency_seconds",
    "citewell_tenant_calls",
    "citewell_http_responses",
    "citewell_http_refusals",
    "citewell_http_active_requests",
    "mcp_active_connections",
    "mcp_active_sessions",
    "citewell_provider_requests",
    "citewell_provider_breaker_state",
    "citewell_provider_resting",
    "citewell_workers",
    "citewell_jobs",
    "citewell_jobs_queued",
    "citewell_spend_dollars",
    "citewell_audit_waiting_rows",
    "citewell_ready",
    "process_resident_memory_bytes",
}


def render(tmp_path: Path, *, max_tenants: int = 100, owners: int = 1, **state: Any) -> str:
    settings = Settings(
        audit_enabled=False, data_dir=tmp_path, metrics_max_tenants=max_tenants, worker_count=1
    )

    async def run() -> str:
        app, known = App(settings), ServerState(**state)
        metrics = ServerMetrics(app, known, build_readiness_monitor(app, known))
        for number in range(owners):
            await app.call_tool(
                "read_artifact", {"id": "0" * 64}, owner=Owner(tenant=f"t{number}", user="u")
            )
        text = await metrics.render_metrics()
        await app.aclose()
        return text

    return asyncio.run(run())


def read_samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@requires("metrics.families")
def test_every_family_is_there_from_the_start(tmp_path: Path) -> None:
    names = {family.name for family in text_string_to_metric_families(render(tmp_path))}

    assert names >= FAMILIES


@requires("metrics.families")
def test_a_failed_call_is_counted_by_the_kind_of_its_error(tmp_path: Path) -> None:
    samples = read_samples(render(tmp_path))

    tool = ("tool", "read_artifact")
    assert samples["mcp_tool_calls_total", (("outcome", "error"), tool)] == 1
    assert samples["mcp_tool_errors_total", (("kind", "not_found"), tool)] == 1
    assert samples["mcp_tool_latency_seconds_count", (tool,)] == 1
    assert samples["mcp_tool_latency_seconds_bucket", (("le", "+Inf"), tool)] == 1
    assert samples["citewell_ready", (("check", "store"),)] == 1


@requires("metrics.bounded")
def test_tenants_beyond_the_limit_are_counted_together(tmp_path: Path) -> None:
    samples = read_samples(render(tmp_path, max_tenants=2, owners=5))

    counted = {dict(labels)["tenant"]: value for (name, labels), value in samples.items()
               if name == "citewell_tenant_calls_total"}  # fmt: skip
    assert counted == {"t0": 1, "t1": 1, "_other": 3}


def test_two_servers_in_one_process_have_their_own_numbers(tmp_path: Path) -> None:
    first, second = render(tmp_path, owners=3), render(tmp_path)

    tool = (("outcome", "error"), ("tool", "read_artifact"))
    assert read_samples(first)["mcp_tool_calls_total", tool] == 3
    assert read_samples(second)["mcp_tool_calls_total", tool] == 1


def list_rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from group["rules"]


@requires("metrics.alerts")
def test_every_alert_says_what_how_bad_and_uses_metrics_that_exist(tmp_path: Path) -> None:
    text = render(tmp_path)
    families = [*text_string_to_metric_families(text)]
    known = GIVEN_BY_PROMETHEUS | {family.name for family in families}
    known |= {f"{family.name}_{end}" for family in families for end in ("total", "bucket", "count")}
    rules = [*list_rules()]

    assert len({rule["alert"] for rule in rules}) == len(rules) >= 8
    for rule in rules:
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"].endswith(".")
        used = set(
            re.findall(r"\b(?:up|mcp_\w+|citewell_\w+|process_\w+)\b(?=[\s{\[=)]|$)", rule["expr"])
        )
        assert used
        assert used <= known, (rule["alert"], used - known)
